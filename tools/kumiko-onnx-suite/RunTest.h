//===- RunTest.h - one test, and its verdict ---------------------------------------===//
#pragma once
#include "tools/kumiko-onnx-suite/Tests.h"

namespace kumiko::suite {

struct Verdict {
  enum class Kind : uint8_t {
    Passed,
    Refused, ///< as valid but not supported
    Failed,  ///< wrong numbers, a model that is called broken, a crash
  };
  Kind kind = Kind::Failed;
  std::string text; ///< one line; empty when passed
};

/// Computes the model on every data set by interpretation and compares as ONNX's own runner does.
Verdict runTest(const Test &test);

} // namespace kumiko::suite
