//===- RunTest.h - one test, and its verdict ---------------------------------------===//
#pragma once
#include "tools/kumiko-onnx-suite/Tests.h"
#include <optional>

namespace kumiko::suite {

struct Verdict {
  enum class Kind : uint8_t {
    Passed,
    Refused, ///< as valid but not supported
    Failed,  ///< wrong numbers, a model that is called broken, a crash
  };
  Kind kind = Kind::Failed;
  std::string text; ///< one line; when passed, what had to be done for it
  /// Of compiled code with float outputs: the largest distance from the evaluator in f64, see kumiko/Verify/Ulp.h.
  std::optional<double> ulp = std::nullopt;
};

/// How a test is computed. The rest is for compiled code alone.
struct Way {
  Mode mode = Mode::Evaluator;
  std::string target = "host";
  /// As in CompileOptions.
  std::string backend;
  /// Every buffer of every call between pages that nobody may touch; the runtime takes no part.
  bool guarded = false;
  /// A command that runs shared libraries of another machine; empty: they run here.
  std::string runner;
};

/// Computes the model on every data set and compares as ONNX's own runner does.
Verdict runTest(const Test &test, const Way &way);

} // namespace kumiko::suite
