//===- Loss.cpp - losses -------------------------------------------------------===//
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Loss per element from log-probabilities, then not reduced, summed, or averaged by the weights that were used.
Value logLikelihood(NodeContext &n, Value x) {
  StringRef reduction = n.text("reduction", "mean");
  std::optional<int64_t> ignored = n.integer("ignore_index");
  if (n.failed())
    return {};
  if (!is_contained({"none", "sum", "mean"}, reduction)) {
    n.fail(Code::AttributeValue, "reduction is \"" + reduction + "\", expected none, sum or mean");
    return {};
  }
  Results parts = n.makeAll("nll_loss", {x, n.input(1), n.input(2)},
                            {n.is("ignore", ignored.value_or(0)), n.is("has_ignore", ignored.has_value())});
  if (n.failed() || reduction == "none")
    return parts.empty() ? Value() : parts[0];
  Ints all = counting(0, n.rankOf(parts[0]));
  auto sum = [&](Value value) { return n.make("reduce", {value}, {n.is("kind", "+"), n.is("axes", all)}); };
  return reduction == "sum" ? sum(parts[0]) : n.make("div", {sum(parts[0]), sum(parts[1])});
}

Results importNegativeLogLikelihoodLoss(NodeContext &n) {
  return n.expectRank(0, 2) ? Results{logLikelihood(n, n.input(0))} : Results();
}

Results importSoftmaxCrossEntropyLoss(NodeContext &n) {
  if (!n.expectRank(0, 2))
    return {};
  Value logarithms = n.make("log_softmax", {n.input(0)}, {n.is("axis", 1)});
  return {logarithms ? logLikelihood(n, logarithms) : logarithms, logarithms};
}

constexpr OpCode codes[] = {
    {"NegativeLogLikelihoodLoss", 2, 3, 1, importNegativeLogLikelihoodLoss},
    {"SoftmaxCrossEntropyLoss", 2, 3, 2, importSoftmaxCrossEntropyLoss},
};

} // namespace

ArrayRef<OpCode> lossOps() { return codes; }

} // namespace kumiko::onnx
