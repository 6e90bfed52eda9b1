//===- Views.h - slices, pads and reshapes that are not made when useless --===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kumiko::lower {

using ExtentList = llvm::ArrayRef<Extent>;

/// A tensor of a type with plain `?`, and what its extents are.
struct ShapedValue {
  mlir::Value tensor;
  llvm::SmallVector<Extent, 4> shape;
};

/// An index attribute for a number, the result of an nn.extent for an expression.
mlir::OpFoldResult indexOf(mlir::OpBuilder &builder, mlir::Location loc, const Extent &extent);
mlir::Value indexValue(mlir::OpBuilder &builder, mlir::Location loc, const Extent &extent);

/// The type with `?` for what is no number.
mlir::RankedTensorType plainType(ExtentList shape, mlir::Type element);
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc, ExtentList shape, mlir::Type element);
/// tensor.extract_slice; the tensor itself when that is all of it.
ShapedValue slice(mlir::OpBuilder &builder, mlir::Location loc, const ShapedValue &x, ExtentList offsets,
                  ExtentList sizes, llvm::ArrayRef<int64_t> strides);
/// tensor.pad; the tensor itself when the amounts are 0. `value` is asked for only when there is a pad.
ShapedValue pad(mlir::OpBuilder &builder, mlir::Location loc, const ShapedValue &x, ExtentList low, ExtentList high,
                llvm::function_ref<mlir::Value()> value);
/// tensor.insert_slice.
mlir::Value insert(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value part, mlir::Value whole,
                   ExtentList offsets, ExtentList sizes, llvm::ArrayRef<int64_t> strides);
/// The same elements under another shape: an expansion, a collapse, or a collapse and then an expansion.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc, const ShapedValue &x, ExtentList shape);

} // namespace kumiko::lower
