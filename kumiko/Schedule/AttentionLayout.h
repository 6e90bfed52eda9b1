//===- AttentionLayout.h - what attention keeps in scratch -----------------===//
#pragma once
#include "kumiko/Schedule/Schedule.h"

namespace kumiko {

/// What a chunk has in its scratch: rows that the rows template keeps, a tile of columns, and rows of scores, which
/// become weights where they stand.
struct AttentionLayout {
  /// Elements from one row of scores to the next: some more than there are, so that rows do not share cache sets.
  Extent rowStride;
  Extent keptBytes, panelBytes, scoreBytes;

  Extent bytes() const { return keptBytes + panelBytes + scoreBytes; }
};
AttentionLayout attentionLayoutOf(const KernelShape &shape, const Schedule &schedule);

/// The schedule of one of the two products.
Schedule scoresSchedule(const Schedule &schedule);
Schedule valuesSchedule(const Schedule &schedule);

/// Decides how many rows a chunk has, and the tiles of both products.
void scheduleAttention(Schedule &schedule, const KernelShape &shape, const Target &target);

} // namespace kumiko
