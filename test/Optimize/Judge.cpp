//===- Judge.cpp - a function before and after a rule, by the evaluator ----===//
#include "Judge.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;

std::string optimize::textOf(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  function.print(os);
  return text;
}

std::optional<SmallVector<Tensor, 2>> optimize::evaluated(func::FuncOp function, ArrayRef<Tensor> arguments) {
  auto pointers = llvm::map_to_vector(arguments, [](const Tensor &tensor) { return &tensor; });
  llvm::Expected<SmallVector<Tensor, 2>> results = evaluateGraph(function, pointers);
  if (results)
    return std::move(*results);
  return llvm::consumeError(results.takeError()), std::nullopt;
}

std::optional<int64_t> optimize::difference(eq::RuleClass kind, ArrayRef<Tensor> arguments, const Tensor &before,
                                            const Tensor &after) {
  double largest = 8; // constants are of this size
  auto look = [&](const Tensor &tensor) {
    for (int64_t i = 0; i < tensor.count(); ++i)
      if (std::isfinite(valueAt(tensor, i)))
        largest = std::max(largest, std::abs(valueAt(tensor, i)));
  };
  llvm::for_each(arguments, look);
  look(before);
  double digits = before.element() == ElementType::F16 ? 1e-3 : before.element() == ElementType::F64 ? 1e-14 : 1e-7;
  for (int64_t i = 0; i < before.count(); ++i) {
    double x = valueAt(before, i), y = valueAt(after, i);
    bool equal = std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
    if (equal)
      continue;
    bool allowed = kind != eq::RuleClass::Exact && isFloat(before.element()) &&
                   (std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) <= 64 * digits * largest
                                                         : kind == eq::RuleClass::Approximate);
    if (!allowed)
      return i;
  }
  return std::nullopt;
}
