//===- RowShape.h - which rows an op reduces over --------------------------===//
//
// A softmax, a layer norm or the nodes that spell one work on rows: some dimensions of a tensor are reduced, the others
// say which row it is. Whatever only looks at the row at hand can share a kernel with the reductions over it.
// Dimensions of one element do not count, so it does not matter whether a mean has kept the dimension that it reduced.
//
//   mean(x: [B, S, 64]) over the last dimension    rows [B, S, 64] with the 64 reduced
//   x - mean                                       a whole row, from a whole row and one number of that row
//   sqrt(var + eps)                                one number of a row
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Access.h"
#include "kumiko/Extents/Extent.h"
#include "kumiko/Support/Decision.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace kumiko {

/// A tensor over whole rows, without its dimensions of one element.
struct RowShape {
  llvm::SmallVector<Extent, 4> extents;
  llvm::SmallVector<bool, 4> reduced; ///< one per extent

  bool operator==(const RowShape &other) const { return extents == other.extents && reduced == other.reduced; }
  /// How many rows there are.
  Extent count() const;
};

using Loops = llvm::SmallVector<unsigned, 4>;

/// The loops along the long dimensions of a tensor; nothing where one of these is not walked along by a loop alone.
std::optional<Loops> loopsAlong(const eq::Tensor &tensor, llvm::ArrayRef<std::optional<eq::AffineIndex>> indices);

/// The rows of an op whose reductions all run over whole dimensions of the same tensor shape, if it is such an op.
std::optional<RowShape> rowsOf(mlir::Operation *op);

/// Whether `op` works row by row, with its results over whole rows or one number per row, and reads each of the
/// operands that are `inside` only at the row at hand.
Decision staysInRows(mlir::Operation *op, const RowShape &rows, llvm::function_ref<bool(mlir::Value)> inside);

} // namespace kumiko
