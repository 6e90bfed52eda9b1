//===- Activation.cpp - activations and the softmax family -------------------===//
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// min(max(alpha x + beta, 0), 1)
Value hardSigmoid(NodeContext &n, Value x, double alpha, double beta) {
  Value line = n.make("add", {n.make("mul", {x, n.scalar(alpha, x)}), n.scalar(beta, x)});
  return n.make("min", {n.make("max", {line, n.scalar(0, x)}), n.scalar(1, x)});
}

Results importHardSigmoid(NodeContext &n) {
  return {hardSigmoid(n, n.input(0), n.real("alpha", 0.2f), n.real("beta", 0.5f))};
}

Results importHardSwish(NodeContext &n) {
  return {n.make("mul", {n.input(0), hardSigmoid(n, n.input(0), 1.0 / 6, 0.5)})};
}

Results importSoftsign(NodeContext &n) {
  Value x = n.input(0);
  return {n.make("div", {x, n.make("add", {n.scalar(1, x), n.make("abs", {x})})})};
}

Results importMish(NodeContext &n) {
  Value x = n.input(0);
  return {n.make("mul", {x, n.make("tanh", {n.make("softplus", {x})})})};
}

Results importGelu(NodeContext &n) {
  StringRef form = n.text("approximate", "none");
  if (form != "none" && form != "tanh") {
    n.fail(Code::AttributeValue, "approximate is \"" + form + "\", expected none or tanh");
    return {};
  }
  return {n.make("gelu", {n.input(0)}, {n.is("tanh_form", form == "tanh")})};
}

Results importCelu(NodeContext &n) {
  double alpha = n.real("alpha", 1);
  if (alpha == 0) {
    n.fail(Code::AttributeValue, "alpha must not be 0");
    return {};
  }
  return {n.make("elu", {n.input(0)}, {n.is("alpha", alpha), n.is("rate", 1 / alpha)})};
}

Results importShrink(NodeContext &n) {
  Value x = n.input(0);
  Value bias = n.scalar(n.real("bias", 0), x);
  double lambda = n.real("lambd", 0.5);
  Value above = n.make("select", {n.make("lt", {n.scalar(lambda, x), x}), n.make("sub", {x, bias}), n.scalar(0, x)});
  return {n.make("select", {n.make("lt", {x, n.scalar(-lambda, x)}), n.make("add", {x, bias}), above})};
}

Results importThresholdedRelu(NodeContext &n) {
  Value x = n.input(0);
  return {n.make("select", {n.make("lt", {n.scalar(n.real("alpha", 1), x), x}), x, n.scalar(0, x)})};
}

Results importSwiGlu(NodeContext &n) {
  return {n.make("mul", {n.make("swish", {n.input(0)}, {n.is("alpha", n.real("alpha", 1))}), n.input(1)})};
}

/// Before opset 7 a slope per channel had one dimension.
Results importPRelu(NodeContext &n) {
  Value x = n.input(0), slope = n.input(1);
  if (n.opset < 7 && n.rankOf(slope) == 1 && !n.elementsOf(slope).is(1) && n.rankOf(x) > 1) {
    Sizes shape(n.rankOf(x) - 1, 1);
    shape[0] = n.elementsOf(slope);
    slope = n.reshape(slope, shape);
  }
  return {n.make("prelu", {x, slope})};
}

/// Opset 1 rounded its constants.
Results importSelu(NodeContext &n) {
  if (n.opset >= 6)
    return importByRow(n, findRow("", "Selu", n.opset));
  return {
      n.make("selu", {n.input(0)}, {n.is("alpha", n.real("alpha", 1.6732f)), n.is("gamma", n.real("gamma", 1.0507f))})};
}

/// The operand as the op sees it, and the axis to work on. Before opset 13 everything before `axis` was one dimension
/// and everything from it on the other.
std::pair<Value, int64_t> alongAxis(NodeContext &n) {
  Value x = n.input(0);
  int64_t rank = n.rankOf(x);
  if (n.opset >= 13) {
    int64_t axis = n.axis(n.integer("axis", -1), std::max<int64_t>(rank, 1));
    return {x, axis};
  }
  int64_t axis = n.axis(n.integer("axis", 1), rank, /*end=*/true);
  if (n.failed())
    return {x, 0};
  Sizes sizes = n.sizesOf(x);
  return {n.reshape(x, {product(ArrayRef(sizes).take_front(axis)), product(ArrayRef(sizes).drop_front(axis))}), 1};
}

Value alongAxis(NodeContext &n, StringRef op) {
  auto [x, axis] = alongAxis(n);
  if (n.failed())
    return {};
  // A scalar is its own only element.
  bool scalar = n.rankOf(x) == 0;
  Value y = n.make(op, {scalar ? n.reshape(x, {1}) : x}, {n.is("axis", axis)});
  return y ? n.reshape(y, n.sizesOf(n.input(0))) : y;
}
Results importSoftmax(NodeContext &n) { return {alongAxis(n, "softmax")}; }
Results importLogSoftmax(NodeContext &n) { return {alongAxis(n, "log_softmax")}; }

/// 1 where the first maximum is, 0 elsewhere.
Results importHardmax(NodeContext &n) {
  auto [x, axis] = alongAxis(n);
  Value first = n.failed() ? Value() : n.make("argreduce", {x}, {n.is("kind", "max"), n.is("axis", axis)});
  if (!first)
    return {};
  Sizes column(n.rankOf(x), 1), kept = n.sizesOf(x);
  column[axis] = kept[axis];
  kept[axis] = 1;
  mlir::Type i64 = n.builder().getI64Type();
  Value position = n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", column[axis])});
  Value same = n.failed() ? Value() : n.make("eq", {n.reshape(first, kept), n.reshape(position, column)});
  Value y = n.make("select", {same, n.scalar(1, x), n.scalar(0, x)});
  return {n.failed() ? y : n.reshape(y, n.sizesOf(n.input(0)))};
}

constexpr OpCode codes[] = {
    {"Celu", 1, 1, 1, importCelu},
    {"Gelu", 1, 1, 1, importGelu},
    {"HardSigmoid", 1, 1, 1, importHardSigmoid},
    {"HardSwish", 1, 1, 1, importHardSwish},
    {"Hardmax", 1, 1, 1, importHardmax},
    {"LogSoftmax", 1, 1, 1, importLogSoftmax},
    {"Mish", 1, 1, 1, importMish},
    {"PRelu", 2, 2, 1, importPRelu},
    {"Selu", 1, 1, 1, importSelu},
    {"Shrink", 1, 1, 1, importShrink},
    {"Softmax", 1, 1, 1, importSoftmax},
    {"Softsign", 1, 1, 1, importSoftsign},
    {"SwiGLU", 2, 2, 1, importSwiGlu},
    {"ThresholdedRelu", 1, 1, 1, importThresholdedRelu},
};

} // namespace

ArrayRef<OpCode> activationOps() { return codes; }

} // namespace kumiko::onnx
