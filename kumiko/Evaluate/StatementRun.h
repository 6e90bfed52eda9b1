//===- StatementRun.h - one statement -----------------------------------------------===//
#pragma once
#include "kumiko/Evaluate/ProgramBuilder.h"

namespace kumiko::eval {

/// Memory that a statement writes.
struct Destination {
  uint8_t *memory;
  llvm::SmallVector<int64_t, 6> shape;
  /// What the memory holds.
  ElementType stored;
  /// What the target is declared as.
  ElementType type;
  /// The memory holds accumulators (of the carrier that `combinerOf` names) and values are combined into it; otherwise
  /// they replace what is there.
  bool combines = false;
};

/// Computes all points of the statement. One destination per target; they hold what a point starts from.
llvm::Error runStatement(const Setting &setting, llvm::ArrayRef<Destination> destinations, uint64_t limit);

} // namespace kumiko::eval
