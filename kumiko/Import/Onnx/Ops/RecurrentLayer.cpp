#include "kumiko/Import/Onnx/Ops/RecurrentLayer.h"
#include "kumiko/Nn/Types.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// Products of it with the number of gates do not overflow; a tensor without elements may claim any extent.
static constexpr int64_t mostHidden = int64_t(1) << 40;

Value partOf(NodeContext &n, Value x, int64_t axis, const Extent &start, const Extent &size) {
  if (n.failed())
    return {};
  Sizes from(n.rankOf(x), 0), out = n.sizesOf(x);
  Ints step(n.rankOf(x), 1);
  from[axis] = start;
  out[axis] = size;
  return n.make("slice", {x}, {n.is("start", from), n.is("step", step), n.is("out", out)});
}

Value entryOf(NodeContext &n, Value x, int64_t number) {
  if (!x || n.failed())
    return {};
  Sizes shape = n.sizesOf(x);
  shape.erase(shape.begin());
  Value part = partOf(n, x, 0, number, 1);
  return part ? n.reshape(part, shape) : part;
}

//===----------------------------------------------------------------------===//
// Functions of the cell
//===----------------------------------------------------------------------===//

namespace {

/// Which numbers a function takes, and what they are without an attribute.
struct FunctionForm {
  StringLiteral name;
  std::optional<double> alpha, beta;
};
constexpr FunctionForm forms[] = {
    {"affine", 1.0, 0.0},
    {"elu", 1.0, std::nullopt},
    {"hardsigmoid", 0.2f, 0.5},
    {"leakyrelu", 0.01f, std::nullopt},
    {"relu", std::nullopt, std::nullopt},
    {"scaledtanh", 1.0, 1.0},
    {"sigmoid", std::nullopt, std::nullopt},
    {"softplus", std::nullopt, std::nullopt},
    {"softsign", std::nullopt, std::nullopt},
    {"tanh", std::nullopt, std::nullopt},
    {"thresholdedrelu", 1.0, std::nullopt},
};

/// Numbers in activation_alpha and activation_beta belong to the functions that take one, in their order.
void readFunctions(NodeContext &n, RecurrentLayer &layer, ArrayRef<StringLiteral> defaults) {
  std::optional<ArrayRef<StringRef>> names = n.texts("activations");
  ArrayRef<float> alphas = n.reals("activation_alpha").value_or(ArrayRef<float>());
  ArrayRef<float> betas = n.reals("activation_beta").value_or(ArrayRef<float>());
  size_t count = defaults.size() * layer.directions;
  if (n.failed())
    return;
  if (names && names->size() != count) {
    n.fail(Code::AttributeValue, Twine(names->size()) + " activations are given, expected " + Twine(count))
        .helped(Twine(defaults.size()) + " for each direction");
    return;
  }
  auto take = [](ArrayRef<float> &list, std::optional<double> otherwise) {
    if (!otherwise || list.empty())
      return otherwise.value_or(0);
    double value = list.front();
    list = list.drop_front();
    return value;
  };
  for (size_t i = 0; i < count; ++i) {
    CellFunction function;
    function.name = (names ? (*names)[i] : StringRef(defaults[i % defaults.size()])).lower();
    const auto *form = find_if(forms, [&](const FunctionForm &form) { return form.name == function.name; });
    if (form == std::end(forms)) {
      n.fail(Code::AttributeValue, "\"" + (*names)[i].take_front(64) + "\" is no activation of a recurrent layer")
          .helped("Relu, Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign or "
                  "Softplus");
      return;
    }
    function.alpha = take(alphas, form->alpha);
    function.beta = take(betas, form->beta);
    layer.functions.push_back(std::move(function));
  }
}

} // namespace

Value applyFunction(NodeContext &n, const CellFunction &function, Value x) {
  if (n.failed())
    return {};
  StringRef name = function.name;
  auto number = [&](double value) { return n.scalar(value, x); };
  auto affine = [&] { return n.make("add", {n.make("mul", {x, number(function.alpha)}), number(function.beta)}); };
  if (name == "affine")
    return affine();
  if (name == "hardsigmoid")
    return n.make("min", {n.make("max", {affine(), number(0)}), number(1)});
  if (name == "elu")
    return n.make("elu", {x}, {n.is("alpha", function.alpha)});
  if (name == "leakyrelu")
    return n.make("leaky_relu", {x}, {n.is("slope", function.alpha)});
  if (name == "scaledtanh")
    return n.make("mul", {number(function.alpha), n.make("tanh", {n.make("mul", {x, number(function.beta)})})});
  if (name == "softsign")
    return n.make("div", {x, n.make("add", {number(1), n.make("abs", {x})})});
  if (name == "thresholdedrelu")
    return n.make("select", {n.make("lt", {number(function.alpha), x}), x, number(0)});
  return n.make(name, {x}); // relu, sigmoid, softplus, tanh
}

Value clipAndApply(NodeContext &n, const RecurrentLayer &layer, const CellFunction &function, Value x) {
  if (!n.failed() && std::isfinite(layer.clip))
    x = n.make("min", {n.make("max", {x, n.scalar(-layer.clip, x)}), n.scalar(layer.clip, x)});
  return applyFunction(n, function, x);
}

//===----------------------------------------------------------------------===//
// The layer
//===----------------------------------------------------------------------===//

Value inputOf(NodeContext &n, size_t number, StringRef name, const SizeList &shape) {
  if (!expectShape(n, number, name, shape) || !n.input(number))
    return {};
  return n.reshape(n.input(number), shape);
}

std::optional<RecurrentLayer> readRecurrentLayer(NodeContext &n, int64_t gates, const Extent &hidden,
                                                 ArrayRef<StringLiteral> defaults) {
  StringRef direction = n.text("direction", "forward");
  std::optional<int64_t> declared = n.integer("hidden_size");
  double clip = n.real("clip", INFINITY);
  RecurrentLayer layer;
  layer.gates = gates;
  layer.hidden = hidden;
  layer.batchFirst = n.flag("layout");
  layer.clip = clip;
  n.ignore("output_sequence"); // opset 1: whether Y is wanted, which its name says
  if (!n.expectRank(0, 3, 3))
    return std::nullopt;
  if (!is_contained({"forward", "reverse", "bidirectional"}, direction)) {
    n.fail(Code::AttributeValue, "direction is \"" + direction.take_front(64) + "\"")
        .helped("forward, reverse or bidirectional");
    return std::nullopt;
  }
  if (hidden.isStatic() && hidden.value() > mostHidden) {
    n.fail(Code::TooLarge, "a hidden state of " + Twine(hidden.value()) + " numbers is too large");
    return std::nullopt;
  }
  if (declared && !n.agree(hidden, *declared, "the weights have the size that hidden_size says")) {
    if (!n.failed())
      n.fail(Code::AttributeValue, "hidden_size is " + Twine(*declared) + ", the weights have " + hidden.str());
    return std::nullopt;
  }
  if (declared)
    layer.hidden = *declared;
  if (!(clip >= 0)) {
    n.fail(Code::AttributeValue, "clip is negative or no number").helped("leave it out to clip nothing");
    return std::nullopt;
  }
  layer.backwards = direction == "reverse";
  layer.directions = direction == "bidirectional" ? 2 : 1;
  layer.x = layer.batchFirst ? n.transpose(n.input(0), {1, 0, 2}) : n.input(0);
  readFunctions(n, layer, defaults);
  if (n.failed())
    return std::nullopt;
  layer.steps = n.sizesOf(layer.x)[0];
  layer.batch = n.sizesOf(layer.x)[1];
  // A number, where one of the inputs has it.
  for (size_t number : {4, 5, 6})
    if (Value given = n.input(number); given && n.rankOf(given) == (number == 4 ? 1 : 3)) {
      Extent batch = n.sizesOf(given)[number == 4 || layer.batchFirst ? 0 : 1];
      if (batch.isStatic() && !layer.batch.isStatic() &&
          n.agree(layer.batch, batch, "the inputs have the same batch size"))
        layer.batch = batch;
    }
  layer.x = n.reshape(layer.x, {layer.steps, layer.batch, n.sizesOf(layer.x)[2]});
  Sizes state{layer.directions, layer.batch, layer.hidden};
  if (layer.batchFirst)
    std::swap(state[0], state[1]);
  layer.bias = inputOf(n, 3, "the bias B", {layer.directions, 2 * gates * layer.hidden});
  layer.lengths = inputOf(n, 4, "sequence_lens", {layer.batch});
  layer.firstH = inputOf(n, 5, "initial_h", state);
  layer.firstC = inputOf(n, 6, "initial_c", state);
  if (n.failed())
    return std::nullopt;
  if (layer.lengths && !isInteger(nn::toEquation(n.elementOf(layer.lengths)))) {
    n.fail(Code::OperandType, "sequence_lens must be integers");
    return std::nullopt;
  }
  return layer;
}

/// (steps, batch, 1): whether an entry of the batch still has input at this position. Null when all have.
static Value liveness(NodeContext &n, const RecurrentLayer &layer) {
  if (!layer.lengths || n.failed())
    return {};
  mlir::Type element = n.elementOf(layer.lengths);
  Value position = n.make("range", {n.scalar(0, element), n.scalar(1, element)}, {n.is("n", layer.steps)});
  if (n.failed())
    return {};
  return n.make("lt", {n.reshape(position, {layer.steps, 1, 1}), n.reshape(layer.lengths, {layer.batch, 1})});
}

/// The initial state of a direction: given, or zeros.
static Value initialState(NodeContext &n, const RecurrentLayer &layer, Value given, int64_t direction) {
  if (!given)
    return n.make("expand", {n.scalar(0, layer.x)}, {n.is("shape", Sizes{layer.batch, layer.hidden})});
  if (layer.batchFirst)
    given = n.transpose(given, {1, 0, 2});
  return entryOf(n, given, direction);
}

/// One direction: stacked outputs (steps, batch, hidden), then the last states.
static ValueList runDirection(NodeContext &n, const RecurrentLayer &layer, bool hasCell, int64_t direction, Value live,
                              const DirectionInputs &inputs, llvm::function_ref<ValueList(const CellStep &)> cell) {
  ScanOperands operands;
  operands.reverse = layer.backwards || direction == 1;
  operands.states = {initialState(n, layer, layer.firstH, direction)};
  if (hasCell)
    operands.states.push_back(initialState(n, layer, layer.firstC, direction));
  operands.sequences = {inputs.projected};
  if (live)
    operands.sequences.push_back(live);
  operands.shared = inputs.shared;
  size_t states = operands.states.size(), sequences = operands.sequences.size();
  Results results = makeScan(n, operands, [&](ArrayRef<Value> arguments) -> ValueList {
    CellStep step{arguments[states], arguments[0], hasCell ? arguments[1] : Value(),
                  arguments.drop_front(states + sequences), layer.functionsOf(direction)};
    ValueList next = cell(step);
    if (n.failed())
      return {};
    Value output = next.front();
    if (live) {
      Value alive = arguments[states + 1];
      output = n.make("select", {alive, output, n.scalar(0, output)});
      for (size_t i = 0; i < states; ++i)
        next[i] = n.make("select", {alive, next[i], arguments[i]});
    }
    next.push_back(output);
    return next;
  });
  if (n.failed())
    return {};
  ValueList ordered{results.back()};
  append_range(ordered, ArrayRef(results).drop_back());
  return ordered;
}

Results runRecurrentLayer(NodeContext &n, const RecurrentLayer &layer, bool hasCell,
                          llvm::function_ref<DirectionInputs(int64_t)> inputs,
                          llvm::function_ref<ValueList(const CellStep &)> cell) {
  Value live = liveness(n, layer);
  size_t count = hasCell ? 3 : 2;
  SmallVector<ValueList, 3> parts(count);
  for (int64_t direction = 0; direction < layer.directions; ++direction) {
    DirectionInputs made = inputs(direction);
    ValueList ends = n.failed() ? ValueList() : runDirection(n, layer, hasCell, direction, live, made, cell);
    if (n.failed())
      return {};
    for (auto [number, end] : enumerate(ends)) {
      // Y is (steps, directions, batch, hidden), the states (directions, batch, hidden).
      Sizes shape = n.sizesOf(end);
      shape.insert(shape.begin() + (number == 0 ? 1 : 0), 1);
      parts[number].push_back(n.reshape(end, shape));
    }
  }
  Results results;
  for (auto [number, list] : enumerate(parts)) {
    Value whole = list.size() == 1 ? list.front() : n.make("concat", list, {n.is("axis", number == 0 ? 1 : 0)});
    if (layer.batchFirst && !n.failed())
      whole = number == 0 ? n.transpose(whole, {2, 0, 1, 3}) : n.transpose(whole, {1, 0, 2});
    results.push_back(whole);
  }
  return results;
}

} // namespace kumiko::onnx
