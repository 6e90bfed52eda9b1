//===- Workers.h - graphs judged in processes of their own -------------------===//
//
// A graph may end the process that optimises it, or keep it busy for ever. Processes take some hundred graphs each, and
// say in memory that all share how far they are.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Nn/Equations.h"
#include "mlir/IR/MLIRContext.h"
#include "test/Graphs/Differential.h"
#include <atomic>
#include <optional>

namespace kumiko::graphs {

struct Outcome {
  Verdict::Kind kind = Verdict::Kind::Passed;
  Check check = Check::Exact;
  unsigned compiled = 0, opened = 0;
};

struct Failure {
  uint64_t number;
  std::optional<Check> check; ///< none: the process ended
};

struct Totals {
  uint64_t passed = 0, skipped = 0, compiled = 0, opened = 0;
  std::vector<Failure> failures; ///< in the order of their numbers
};

/// How often each op of the library has occurred, in memory that all processes share.
class OpCounts {
public:
  OpCounts();
  void add(mlir::ModuleOp module);
  uint64_t of(llvm::StringRef op) const;

private:
  std::atomic<uint64_t> *counts;
};

/// Judges `count` graphs from number `first` on, `jobs` processes at a time; tells on standard error how far it is.
Totals judgeAll(uint64_t first, uint64_t count, unsigned jobs,
                llvm::function_ref<Outcome(mlir::MLIRContext &, uint64_t number)> judge, OpCounts &counts);

/// Runs `work` in a process of its own and gives its text; returns how the process ended when it did not end well.
std::string inChild(llvm::function_ref<std::string()> work, std::string &text);

} // namespace kumiko::graphs
