//===- Cast.h - conversions that are more than nn.cast --------------------------===//
#pragma once
#include "kumiko/Import/Onnx/NodeContext.h"

namespace kumiko::onnx {

/// Converts to an 8-bit float so that what is outside its range becomes infinity or NaN.
mlir::Value castUnsaturated(NodeContext &n, mlir::Value x, ElementType to);

} // namespace kumiko::onnx
