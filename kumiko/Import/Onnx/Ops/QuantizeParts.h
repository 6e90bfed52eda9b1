//===- QuantizeParts.h - pieces of quantised ops --------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/NodeContext.h"

namespace kumiko::onnx {

/// (x - zero) * scale as f32, with one scale for the tensor. A null `zero` is 0.
mlir::Value dequantized(NodeContext &n, mlir::Value x, mlir::Value scale, mlir::Value zero);
/// x / scale + zero, rounded and cut to the integers `to`, with one scale for the tensor. A null `zero` is 0.
mlir::Value quantized(NodeContext &n, mlir::Value x, mlir::Value scale, mlir::Value zero, mlir::Type to);

/// A tensor as u8, with scale and zero point from the range of its values; the range always includes 0. With `rows`
/// each row (last dimension) has its own, kept as a dimension of 1.
struct Quantized {
  mlir::Value y, scale, zero;
};
Quantized dynamicallyQuantized(NodeContext &n, mlir::Value x, bool rows = false);

/// The product of two integer matrices or stacks of them, each minus its zero point (null: 0), as i32. A zero point of
/// `a` may be one per row, of `b` one per column.
mlir::Value integerProduct(NodeContext &n, mlir::Value a, mlir::Value zeroA, mlir::Value b, mlir::Value zeroB);

/// round(y * factor + zero), cut to the range of the zero point's type.
mlir::Value requantized(NodeContext &n, mlir::Value y, mlir::Value factor, mlir::Value zero);

} // namespace kumiko::onnx
