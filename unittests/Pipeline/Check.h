//===- Check.h - a graph compiled, against the evaluator --------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include <string>
#include <vector>

namespace kumiko {

/// Compiles @main of `text` and compares with the evaluator bit by bit, or up to `tolerance`, for 1 and 2 threads.
void check(const std::string &text, std::vector<Tensor> inputs, double tolerance = 0);

} // namespace kumiko
