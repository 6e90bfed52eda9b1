//===- Contraction.h - matrix products -----------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/NodeContext.h"

namespace kumiko::onnx {

/// The product of two matrices or stacks of them; vectors get a unit dimension that is dropped afterwards.
mlir::Value matrixProduct(NodeContext &n, mlir::Value a, mlir::Value b);

} // namespace kumiko::onnx
