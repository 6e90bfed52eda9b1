//===- ProgramWalk.h - the calls of a program, one after the other ---------===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "runtime/include/kumiko/artefact.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kumiko {

/// Walks a program with its loops and choices. The runtime has a walker of its own; this one lets its user do the
/// calls.
class ProgramWalk {
public:
  /// Runs a kernel call; false ends the walk.
  using Kernel = llvm::function_ref<bool(size_t number)>;
  /// The memory of a buffer.
  using Address = llvm::function_ref<char *(const BufferRef &)>;

  explicit ProgramWalk(llvm::ArrayRef<ProgramCall> calls) : calls(calls) {}

  /// The calls [first, last), which are all of one loop or branch.
  bool run(size_t first, size_t last, Kernel kernel, Address address);
  /// The offset in this turn of the loops around the call.
  int64_t offsetOf(const BufferRef &buffer) const;

private:
  llvm::ArrayRef<ProgramCall> calls;
  int64_t turns[KUMIKO_MAX_LOOPS] = {};
};

} // namespace kumiko
