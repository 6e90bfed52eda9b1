//===- Form.h - linear positions over loop variables -----------------------===//
//
// A *form* says where an element is: constant + sum of coefficient * slot + lane * (number of the lane).
// A slot stands for one SSA index value: a loop variable, or something computed once. Constant and coefficients are
// numbers or expressions over symbols, which a kernel computes once at its entry. Everything a template reads or writes
// is a form into a flat buffer, so that
//
//   * addresses are sums of loop variables with fixed factors, which LLVM hoists and folds into addressing modes;
//   * two loops that every form treats as one (c_i = c_j * extent_j) can be merged without touching any body: the outer
//     one stays 0 and the inner one runs over the product;
//   * `lane` tells at once whether eight neighbours are one vector load (1), one broadcast (0) or a gather.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/Pieces.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace kumiko::cpu {

struct Form {
  Extent constant;
  Extent lane;
  /// (slot, coefficient), sorted by slot, no zero coefficients.
  llvm::SmallVector<std::pair<unsigned, Extent>, 3> terms;

  Form() = default;
  Form(const Extent &constant) : constant(constant) {}
  static Form ofSlot(unsigned slot, const Extent &coefficient = 1);

  /// The same wherever the loops are; its value may still depend on symbols.
  bool isConstant() const { return terms.empty() && !hasLanes(); }
  bool hasLanes() const { return !lane.is(0); }
  Extent coefficientOf(unsigned slot) const;

  Form operator+(const Form &other) const;
  Form operator*(const Extent &factor) const;
  /// The position that lane number `number` has, with no lanes left.
  Form atLane(const Extent &number) const;
};

using Position = llvm::SmallVector<Form, 6>;

Position positionAtLane(llvm::ArrayRef<Form> position, const Extent &lane);
bool hasLanes(llvm::ArrayRef<Form> position);

/// Where the elements of tensors lie.
struct Storage {
  KernelExtents extents;
  /// Strides, in elements, of tensors that are not stored in row-major order: packed arguments, and what a part of a
  /// kernel leaves in scratch for the next one.
  llvm::DenseMap<mlir::Value, Extents> strides;

  /// The offset of `position` in the buffer of `tensor`.
  Form offsetIn(mlir::Value tensor, llvm::ArrayRef<Form> position);
};

/// The offset of `position` in a buffer of these strides, or in a row-major one of the given shape.
Form offsetBy(llvm::ArrayRef<Form> position, llvm::ArrayRef<Extent> strides);
Form linearize(llvm::ArrayRef<Form> position, llvm::ArrayRef<Extent> shape);
/// Where the element at `position` of the source goes.
Form offsetOf(const Piece &piece, llvm::ArrayRef<Form> position);

/// The position in the source of the element at `position` of the view.
Position positionBehind(mlir::tensor::ExtractSliceOp view, llvm::ArrayRef<Form> position);
Position positionBehind(mlir::tensor::ExpandShapeOp view, llvm::ArrayRef<Form> position, KernelExtents &extents);

/// `expr` over dims whose values are `dims`; nothing where it is not linear (floordiv, mod of a variable).
std::optional<Form> applyLinear(mlir::AffineExpr expr, llvm::ArrayRef<Form> dims);
/// Where `map` leads from the values of loops. Lower keeps maps linear; anything else is read through tensor.extract.
Position applyMap(mlir::AffineMap map, llvm::ArrayRef<Form> dims);

/// From `low` to `high`, both included; by default anything that an index can be.
struct IndexRange {
  static constexpr int64_t farthest = int64_t(1) << 40;
  int64_t low = -farthest, high = farthest;

  /// The numbers of a loop, as far as they are known.
  static IndexRange ofLoop(const Extent &low, const Extent &high, int64_t step = 1);
  bool isKnown() const { return low > -farthest && high < farthest; }
};

} // namespace kumiko::cpu
