//===- Views.h - slices, pads and reshapes that are not made when useless --===//
#pragma once
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kumiko::lower {

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) {
  return mlir::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
}

/// tensor.extract_slice; the tensor itself when that is all of it.
mlir::Value slice(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, llvm::ArrayRef<int64_t> offsets,
                  llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);
/// tensor.pad; the tensor itself when the amounts are 0. `value` is asked for only when there is a pad.
mlir::Value pad(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, llvm::ArrayRef<int64_t> low,
                llvm::ArrayRef<int64_t> high, llvm::function_ref<mlir::Value()> value);
/// The same elements under another shape: an expansion, a collapse, or a collapse and then an expansion.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, llvm::ArrayRef<int64_t> shape);

} // namespace kumiko::lower
