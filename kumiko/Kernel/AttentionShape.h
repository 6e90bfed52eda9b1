//===- AttentionShape.h - two products around rows -------------------------===//
//
//   scores[b, m, k]  = sum over d of q[b, m, d] * kt[b, d, k]      a contraction
//   weights[b, m, k] = rows over k of scores: scale, mask, softmax, in any spelling
//   out[b, m, n]     = sum over k of weights[b, m, k] * v[b, k, n]  a contraction, and what follows it
//
// Where nothing else is made of the scores they never need to be in memory as a whole: some rows of them fit into the
// cache, and are all that these rows of the result take. Nothing is matched but loops: b, m and d stand for any number
// of them, and what the rows compute does not matter.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/KernelShape.h"

namespace kumiko {

/// Fills in `shape.attention` and `shape.rows`; false with a reason when `reductions`, all those of a kernel in order,
/// are not of this shape.
bool attentionShapeOf(llvm::ArrayRef<mlir::linalg::GenericOp> reductions, mlir::ValueRange results,
                      KernelExtents &extents, KernelShape &shape);

} // namespace kumiko
