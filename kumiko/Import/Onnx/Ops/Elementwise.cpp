//===- Elementwise.cpp - arithmetic on elements ------------------------------===//
#include "kumiko/Import/Onnx/Registry.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Two operands. From opset 7 on they broadcast as NumPy does and the row says all; before, `broadcast=1` aligned the
/// second one at `axis`.
Results importBinary(NodeContext &n) {
  if (n.opset >= 7)
    return importByRow(n, findRow("", n.node.op, n.opset));
  OnnxRow row = findRow("", n.node.op, 7);
  Value a = n.input(0), b = n.input(1);
  bool broadcast = n.flag("broadcast");
  std::optional<int64_t> given = n.integer("axis");
  if (n.failed())
    return {};
  if (broadcast && given && n.rankOf(b) < n.rankOf(a)) {
    int64_t axis = n.axis(*given, n.rankOf(a));
    Sizes shape = n.sizesOf(b);
    while (axis + int64_t(shape.size()) < n.rankOf(a))
      shape.push_back(1);
    b = n.reshape(b, shape);
  } else if (!broadcast && !llvm::equal(n.sizesOf(a), n.sizesOf(b), [&](const Extent &x, const Extent &y) {
               return n.agree(x, y, "shapes are equal");
             })) {
    n.fail(Code::OperandShape, "shapes differ and broadcast is 0")
        .helped("before opset 7 broadcasting must be asked for");
  }
  // Greater and its like swap their operands.
  return {row.clause->operands.front() == "b" ? n.make(row.op->name, {b, a}) : n.make(row.op->name, {a, b})};
}

/// Any number of operands, combined one after the other.
Value importFold(NodeContext &n, StringRef op) {
  Value result = n.input(0);
  for (Value next : n.inputs().drop_front()) {
    if (!next) {
      n.fail(Code::Arity, "an input is left out");
      return {};
    }
    result = n.make(op, {result, next});
  }
  return result;
}
Results importSum(NodeContext &n) { return {importFold(n, "add")}; }
Results importMax(NodeContext &n) { return {importFold(n, "max")}; }
Results importMin(NodeContext &n) { return {importFold(n, "min")}; }
Results importMean(NodeContext &n) {
  Value sum = importFold(n, "add");
  return {n.make("div", {sum, n.scalar(n.inputCount(), n.input(0))})};
}

Results importReciprocal(NodeContext &n) {
  Value x = n.input(0);
  return {n.make("div", {n.scalar(1, x), x})};
}

Results importClip(NodeContext &n) {
  Value x = n.input(0), low, high;
  if (n.opset < 11) {
    if (auto value = n.real("min"))
      low = n.scalar(*value, x);
    if (auto value = n.real("max"))
      high = n.scalar(*value, x);
  } else {
    for (auto [number, bound] : {std::pair(1, &low), std::pair(2, &high)}) {
      if (!n.input(number))
        continue;
      if (!n.elementsOf(n.input(number)).is(1)) {
        n.fail(Code::OperandShape, "the bounds must be scalars");
        return {};
      }
      *bound = n.reshape(n.input(number), {});
    }
  }
  // In this order: with low > high everything becomes high.
  if (low)
    x = n.make("max", {x, low});
  if (high)
    x = n.make("min", {x, high});
  return {x};
}

Results importMod(NodeContext &n) {
  bool fmod = n.flag("fmod");
  if (!fmod && n.opset < 28 && isa<FloatType>(n.elementOf(n.input(0)))) {
    n.fail(Code::AttributeValue, "floats need fmod=1 before opset 28");
    return {};
  }
  return {n.make(fmod ? "rem" : "mod", n.inputs())};
}

Results importBitShift(NodeContext &n) {
  StringRef direction = n.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    n.fail(Code::AttributeValue, "direction is \"" + direction + "\", expected LEFT or RIGHT");
    return {};
  }
  if (n.opset < 28 && !n.elementOf(n.input(0)).isUnsignedInteger()) {
    n.fail(Code::OperandType, "before opset 28 only unsigned integers can be shifted");
    return {};
  }
  return {n.make(direction == "LEFT" ? "shl" : "shr", n.inputs())};
}

Results importIsNan(NodeContext &n) {
  Value x = n.input(0);
  return {n.make("not", {n.make("eq", {x, x})})};
}

Results importIsInf(NodeContext &n) {
  Value x = n.input(0);
  bool positive = n.flag("detect_positive", true), negative = n.flag("detect_negative", true);
  if (!positive && !negative)
    return {n.filled(n.builder().getBoolAttr(false), n.builder().getI1Type(), n.sizesOf(x))};
  Value wanted = n.scalar(positive ? INFINITY : -INFINITY, x);
  return {n.make("eq", {positive && negative ? n.make("abs", {x}) : x, wanted})};
}

constexpr OpCode codes[] = {
    {"Add", 2, 2, 1, importBinary},        {"And", 2, 2, 1, importBinary},
    {"BitShift", 2, 2, 1, importBitShift}, {"Clip", 1, 3, 1, importClip},
    {"Div", 2, 2, 1, importBinary},        {"Equal", 2, 2, 1, importBinary},
    {"Greater", 2, 2, 1, importBinary},    {"IsInf", 1, 1, 1, importIsInf},
    {"IsNaN", 1, 1, 1, importIsNan},       {"Less", 2, 2, 1, importBinary},
    {"Max", 1, OpCode::any, 1, importMax}, {"Mean", 1, OpCode::any, 1, importMean},
    {"Min", 1, OpCode::any, 1, importMin}, {"Mod", 2, 2, 1, importMod},
    {"Mul", 2, 2, 1, importBinary},        {"Or", 2, 2, 1, importBinary},
    {"Pow", 2, 2, 1, importBinary},        {"Reciprocal", 1, 1, 1, importReciprocal},
    {"Sub", 2, 2, 1, importBinary},        {"Sum", 1, OpCode::any, 1, importSum},
    {"Xor", 2, 2, 1, importBinary},
};

} // namespace

ArrayRef<OpCode> elementwiseOps() { return codes; }

} // namespace kumiko::onnx
