//===- ConstantTensor.h - the elements of nn.constant ----------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace kumiko::optimize {

/// The value of an nn.constant, null for any other value. kumiko/Evaluate/Graph.h has `constantTensor` for its
/// elements.
mlir::ElementsAttr constantOf(mlir::Value value);

/// The one value that all elements of a constant have, also behind views and expansions; nothing when they differ, or
/// when the number does not fit into a double.
std::optional<double> splatOf(mlir::Value value);

/// The tensor as an attribute: `dense` up to 1 MiB, a resource that owns the bytes above. `name` helps to recognise the
/// resource in a dump.
mlir::ElementsAttr attributeOf(mlir::MLIRContext *context, Tensor tensor, llvm::StringRef name);

/// An nn.constant of the tensor.
mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location loc, Tensor tensor, llvm::StringRef name);

/// All elements as doubles.
llvm::SmallVector<double, 0> doublesOf(const Tensor &tensor);
/// Rounds each to `element`, once.
llvm::Expected<Tensor> tensorOfDoubles(ElementType element, llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<double> values);

} // namespace kumiko::optimize
