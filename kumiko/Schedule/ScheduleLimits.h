//===- ScheduleLimits.h - which numbers a kernel and a machine can have ----===//
//
// What is accepted is right: each element's sum is added in the same order whatever the numbers are, so that results
// have the same bits. What would not be, or would be absurd on the machine, is refused with its reason.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Schedule/ScheduleWords.h"

namespace kumiko {

/// Numbers that somebody wrote, and what they are to be checked against.
struct ProposedSchedule {
  const KernelShape &shape;
  llvm::ArrayRef<KernelStatement> statements;
  const Schedule &schedule, &analytic;
  /// The columns of a contraction are a constant that may be packed.
  bool packable;
  const Target &target;
};

struct ScheduleLimit {
  /// The statement and the word whose number does not fit.
  unsigned statement = 0;
  llvm::StringRef word;
  Subject subject = Subject::Nothing;
  std::string message, help;
};

/// Makes what nobody wrote fit what somebody did: no chunk larger than there are tiles, and none so small that tiles of
/// an open number of rows would not lie in one.
void fitChunks(Schedule &schedule, const ContractionShape &shape, bool rowsWritten, bool columnsWritten);

/// The first limit that is not kept; nothing where all are.
std::optional<ScheduleLimit> checkLimits(const ProposedSchedule &proposed);

} // namespace kumiko
