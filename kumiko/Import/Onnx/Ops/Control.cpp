//===- Control.cpp - If, Loop, Scan -----------------------------------------------===//
//
// In interpretation conditions and trip counts are numbers: the taken branch, or turn after turn, is written out. So
// are a known branch and a few turns when compiling; everything else becomes nn.if, nn.scan or nn.loop.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Import/Onnx/Ops/Nested.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// A tensor of one element as a number; empty after a failure.
std::optional<int64_t> single(NodeContext &n, std::optional<Tensor> tensor, StringRef role) {
  if (!tensor)
    return std::nullopt;
  if (tensor->count() != 1 || isFloat(tensor->element())) {
    n.fail(Code::OperandShape,
           role + " is " + kumiko::describe(tensor->element(), tensor->shape()) + ", expected one integer or bool");
    return std::nullopt;
  }
  return integerAt(*tensor, 0);
}

/// Turns that are written out rather than made a loop: slices and stacks of so few cost less than calls.
constexpr int64_t mostWrittenOut = 4;

Results importIf(NodeContext &n) {
  const Graph *yes = n.graph("then_branch"), *no = n.graph("else_branch");
  if (n.failed())
    return {};
  std::optional<int64_t> condition;
  if (!n.interprets() && !GraphImporter::knownValue(n, n.input(0))) {
    condition = knownCondition(n);
    if (!condition)
      return makeIf(n, *yes, *no);
  } else {
    condition = single(n, n.constant(0, "the condition"), "the condition");
  }
  if (n.failed())
    return {};
  std::optional<Results> results = n.run(*condition ? *yes : *no, {});
  if (results && results->size() < n.outputCount())
    n.fail(Code::Arity, "the branch has " + Twine(results->size()) + " outputs, the node " + Twine(n.outputCount()));
  return n.failed() ? Results() : *results;
}

/// The type of one part of a scan output that never got a part. What the body leaves open is 0: there is nothing in it.
RankedTensorType declaredType(NodeContext &n, const ValueInfo &output) {
  std::optional<ElementType> element = elementTypeOf(output.type.element);
  if (output.type.kind != Type::Kind::Tensor || !element || !output.type.hasShape) {
    n.fail(Code::BadType, "no turn of the loop takes place, and the body does not declare the type of its output \"" +
                              printable(output.name) + "\"");
    return {};
  }
  Ints shape;
  for (const Dimension &dim : output.type.shape)
    shape.push_back(std::max<int64_t>(dim.value.value_or(0), 0));
  return n.typeOf(shape, nn::fromEquation(n.context(), *element));
}

/// What the turns of a loop leave behind: the last values that are carried, and lists of the others.
struct Turns {
  NodeContext &n;
  const Graph &body;
  SmallVector<Value, 4> carried;
  std::vector<SmallVector<Value, 8>> collected;

  /// `own` outputs of the body come first and belong to the caller.
  Turns(NodeContext &n, const Graph &body, ArrayRef<Value> initial, size_t own) : n(n), body(body), carried(initial) {
    if (body.outputs.size() < own + carried.size())
      n.fail(Code::Arity, "the body has " + Twine(body.outputs.size()) + " outputs, expected at least " +
                              Twine(own + carried.size()))
          .helped("one for each value that is carried from turn to turn");
    else
      collected.resize(body.outputs.size() - own - carried.size());
  }

  /// One turn; its first `own` outputs, empty after a failure.
  std::optional<Results> take(ArrayRef<Value> arguments, size_t own) {
    if (!n.anotherTurn(body))
      return std::nullopt;
    std::optional<Results> outputs = n.run(body, arguments);
    if (!outputs)
      return std::nullopt;
    for (auto [state, next] : zip(carried, ArrayRef(*outputs).drop_front(own))) {
      n.discard(state);
      state = next;
    }
    for (auto [list, part] : zip(collected, ArrayRef(*outputs).drop_front(own + carried.size()))) {
      if (!isa<RankedTensorType>(part.getType())) {
        n.fail(Code::OperandType, "only tensors can be collected over the turns of a loop");
        return std::nullopt;
      }
      list.push_back(part);
    }
    outputs->truncate(own);
    return outputs;
  }

  /// The collected parts as tensors with the turns along a new first axis.
  SmallVector<Value, 4> stacked(size_t own) {
    SmallVector<Value, 4> results;
    for (auto [number, list] : enumerate(collected)) {
      RankedTensorType type;
      if (list.empty() && !n.failed())
        type = declaredType(n, body.outputs[own + carried.size() + number]);
      results.push_back(n.failed() ? Value() : n.stack(list, type));
      for (Value part : list)
        n.discard(part);
    }
    return results;
  }
};

/// The number of the turn or the condition for the body: a scalar, or a list of one where the body declares so.
Value asDeclared(NodeContext &n, int64_t value, mlir::Type element, const ValueInfo &input) {
  Ints shape(input.type.hasShape && input.type.shape.size() == 1 ? 1 : 0, 1);
  if (!n.interprets())
    return n.filled(IntegerAttr::get(element, value), element, shape);
  // An attribute would stay for as long as the context does.
  Tensor tensor = cantFail(Tensor::zeros(nn::toEquation(element), shape));
  std::memcpy(tensor.mutableData(), &value, tensor.bytes().size());
  return n.valueOf(Datum::of(SharedTensor::own(std::move(tensor))));
}

/// Whether the trip count follows from constants and shapes.
bool isKnownCount(NodeContext &n) {
  if (GraphImporter::knownValue(n, n.input(0)))
    return true;
  eq::KnownElements known = GraphImporter::knownNumbers(n, n.input(0));
  return known.size() == 1 && known[0] && known[0]->denominator == 1;
}

/// How many turns a Loop takes at most; below 0 is none. Empty after a failure.
std::optional<Extent> tripCount(NodeContext &n) {
  std::optional<Sizes> list = n.sizes(0, "the trip count", [](size_t) {
    DataBounds bounds;
    bounds.clamp = true;
    return bounds;
  });
  if (list && list->size() != 1)
    n.fail(Code::OperandShape, "the trip count is " + describe(n.input(0).getType()) + ", expected one integer");
  return n.failed() || !list ? std::nullopt : std::optional(max(0, list->front()));
}

/// Loop when compiling, unless its turns are few; nothing when they have to be written out.
std::optional<Results> importAsLoop(NodeContext &n, const Graph &body, ArrayRef<Value> initial, ProblemList &why) {
  auto isTensor = [](Value value) { return value && isa<RankedTensorType>(value.getType()); };
  bool countKnown = !n.input(0) || GraphImporter::knownValue(n, n.input(0));
  bool conditionKnown = !n.input(1) || GraphImporter::knownValue(n, n.input(1));
  if (n.interprets() || !all_of(initial, isTensor))
    return std::nullopt;
  LoopHead head{conditionKnown ? Value() : n.input(1), Value(), std::nullopt};
  bool collects = body.outputs.size() > 1 + initial.size();
  // A symbol for what is collected; without that a comparison in each turn does.
  if (n.input(0) && (collects || isKnownCount(n)))
    head.most = tripCount(n);
  else
    head.count = n.input(0);
  if (conditionKnown && single(n, n.constant(1, "the condition"), "the condition") == 0)
    return std::nullopt;
  if (n.failed() || (conditionKnown && head.most && head.most->isStatic() && head.most->value() <= mostWrittenOut))
    return std::nullopt;
  Results results;
  if (!countKnown || !conditionKnown) // there is no other way
    return makeLoop(n, body, head, initial);
  if (GraphImporter::attempt(n, [&] { results = makeLoop(n, body, head, initial); }, &why))
    return results;
  return std::nullopt;
}

/// Turn after turn.
Results writeOut(NodeContext &n, const Graph &body, ArrayRef<Value> initial) {
  std::optional<int64_t> most = single(n, n.constant(0, "the trip count"), "the trip count");
  std::optional<int64_t> condition = single(n, n.constant(1, "the condition"), "the condition");
  if (n.failed())
    return {};
  Turns turns(n, body, initial, /*own=*/1);
  bool more = condition.value_or(1) != 0;
  for (int64_t turn = 0; more && (!most || turn < *most) && !n.failed(); ++turn) {
    SmallVector<Value, 4> arguments{asDeclared(n, turn, n.builder().getI64Type(), body.inputs[0]),
                                    asDeclared(n, 1, n.builder().getI1Type(), body.inputs[1])};
    append_range(arguments, turns.carried);
    std::optional<Results> next = turns.take(arguments, 1);
    if (!next)
      break;
    more = single(n, n.constantOf(next->front(), "the condition of the next turn"), "the condition").value_or(0) != 0;
    for (Value value : {next->front(), arguments[0], arguments[1]})
      n.discard(value);
  }
  Results results(turns.carried.begin(), turns.carried.end());
  append_range(results, turns.stacked(1));
  return n.failed() ? Results() : results;
}

Results importLoop(NodeContext &n) {
  const Graph *body = n.graph("body");
  if (n.failed())
    return {};
  ArrayRef<Value> initial = n.inputs().drop_front(std::min<size_t>(2, n.inputCount()));
  if (body->inputs.size() != initial.size() + 2) {
    n.fail(Code::Arity, "the body has " + Twine(body->inputs.size()) + " inputs, expected " + Twine(initial.size() + 2))
        .helped("the number of the turn, the condition, and one for each value that is carried");
    return {};
  }
  ProblemList why;
  if (std::optional<Results> results = importAsLoop(n, *body, initial, why))
    return *results;
  Results results;
  if (!why.hasErrors())
    return writeOut(n, *body, initial);
  if (GraphImporter::attempt(n, [&] { results = writeOut(n, *body, initial); }))
    return results;
  for (const Problem &problem : why.all())
    GraphImporter::tell(n, problem);
  return {};
}

/// One number per scanned input or output from an attribute; `otherwise` without it.
Ints perValue(NodeContext &n, StringRef attribute, size_t count, int64_t otherwise) {
  Ints list = n.integers(attribute).value_or(Ints(count, otherwise));
  if (list.size() != count && !n.failed())
    n.fail(Code::AttributeValue,
           "\"" + attribute + "\" has " + Twine(list.size()) + " numbers, expected " + Twine(count));
  return list;
}

/// `x` with axis `from` moved to `to`, the others in order.
Value moveAxis(NodeContext &n, Value x, int64_t from, int64_t to) {
  if (n.failed())
    return {};
  Ints order = counting(0, n.rankOf(x));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return n.transpose(x, order);
}

/// The turns in the opposite order.
Value reversed(NodeContext &n, Value x) {
  if (n.failed())
    return x;
  Sizes sizes = n.sizesOf(x), start(sizes.size(), 0);
  if (sizes[0].is(0) || sizes[0].is(1))
    return x;
  Ints step(sizes.size(), 1);
  start[0] = sizes[0] - 1;
  step[0] = -1;
  return n.make("slice", {x}, {n.is("start", start), n.is("step", step), n.is("out", sizes)});
}

/// The first `length` turns, or, backwards, the ones before `length` from the last to the first.
Value firstOf(NodeContext &n, Value x, const Extent &length, bool backwards) {
  if (!n.failed() && n.sizesOf(x)[0] != length) {
    Ints start(n.rankOf(x), 0), step(n.rankOf(x), 1);
    Sizes out = n.sizesOf(x);
    out[0] = length;
    x = n.make("slice", {x}, {n.is("start", start), n.is("step", step), n.is("out", out)});
  }
  return backwards ? reversed(n, x) : x;
}

/// The scan of one sequence: `inputs` have the turns along axis 0; `length` turns are taken.
SmallVector<Value, 4> scanOne(NodeContext &n, const Graph &body, ArrayRef<Value> states, ArrayRef<Value> inputs,
                              ArrayRef<int64_t> backwards, const Extent &turnCount) {
  bool many = !turnCount.isStatic() || turnCount.value() > mostWrittenOut;
  if (!n.interprets() && many && !n.failed()) {
    SmallVector<Value, 4> sequences;
    for (auto [input, back] : zip_equal(inputs, backwards))
      sequences.push_back(firstOf(n, input, turnCount, back));
    Results results;
    auto import = [&] { results = makeScan(n, body, states, sequences); };
    if (!turnCount.isStatic()) // there is no other way
      import();
    if (!turnCount.isStatic() || GraphImporter::attempt(n, import))
      return SmallVector<Value, 4>(results.begin(), results.end());
  }
  int64_t length = turnCount.isStatic() ? turnCount.value() : 0;
  Turns turns(n, body, states, /*own=*/0);
  for (int64_t turn = 0; turn < length && !n.failed(); ++turn) {
    SmallVector<Value, 4> arguments(turns.carried), parts;
    for (auto [input, back] : zip_equal(inputs, backwards))
      parts.push_back(n.part(input, back ? length - 1 - turn : turn));
    append_range(arguments, parts);
    if (n.failed() || !turns.take(arguments, 0))
      break;
    for (Value part : parts)
      n.discard(part);
  }
  SmallVector<Value, 4> results(turns.carried);
  append_range(results, turns.stacked(0));
  return results;
}

/// All extents of `inputs` along axis `axis` as one.
std::optional<Extent> commonLength(NodeContext &n, ArrayRef<Value> inputs, int64_t axis) {
  std::optional<Extent> length;
  for (Value input : inputs) {
    if (n.rankOf(input) <= axis) {
      n.fail(Code::OperandRank, "an input to scan has rank " + Twine(n.rankOf(input)));
      return std::nullopt;
    }
    Extent size = n.sizesOf(input)[axis];
    if (length && !n.agree(*length, size, "inputs to scan have as many turns")) {
      n.fail(Code::OperandShape, "inputs to scan have " + length->str() + " and " + size.str() + " turns");
      return std::nullopt;
    }
    if (!length || size.isStatic())
      length = size;
  }
  return length;
}

Results importScan9(NodeContext &n, const Graph &body, size_t scanned) {
  ArrayRef<Value> states = n.inputs().drop_back(scanned);
  size_t outputs = body.outputs.size() < states.size() ? 0 : body.outputs.size() - states.size();
  Ints axes = perValue(n, "scan_input_axes", scanned, 0), directions = perValue(n, "scan_input_directions", scanned, 0);
  Ints outputAxes = perValue(n, "scan_output_axes", outputs, 0);
  Ints outputDirections = perValue(n, "scan_output_directions", outputs, 0);
  SmallVector<Value, 4> inputs;
  for (size_t i = 0; i < scanned && !n.failed(); ++i) {
    Value x = n.input(states.size() + i);
    int64_t axis = n.axis(axes[i], n.rankOf(x));
    inputs.push_back(moveAxis(n, x, axis, 0));
  }
  std::optional<Extent> length = n.failed() ? std::nullopt : commonLength(n, inputs, 0);
  if (!length)
    return {};
  // Slices of a value that is computed once.
  for (Value &input : inputs) {
    Sizes sizes = n.sizesOf(input);
    sizes[0] = *length;
    input = n.known(n.reshape(input, sizes));
  }
  SmallVector<Value, 4> results =
      n.failed() ? SmallVector<Value, 4>() : scanOne(n, body, states, inputs, directions, *length);
  for (size_t i = 0; i < outputs && !n.failed(); ++i) {
    Value &result = results[states.size() + i];
    if (outputDirections[i])
      result = reversed(n, result);
    int64_t axis = n.failed() ? 0 : n.axis(outputAxes[i], n.rankOf(result));
    result = moveAxis(n, result, 0, axis);
  }
  return n.failed() ? Results() : Results(results.begin(), results.end());
}

/// A batch whose number of sequences, or their length, is open: one sequence after the other, all of the same length.
Results scanOpenBatch(NodeContext &n, const Graph &body, ArrayRef<Value> states, ArrayRef<Value> inputs,
                      ArrayRef<int64_t> directions, const Extent &batch, const Extent &turns) {
  if (n.input(0)) {
    n.fail(Code::UnsupportedForm,
           "sequence_lens is given, but how many sequences there are, or how long they are, is open")
        .helped("give the dimensions numbers with --dim, or export for a later operator set");
    return {};
  }
  SmallVector<Value, 8> all(states);
  append_range(all, inputs);
  for (auto [number, value] : enumerate(all)) {
    Sizes sizes = n.sizesOf(value);
    sizes[0] = batch;
    if (number >= states.size())
      sizes[1] = turns;
    value = n.reshape(value, sizes);
  }
  if (n.failed())
    return {};
  return makeForEach(n, all, [&](ArrayRef<Value> slices) {
    return scanOne(n, body, slices.take_front(states.size()), slices.drop_front(states.size()), directions, turns);
  });
}

/// Before opset 9: a batch in axis 0, turns in axis 1, each sequence with a length of its own.
Results importScan8(NodeContext &n, const Graph &body, size_t scanned) {
  ArrayRef<Value> states = n.inputs().drop_front().drop_back(scanned), inputs = n.inputs().take_back(scanned);
  Ints directions = perValue(n, "directions", scanned, 0);
  std::optional<Ints> lengths = n.constantIntegers(0, "sequence_lens");
  std::optional<Extent> turnCount = n.failed() ? std::nullopt : commonLength(n, inputs, 1);
  SmallVector<Value, 8> all(states);
  append_range(all, inputs);
  std::optional<Extent> rowCount = n.failed() ? std::nullopt : commonLength(n, all, 0);
  if (!turnCount || !rowCount)
    return {};
  if (!turnCount->isStatic() || !rowCount->isStatic())
    return scanOpenBatch(n, body, states, inputs, directions, *rowCount, *turnCount);
  std::optional<int64_t> longest = turnCount->value(), batch = rowCount->value();
  Ints turns = lengths.value_or(Ints(*batch, *longest));
  if (int64_t(turns.size()) != *batch || any_of(turns, [&](int64_t t) { return t < 0 || t > *longest; })) {
    n.fail(Code::OperandValue, "sequence_lens must have one number from 0 to " + Twine(*longest) + " for each of " +
                                   Twine(*batch) + " sequences");
    return {};
  }
  std::vector<SmallVector<Value, 4>> rows; // by output, then by sequence
  for (int64_t b = 0; b < *batch && !n.failed(); ++b) {
    SmallVector<Value, 4> state, input;
    for (Value value : states)
      state.push_back(n.part(value, b));
    for (Value value : inputs)
      input.push_back(n.part(value, b));
    SmallVector<Value, 4> results = scanOne(n, body, state, input, directions, turns[b]);
    rows.resize(results.size());
    for (auto [number, value] : enumerate(results)) {
      if (n.failed())
        return {};
      if (number >= states.size() && turns[b] < *longest) { // what no turn gave is 0
        Ints low(n.rankOf(value), 0), high = low;
        high[0] = *longest - turns[b];
        value = n.known(n.make("pad", {value}, {n.is("lo", low), n.is("hi", high)}));
      }
      rows[number].push_back(value);
    }
  }
  Results results;
  for (ArrayRef<Value> row : rows)
    results.push_back(n.failed() ? Value() : n.stack(row, {}));
  return n.failed() ? Results() : results;
}

Results importScan(NodeContext &n) {
  const Graph *body = n.graph("body");
  int64_t scanned = n.requiredInteger("num_scan_inputs");
  if (n.failed())
    return {};
  int64_t inputs = int64_t(n.inputCount()) - (n.opset < 9 ? 1 : 0);
  if (scanned < 1 || scanned > inputs) {
    n.fail(Code::AttributeValue,
           "num_scan_inputs is " + Twine(scanned) + ", the node has " + Twine(inputs) + " inputs");
    return {};
  }
  for (auto [number, value] : enumerate(n.inputs()))
    if (!value && (n.opset >= 9 || number > 0)) {
      n.fail(Code::Arity, "input " + Twine(number) + " is left out but required");
      return {};
    }
  return n.opset < 9 ? importScan8(n, *body, scanned) : importScan9(n, *body, scanned);
}

constexpr OpCode codes[] = {
    {"If", 1, 1, OpCode::any, importIf},
    {"Loop", 0, OpCode::any, OpCode::any, importLoop, /*takesLists=*/true},
    {"Scan", 0, OpCode::any, OpCode::any, importScan},
};

} // namespace

ArrayRef<OpCode> controlOps() { return codes; }

} // namespace kumiko::onnx
