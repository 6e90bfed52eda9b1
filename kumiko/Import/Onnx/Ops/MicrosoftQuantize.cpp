//===- MicrosoftQuantize.cpp - com.microsoft: quantised ops ---------------------===//
//
// Most take integers with scale and zero point, compute on the numbers they stand for, and quantise the result.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Import/Onnx/Ops/Contraction.h"
#include "kumiko/Import/Onnx/Ops/QuantizeParts.h"
#include "kumiko/Import/Onnx/Ops/RecurrentLayer.h"
#include "kumiko/Import/Onnx/Ops/Window.h"
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// The numbers that inputs `first` (integers), `first` + 1 (scale) and `first` + 2 (zero point) stand for.
Value realInput(NodeContext &n, size_t first) {
  return dequantized(n, n.input(first), n.input(first + 1), n.input(first + 2));
}

/// The result in the type of the first quantised operand, with scale and zero point from inputs `first` on.
Results asInput(NodeContext &n, Value y, size_t first, Value like) {
  if (n.failed())
    return {};
  return {quantized(n, y, n.input(first), n.input(first + 1), n.elementOf(like))};
}

Results binary(NodeContext &n, StringRef op) {
  if (!expectInputs(n, {1, 3, 4, 6}))
    return {};
  return asInput(n, n.make(op, {realInput(n, 0), realInput(n, 3)}), 6, n.input(0));
}
Results importAdd(NodeContext &n) { return binary(n, "add"); }
Results importMul(NodeContext &n) { return binary(n, "mul"); }

Results importSigmoid(NodeContext &n) {
  if (!expectInputs(n, {1, 3}))
    return {};
  return asInput(n, n.make("sigmoid", {realInput(n, 0)}), 3, n.input(0));
}

Results importLeakyRelu(NodeContext &n) {
  double slope = n.real("alpha", 0.01f);
  if (!expectInputs(n, {1, 3}))
    return {};
  return asInput(n, n.make("leaky_relu", {realInput(n, 0)}, {n.is("slope", slope)}), 3, n.input(0));
}

Results importSoftmax(NodeContext &n) {
  int64_t opset = n.integer("opset", 13), given = n.integer("axis", -1);
  if (!expectInputs(n, {1, 3, 4}))
    return {};
  Sizes shape = n.sizesOf(n.input(0));
  int64_t axis = n.axis(given, shape.size());
  Value x = realInput(n, 0);
  if (n.failed())
    return {};
  // Before opset 13 everything from `axis` on was one dimension.
  if (opset < 13) {
    x = n.reshape(x, {product(ArrayRef(shape).take_front(axis)), product(ArrayRef(shape).drop_front(axis))});
    axis = 1;
  }
  Value y = n.make("softmax", {x}, {n.is("axis", axis)});
  return y ? asInput(n, n.reshape(y, shape), 3, n.input(0)) : Results();
}

/// Inputs are scale and zero point of the result, then three for each operand.
Results importConcat(NodeContext &n) {
  std::optional<int64_t> given = n.integer("axis");
  size_t count = n.inputCount();
  if (!given || count < 5 || (count - 2) % 3 != 0) {
    if (!n.failed())
      n.fail(Code::Arity, "needs the attribute axis, and three inputs for each operand after the first two");
    return {};
  }
  ValueList parts;
  for (size_t first = 2; first < count; first += 3) {
    if (!expectInputs(n, {first, first + 1}))
      return {};
    parts.push_back(realInput(n, first));
  }
  int64_t axis = n.failed() ? 0 : n.axis(*given, n.rankOf(parts.front()));
  Value y = n.failed() ? Value() : n.make("concat", parts, {n.is("axis", axis)});
  return asInput(n, y, 0, n.input(2));
}

/// Brings channels that stand last to dimension 1, or back.
Value channelsMoved(NodeContext &n, Value x, bool last, bool back) {
  if (n.failed() || !last)
    return x;
  Ints order = counting(0, n.rankOf(x));
  if (back)
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  else
    std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return n.transpose(x, order);
}

Results importGlobalAveragePool(NodeContext &n) {
  bool last = n.flag("channels_last");
  if (!expectInputs(n, {1, 3}) || !n.expectRank(0, 3))
    return {};
  Value x = channelsMoved(n, realInput(n, 0), last, /*back=*/false);
  if (n.failed())
    return {};
  Sizes kept = n.sizesOf(x);
  kept.truncate(2);
  kept.resize(n.rankOf(x), 1);
  Value y = n.make("mean", {x}, {n.is("axes", counting(2, n.rankOf(x)))});
  return y ? asInput(n, channelsMoved(n, n.reshape(y, kept), last, /*back=*/true), 3, n.input(0)) : Results();
}

Results importAveragePool(NodeContext &n) {
  bool last = n.flag("channels_last"), countPad = n.flag("count_include_pad");
  if (!expectInputs(n, {1, 3}) || !n.expectRank(0, 3))
    return {};
  if (last) {
    n.fail(Code::UnsupportedForm, "channels_last=1 is not supported").helped("put a Transpose around the node");
    return {};
  }
  std::optional<Window> window = readWindow(n, {});
  if (!window)
    return {};
  roundUp(n, *window);
  if (n.failed() || !checkFits(n, *window))
    return {};
  Value y = n.make("avg_pool", {realInput(n, 0)},
                   {n.is("kernel", window->kernel), n.is("stride", window->stride), n.is("dilation", window->dilation),
                    n.is("lo", window->lo), n.is("hi", window->hi), n.is("extra", window->extra),
                    n.is("count_pad", countPad)});
  return asInput(n, y, 3, n.input(0));
}

/// alpha (A - za) (B - zb) sa sb + C sa sb; quantised when scale and zero point of the result are given.
Results importQGemm(NodeContext &n) {
  double alpha = n.real("alpha", 1);
  bool turnA = n.flag("transA"), turnB = n.flag("transB");
  if (!expectInputs(n, {1, 2, 3, 4, 5}) || !n.expectRank(0, 2, 2) || !n.expectRank(3, 2, 2))
    return {};
  Value a = turnA ? n.transpose(n.input(0), {1, 0}) : n.input(0),
        b = turnB ? n.transpose(n.input(3), {1, 0}) : n.input(3);
  Value y = n.failed() ? Value() : integerProduct(n, a, n.input(2), b, n.input(5));
  if (n.failed())
    return {};
  Sizes shape = n.sizesOf(y);
  mlir::Type f32 = n.builder().getF32Type();
  if (n.input(6))
    y = n.make("add", {y, n.input(6)});
  Value scale = n.make("mul", {n.input(1), n.input(4)});
  if (alpha != 1 && !n.failed())
    scale = n.make("mul", {n.scalar(alpha, f32), scale});
  y = n.failed() ? Value() : n.make("mul", {n.cast(y, f32), scale});
  if (y && !llvm::equal(n.sizesOf(y), shape,
                        [&](const Extent &a, const Extent &b) { return n.agree(a, b, "C fits the product"); })) {
    n.fail(Code::OperandShape, "C or the scales do not fit the product");
    return {};
  }
  if (!n.input(7) || n.failed())
    return {y};
  return {quantized(n, y, n.input(7), n.input(8), n.elementOf(n.input(8) ? n.input(8) : n.input(0)))};
}

/// x times integers (input, features) with scale and zero point, x being quantised on the way, as a whole or by rows.
Value dynamicProduct(NodeContext &n, Value x, ArrayRef<Value> weight, bool rows) {
  Quantized a = dynamicallyQuantized(n, x, rows);
  Value product = integerProduct(n, a.y, a.zero, weight[0], weight[2]);
  if (n.failed())
    return {};
  return n.make("mul", {n.cast(product, n.builder().getF32Type()), n.make("mul", {a.scale, weight[1]})});
}

/// LSTM with integer weights (directions, input, 4 hidden); inputs and states are quantised as they come.
Results importDynamicQuantizeLstm(NodeContext &n) {
  if (!expectInputs(n, {8, 9, 10, 11}) || !n.expectRank(0, 3, 3) || !n.expectRank(1, 3, 3) || !n.expectRank(2, 3, 3))
    return {};
  int64_t hidden = n.shapeOf(n.input(2))[1];
  auto layer = readRecurrentLayer(n, 4, hidden, {"Sigmoid", "Tanh", "Tanh"});
  if (!layer)
    return {};
  Sizes w{layer->directions, n.sizesOf(layer->x)[2], 4 * hidden}, r{layer->directions, hidden, 4 * hidden};
  if (!expectShape(n, 1, "the weight W", w) || !expectShape(n, 2, "the weight R", r))
    return {};
  // Scales and zero points: one per direction, or one per direction and column.
  auto weightOf = [&](size_t number, size_t parameters, int64_t direction) -> ValueList {
    ValueList made{entryOf(n, n.input(number), direction)};
    for (size_t parameter : {parameters, parameters + 1}) {
      if (n.failed() || n.rankOf(n.input(parameter)) < 1 || n.shapeOf(n.input(parameter))[0] != layer->directions) {
        if (!n.failed())
          n.fail(Code::OperandShape, "input " + Twine(parameter) + " does not have one entry for each direction");
        return {};
      }
      made.push_back(entryOf(n, n.input(parameter), direction));
    }
    return made;
  };
  auto inputs = [&](int64_t direction) -> DirectionInputs {
    ValueList weight = weightOf(1, 8, direction), recurrent = weightOf(2, 10, direction);
    if (n.failed())
      return {};
    Value y = dynamicProduct(n, layer->x, weight, /*rows=*/false);
    if (Value bias = entryOf(n, n.input(3), direction)) {
      Value both = n.make("add", {partOf(n, bias, 0, 0, 4 * hidden), partOf(n, bias, 0, 4 * hidden, 4 * hidden)});
      y = n.make("add", {y, both});
    }
    return {y, recurrent};
  };
  // ONNX Runtime quantises the states of as many batch entries together as one thread works on; by itself, each entry
  // does not depend on the others.
  return runLstm(n, *layer, inputs, [&](const CellStep &step) {
    return dynamicProduct(n, step.h, step.shared.take_front(3), /*rows=*/true);
  });
}

Results importQuantize(NodeContext &n) { return findCode("", "QuantizeLinear")->import(n); }
Results importDequantize(NodeContext &n) { return findCode("", "DequantizeLinear")->import(n); }

constexpr OpCode codes[] = {
    {"DequantizeLinear", 2, 3, 1, importDequantize},
    {"DynamicQuantizeLSTM", 3, 12, 3, importDynamicQuantizeLstm},
    {"QGemm", 1, 9, 1, importQGemm},
    {"QLinearAdd", 1, 8, 1, importAdd},
    {"QLinearAveragePool", 1, 5, 1, importAveragePool},
    {"QLinearConcat", 2, OpCode::any, 1, importConcat},
    {"QLinearGlobalAveragePool", 1, 5, 1, importGlobalAveragePool},
    {"QLinearLeakyRelu", 1, 5, 1, importLeakyRelu},
    {"QLinearMul", 1, 8, 1, importMul},
    {"QLinearSigmoid", 1, 5, 1, importSigmoid},
    {"QLinearSoftmax", 1, 5, 1, importSoftmax},
    {"QuantizeLinear", 2, 3, 1, importQuantize},
};

} // namespace

ArrayRef<OpCode> microsoftQuantizeOps() { return codes; }

} // namespace kumiko::onnx
