//===- Recurrent.cpp - RNN, GRU, LSTM ------------------------------------------===//
#include "kumiko/Import/Onnx/Ops/RecurrentLayer.h"
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// A layer with the weights W (directions, gates * hidden, input) and R (directions, gates * hidden, hidden).
struct Layer : RecurrentLayer {
  Value w, r;
};

std::optional<Layer> readLayer(NodeContext &n, int64_t gates, ArrayRef<StringLiteral> defaults) {
  if (!n.expectRank(0, 3, 3) || !n.expectRank(1, 3, 3) || !n.expectRank(2, 3, 3))
    return std::nullopt;
  std::optional<RecurrentLayer> read = readRecurrentLayer(n, gates, n.sizesOf(n.input(2))[2], defaults);
  if (!read)
    return std::nullopt;
  Layer layer{*read, {}, {}};
  Extent columns = gates * layer.hidden;
  layer.w = inputOf(n, 1, "the weight W", {layer.directions, columns, n.sizesOf(layer.x)[2]});
  layer.r = inputOf(n, 2, "the weight R", {layer.directions, columns, layer.hidden});
  return n.failed() ? std::nullopt : std::optional(layer);
}

/// A weight of one direction, turned so that it multiplies from the right.
Value weight(NodeContext &n, Value all, int64_t direction) {
  Value w = entryOf(n, all, direction);
  return w ? n.transpose(w, {1, 0}) : w;
}

/// x W + Wb over the whole sequence, and as much of Rb as belongs to the first gates.
Value project(NodeContext &n, const Layer &layer, int64_t direction, int64_t recurrentGates) {
  Value y = n.make("matmul", {layer.x, weight(n, layer.w, direction)});
  Value bias = entryOf(n, layer.bias, direction);
  if (!bias || n.failed())
    return y;
  Extent size = layer.gates * layer.hidden;
  Value sum = partOf(n, bias, 0, 0, size), second = partOf(n, bias, 0, size, recurrentGates * layer.hidden);
  if (recurrentGates < layer.gates && !n.failed())
    second = n.make("pad", {second, Value()},
                    {n.is("lo", Ints{0}), n.is("hi", Sizes{(layer.gates - recurrentGates) * layer.hidden})});
  return n.make("add", {y, n.make("add", {sum, second})});
}

/// h = f(x W + h R + b)
Results importRnn(NodeContext &n) {
  std::optional<Layer> layer = readLayer(n, 1, {"Tanh"});
  if (!layer)
    return {};
  auto inputs = [&](int64_t direction) -> DirectionInputs {
    return {project(n, *layer, direction, 1), {weight(n, layer->r, direction)}};
  };
  auto cell = [&](const CellStep &step) -> ValueList {
    Value sum = n.make("add", {step.x, n.make("matmul", {step.h, step.shared[0]})});
    return {clipAndApply(n, *layer, step.functions[0], sum)};
  };
  return runRecurrentLayer(n, *layer, /*hasCell=*/false, inputs, cell);
}

/// Gates z (update) and r (reset), then the hidden part; h = (1 - z) part + z h.
Results importGru(NodeContext &n) {
  bool linearFirst = n.flag("linear_before_reset"), biased = bool(n.input(3));
  std::optional<Layer> layer = readLayer(n, 3, {"Sigmoid", "Tanh"});
  if (!layer)
    return {};
  Extent hidden = layer->hidden;
  // r scales h R + Rb when the linear part comes first; that bias cannot be added beforehand.
  auto inputs = [&](int64_t direction) -> DirectionInputs {
    Value r = weight(n, layer->r, direction);
    ValueList shared{r};
    if (!linearFirst)
      shared = {partOf(n, r, 1, 0, 2 * hidden), partOf(n, r, 1, 2 * hidden, hidden)};
    if (linearFirst && biased)
      shared.push_back(partOf(n, entryOf(n, layer->bias, direction), 0, 5 * hidden, hidden));
    return {project(n, *layer, direction, linearFirst ? 2 : 3), shared};
  };
  auto cell = [&](const CellStep &step) -> ValueList {
    auto part = [&](Value all, int64_t gate) { return partOf(n, all, 1, gate * hidden, hidden); };
    auto gateOf = [&](Value x, Value ofH) {
      return clipAndApply(n, *layer, step.functions[0], n.make("add", {x, ofH}));
    };
    // One product for both gates, or all three, each of which is then read at the same place.
    Value ofH = n.make("matmul", {step.h, step.shared[0]}), recurrent;
    Value z = gateOf(part(step.x, 0), part(ofH, 0)), r = gateOf(part(step.x, 1), part(ofH, 1));
    if (linearFirst) {
      recurrent = part(ofH, 2);
      if (biased)
        recurrent = n.make("add", {recurrent, step.shared[1]});
      recurrent = n.make("mul", {r, recurrent});
    } else {
      recurrent = n.make("matmul", {n.make("mul", {r, step.h}), step.shared[1]});
    }
    Value hiddenPart = clipAndApply(n, *layer, step.functions[1], n.make("add", {part(step.x, 2), recurrent}));
    if (n.failed())
      return {};
    Value fresh = n.make("mul", {n.make("sub", {n.scalar(1, z), z}), hiddenPart});
    return {n.make("add", {fresh, n.make("mul", {z, step.h})})};
  };
  return runRecurrentLayer(n, *layer, /*hasCell=*/false, inputs, cell);
}

Results importLstm(NodeContext &n) {
  std::optional<Layer> layer = readLayer(n, 4, {"Sigmoid", "Tanh", "Tanh"});
  if (!layer)
    return {};
  auto inputs = [&](int64_t direction) -> DirectionInputs {
    return {project(n, *layer, direction, 4), {weight(n, layer->r, direction)}};
  };
  return runLstm(n, *layer, inputs, [&](const CellStep &step) { return n.make("matmul", {step.h, step.shared[0]}); });
}

constexpr OpCode codes[] = {
    {"GRU", 3, 6, 2, importGru},
    {"LSTM", 3, 8, 3, importLstm},
    {"RNN", 3, 6, 2, importRnn},
};

} // namespace

/// Gates i (input), o (output), f (forget) and the cell's input g: c = f c + i g, h = o func(c). With peepholes i and
/// f see the old c, o the new one.
Results runLstm(NodeContext &n, const RecurrentLayer &layer, llvm::function_ref<DirectionInputs(int64_t)> inputs,
                llvm::function_ref<Value(const CellStep &)> recurrent) {
  bool coupled = n.flag("input_forget"), peeps = bool(n.input(7));
  Extent hidden = layer.hidden;
  Value peepholes = inputOf(n, 7, "the peepholes P", {layer.directions, 3 * hidden});
  if (n.failed())
    return {};
  auto withPeepholes = [&](int64_t direction) {
    DirectionInputs made = inputs(direction);
    if (peeps)
      made.shared.push_back(entryOf(n, peepholes, direction));
    return made;
  };
  auto cell = [&](const CellStep &step) -> ValueList {
    Value sums = n.make("add", {step.x, recurrent(step)});
    auto gate = [&](int64_t number, Value seen, int64_t peephole) {
      Value sum = partOf(n, sums, 1, number * hidden, hidden);
      if (peeps && seen)
        sum = n.make("add", {sum, n.make("mul", {partOf(n, step.shared.back(), 0, peephole * hidden, hidden), seen})});
      return sum;
    };
    auto function = [&](int64_t number, Value x) { return clipAndApply(n, layer, step.functions[number], x); };
    Value i = function(0, gate(0, step.c, 0));
    if (n.failed())
      return {};
    Value f = coupled ? n.make("sub", {n.scalar(1, i), i}) : function(0, gate(2, step.c, 2));
    Value g = function(1, gate(3, Value(), 0));
    Value c = n.make("add", {n.make("mul", {f, step.c}), n.make("mul", {i, g})});
    Value o = function(0, gate(1, c, 1));
    // Only sums at gates are clipped, as ONNX Runtime does it; the standard's words would allow c here, too.
    return {n.make("mul", {o, applyFunction(n, step.functions[2], c)}), c};
  };
  return runRecurrentLayer(n, layer, /*hasCell=*/true, withPeepholes, cell);
}

ArrayRef<OpCode> recurrentOps() { return codes; }

} // namespace kumiko::onnx
