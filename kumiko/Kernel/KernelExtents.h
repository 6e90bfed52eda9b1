//===- KernelExtents.h - how long the tensors and loops of a kernel are ----===//
//
// Below Lower a type says `?` where a dimension is not known. What it stands for is an expression over symbols, and all
// of them are to be had here: an argument has them as an attribute of the kernel, a result from the op that makes it.
// Every other number that may depend on symbols (an offset, an amount of padding) comes from `nn.extent`.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Nn/TypicalSize.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <memory>

namespace kumiko {

using Extents = llvm::SmallVector<Extent, 6>;

/// Extents of the values of one kernel's body, remembered. What cannot be told is the overflowed extent.
class KernelExtents {
public:
  llvm::ArrayRef<Extent> of(mlir::Value tensor);
  Extent elementsOf(mlir::Value tensor) { return product(of(tensor)); }
  Extents loopsOf(mlir::linalg::LinalgOp op);

  static Extent ofIndex(mlir::OpFoldResult index);
  static Extents ofIndices(llvm::ArrayRef<mlir::OpFoldResult> indices);

private:
  Extents compute(mlir::Value tensor);

  llvm::DenseMap<mlir::Value, std::unique_ptr<Extents>> known; ///< pointers, so that what `of` gives stays
};

} // namespace kumiko
