//===- ConvTransposeColumns.h - transposed convolutions as products --------===//
#pragma once
#include "kumiko/Optimize/GraphBuilder.h"

namespace kumiko::optimize {

/// A transposed convolution as a product and an addition of its columns to the result, whatever its window is and
/// whether or not its weights are known:
///
///   z(n, g, (f, k...), i...) = sum over c of w((g, c), f, k...) * x(n, (g, c), i...)
///   y(n, (g, f), o...)       = what col2im makes of z
///
/// Null where its window is not known.
mlir::Value convTransposeByColumns(nn::ConvTransposeOp op, mlir::OpBuilder &builder, GraphBuilder &g);

} // namespace kumiko::optimize
