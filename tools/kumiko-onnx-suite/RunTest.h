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

/// Computes the model on every data set and compares as ONNX's own runner does.
Verdict runTest(const Test &test, Mode mode);

} // namespace kumiko::suite
