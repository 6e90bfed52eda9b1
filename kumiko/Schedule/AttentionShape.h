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
#include "kumiko/Schedule/Schedule.h"

namespace kumiko {

/// Fills in `shape.attention` and `shape.rows`; false with a reason when `reductions`, all those of a kernel in order,
/// are not of this shape.
bool attentionShapeOf(llvm::ArrayRef<mlir::linalg::GenericOp> reductions, mlir::ValueRange results,
                      KernelExtents &extents, KernelShape &shape);

/// What a chunk has in its scratch: rows that the rows template keeps, a tile of columns, and rows of scores, which
/// become weights where they stand.
struct AttentionLayout {
  /// Elements from one row of scores to the next: some more than there are, so that rows do not share cache sets.
  eq::Extent rowStride;
  eq::Extent keptBytes, panelBytes, scoreBytes;

  eq::Extent bytes() const { return keptBytes + panelBytes + scoreBytes; }
};
AttentionLayout attentionLayoutOf(const KernelShape &shape, const Schedule &schedule);

/// The schedule of one of the two products.
Schedule scoresSchedule(const Schedule &schedule);
Schedule valuesSchedule(const Schedule &schedule);

/// Decides how many rows a chunk has, and the tiles of both products.
void scheduleAttention(Schedule &schedule, const KernelShape &shape, const Machine &machine);

} // namespace kumiko
