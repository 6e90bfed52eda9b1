//===- Differential.h - a graph, optimised and not, computed twice -----------===//
#pragma once
#include "kumiko/Pipeline/Pipeline.h"
#include "kumiko/Verify/TestCase.h"
#include <string>

namespace kumiko::graphs {

struct Verdict {
  enum class Kind : uint8_t { Passed, Failed, Skipped };
  Kind kind = Kind::Passed;
  std::string what;

  static Verdict failed(const llvm::Twine &what) { return {Kind::Failed, what.str()}; }
};

/// What is to hold of a graph.
enum class Check : uint8_t {
  /// After Optimize with --allow=exact every bit is the same.
  Exact,
  /// After Optimize with everything allowed, both evaluated in f64, results differ by what rounding explains
  /// (kumiko/Verify/Stability.h); grouped into kernels they are the same in every bit.
  Rounding,
  /// The same where the sizes of its arguments are symbols while it is optimised (OpenSizes.h).
  Open,
  /// Compiled code is as near to the evaluator.
  Compiled,
  /// So is code that was compiled with open sizes.
  CompiledOpen,
};
inline constexpr Check allChecks[] = {Check::Exact, Check::Rounding, Check::Open, Check::Compiled, Check::CompiledOpen};
inline bool needsCode(Check check) { return check >= Check::Compiled; }
llvm::StringRef nameOf(Check check);

/// How a verdict begins where the graph itself cannot be evaluated.
inline constexpr llvm::StringLiteral unevaluated = "the evaluator on the graph as it was: ";

struct JudgeOptions {
  /// Wild graphs are optimised all the same where only exact results can be judged: nothing may break.
  bool wild = false;
  /// What code is compiled for; it must run here.
  std::string target = "host";
  std::string backend = {};
};

Verdict judge(const TestCase &graph, Check check, const JudgeOptions &options);

} // namespace kumiko::graphs
