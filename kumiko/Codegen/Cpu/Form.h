//===- Form.h - linear positions over loop variables -----------------------===//
//
// A *form* says where an element is: constant + sum of coefficient * slot + lane * (number of the lane).
// A slot stands for one SSA index value: a loop variable, or something computed once. Everything a template reads or
// writes is a form into a flat buffer, so that
//
//   * addresses are sums of loop variables with constant factors, which LLVM hoists and folds into addressing modes;
//   * two loops that every form treats as one (c_i = c_j * extent_j) can be merged without touching any body: the outer
//     one stays 0 and the inner one runs over the product;
//   * `lane` tells at once whether eight neighbours are one vector load (1), one broadcast (0) or a gather.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace kumiko::cpu {

struct Form {
  int64_t constant = 0;
  int64_t lane = 0;
  /// (slot, coefficient), sorted by slot, no zero coefficients.
  llvm::SmallVector<std::pair<unsigned, int64_t>, 4> terms;

  Form() = default;
  Form(int64_t constant) : constant(constant) {}
  static Form ofSlot(unsigned slot, int64_t coefficient = 1);

  bool isConstant() const { return terms.empty() && lane == 0; }
  int64_t coefficientOf(unsigned slot) const;

  Form operator+(const Form &other) const;
  Form operator*(int64_t factor) const;
  /// The position that lane number `number` has, with no lanes left.
  Form atLane(int64_t number) const;
};

using Position = llvm::SmallVector<Form, 6>;

Position positionAtLane(llvm::ArrayRef<Form> position, int64_t lane);

/// Strides, in elements, of tensors that are not stored in row-major order.
using Strides = llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>>;

/// The offset of `position` in the buffer of `tensor`.
Form offsetIn(mlir::Value tensor, llvm::ArrayRef<Form> position, const Strides *strides);

/// The offset of `position` in a row-major buffer of the given shape.
Form linearize(llvm::ArrayRef<Form> position, llvm::ArrayRef<int64_t> shape);
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// `expr` over dims whose values are `dims`; nothing where it is not linear (floordiv, mod of a variable).
std::optional<Form> applyLinear(mlir::AffineExpr expr, llvm::ArrayRef<Form> dims);

} // namespace kumiko::cpu
