//===- Sequence.cpp - sequences and optionals: lists of tensors -----------------------===//
//
// Only interpretation has them; compiled code does not.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

using Items = std::vector<Datum>;

/// Every op of this file begins so.
bool isPossible(NodeContext &n) {
  if (!n.interprets())
    n.fail(Code::UnsupportedType, "sequences and optionals are not compiled")
        .helped("`kumiko run --reference` can compute the model");
  return !n.failed();
}

/// The items of input `number`, which must be a sequence.
std::optional<Items> itemsOf(NodeContext &n, size_t number) {
  if (!isPossible(n))
    return std::nullopt;
  Datum datum = n.datum(number);
  if (datum.kind != Datum::Kind::Sequence) {
    n.fail(Code::OperandType, "input " + Twine(number) + " is no sequence");
    return std::nullopt;
  }
  return Items(datum.list());
}

/// A tensor in a sequence has the type of the others.
bool agree(NodeContext &n, ArrayRef<Datum> items) {
  for (const Datum &item : items)
    if (!item.isTensor() || item.declared != items.front().declared) {
      n.fail(Code::OperandType, "the tensors of a sequence must have one element type");
      return false;
    }
  return true;
}

Results sequence(NodeContext &n, Items items) {
  if (n.failed() || !agree(n, items))
    return {};
  return {n.valueOf(Datum::of(Datum::Kind::Sequence, std::move(items)))};
}

/// The position in input `number`, or `otherwise`; negative ones count from the end. Empty after a failure.
std::optional<int64_t> position(NodeContext &n, size_t number, int64_t length, int64_t highest, int64_t otherwise) {
  if (!n.input(number))
    return otherwise;
  std::optional<Ints> list = n.constantIntegers(number, "the position");
  if (!list)
    return std::nullopt;
  int64_t value = list->size() == 1 ? list->front() : highest + 1;
  if (value < -length || value > highest) {
    n.fail(Code::OperandValue, "the position is not inside a sequence of " + Twine(length));
    return std::nullopt;
  }
  return value < 0 ? value + length : value;
}

Results importSequenceEmpty(NodeContext &n) {
  n.ignore("dtype"); // an empty sequence looks the same whatever it does not hold
  return isPossible(n) ? sequence(n, {}) : Results();
}

Results importSequenceConstruct(NodeContext &n) {
  Items items;
  for (size_t i = 0; isPossible(n) && i < n.inputCount(); ++i) {
    if (!n.input(i))
      n.fail(Code::Arity, "input " + Twine(i) + " is left out but required");
    else
      items.push_back(n.datum(i));
  }
  return sequence(n, std::move(items));
}

Results importSequenceAt(NodeContext &n) {
  std::optional<Items> items = itemsOf(n, 0);
  int64_t length = items ? items->size() : 0;
  std::optional<int64_t> at = items ? position(n, 1, length, length - 1, 0) : std::nullopt;
  return at ? Results{n.valueOf((*items)[*at])} : Results();
}

Results importSequenceInsert(NodeContext &n) {
  std::optional<Items> items = itemsOf(n, 0);
  int64_t length = items ? items->size() : 0;
  std::optional<int64_t> at = items ? position(n, 2, length, length, length) : std::nullopt;
  if (!at)
    return {};
  items->insert(items->begin() + *at, n.datum(1));
  return sequence(n, std::move(*items));
}

Results importSequenceErase(NodeContext &n) {
  std::optional<Items> items = itemsOf(n, 0);
  int64_t length = items ? items->size() : 0;
  if (items && items->empty())
    n.fail(Code::OperandValue, "the sequence is empty");
  std::optional<int64_t> at = n.failed() ? std::nullopt : position(n, 1, length, length - 1, length - 1);
  if (!at)
    return {};
  items->erase(items->begin() + *at);
  return sequence(n, std::move(*items));
}

Results importSequenceLength(NodeContext &n) {
  std::optional<Items> items = itemsOf(n, 0);
  return items ? Results{n.constantOf({int64_t(items->size())}, {})} : Results();
}

Results importConcatFromSequence(NodeContext &n) {
  int64_t axis = n.requiredInteger("axis");
  bool fresh = n.flag("new_axis");
  std::optional<Items> items = itemsOf(n, 0);
  constexpr size_t most = 10'000;
  if (items && (items->empty() || items->size() > most))
    n.fail(items->empty() ? Code::OperandValue : Code::UnsupportedForm,
           "the sequence has " + Twine(items->size()) + " tensors, expected 1 to " + Twine(most));
  if (n.failed() || !agree(n, *items))
    return {};
  int64_t rank = items->front().tensor.tensor.rank();
  axis = n.axis(axis, fresh ? rank + 1 : rank);
  SmallVector<Value, 8> parts;
  for (Datum &item : *items) {
    if (int64_t(item.tensor.tensor.rank()) != rank)
      n.fail(Code::OperandRank, "the tensors of the sequence differ in rank");
    if (n.failed())
      return {};
    Ints shape(item.tensor.tensor.shape());
    if (fresh)
      shape.insert(shape.begin() + axis, 1);
    parts.push_back(n.reshape(n.valueOf(std::move(item)), shape));
  }
  return {n.make("concat", parts, {n.is("axis", axis)})};
}

/// How long the parts are: equal ones of the given length, or one number for each.
std::optional<Ints> partLengths(NodeContext &n, int64_t size) {
  if (!n.input(1))
    return Ints(size, 1);
  std::optional<Ints> given = n.constantIntegers(1, "split");
  if (!given)
    return std::nullopt;
  int64_t sum = 0;
  if (n.rankOf(n.input(1)) == 0 && given->front() > 0) {
    int64_t length = std::min(given->front(), std::max<int64_t>(size, 1));
    given->clear();
    for (; sum < size; sum += length)
      given->push_back(std::min(length, size - sum));
    return given;
  }
  bool good = n.rankOf(n.input(1)) == 1;
  for (int64_t length : *given) {
    good &= length >= 0 && length <= size - sum;
    sum += good ? length : 0;
  }
  if (good && sum == size)
    return given;
  n.fail(Code::OperandValue, "the lengths of the parts do not add up to " + Twine(size));
  return std::nullopt;
}

Results importSplitToSequence(NodeContext &n) {
  bool keep = n.flag("keepdims", true) || n.input(1);
  int64_t axis = n.axis(n.integer("axis", 0), isPossible(n) ? n.rankOf(n.input(0)) : 1);
  std::optional<Ints> lengths = n.failed() ? std::nullopt : partLengths(n, n.shapeOf(n.input(0))[axis]);
  if (!lengths)
    return {};
  Value x = n.input(0);
  Ints start(n.rankOf(x), 0), step(n.rankOf(x), 1), out(n.shapeOf(x));
  Items items;
  for (int64_t length : *lengths) {
    out[axis] = length;
    Ints from = start;
    if (length == 0)
      from[axis] = 0; // anywhere; 0 is always inside
    Value part = n.make("slice", {x}, {n.is("start", from), n.is("step", step), n.is("out", out)});
    Ints shape = out;
    if (!keep)
      shape.erase(shape.begin() + axis);
    part = n.failed() ? Value() : n.known(n.reshape(part, shape));
    if (n.failed())
      return {};
    items.push_back(n.datumOf(part));
    start[axis] += length;
  }
  return sequence(n, std::move(items));
}

/// Input `number` in one turn of SequenceMap: an item of a sequence, or the tensor.
Value argumentOf(NodeContext &n, size_t number, size_t turn, size_t turns) {
  Datum datum = n.input(number) ? n.datum(number) : Datum();
  if (!n.input(number))
    n.fail(Code::Arity, "input " + Twine(number) + " is left out but required");
  else if (datum.kind == Datum::Kind::Sequence && datum.list().size() != turns)
    n.fail(Code::OperandShape, "the sequences have " + Twine(turns) + " and " + Twine(datum.list().size()) + " items");
  if (n.failed())
    return {};
  return n.valueOf(datum.kind == Datum::Kind::Sequence ? Datum(datum.list()[turn]) : datum);
}

/// The body once for each item of the first sequence; the others are sequences of the same length, or tensors.
Results importSequenceMap(NodeContext &n) {
  const Graph *body = n.graph("body");
  std::optional<Items> first = itemsOf(n, 0);
  if (n.failed())
    return {};
  std::vector<Items> outputs(body->outputs.size());
  for (size_t turn = 0; turn < first->size() && n.anotherTurn(*body); ++turn) {
    SmallVector<Value, 4> arguments;
    for (size_t i = 0; i < n.inputCount() && !n.failed(); ++i)
      arguments.push_back(argumentOf(n, i, turn, first->size()));
    std::optional<Results> results = n.failed() ? std::nullopt : n.run(*body, arguments);
    if (!results)
      return {};
    for (auto [list, value] : zip_equal(outputs, *results))
      list.push_back(n.datumOf(value));
  }
  Results results;
  for (Items &list : outputs)
    append_range(results, sequence(n, std::move(list)));
  return n.failed() ? Results() : results;
}

Results importOptional(NodeContext &n) {
  n.ignore("type");
  if (!isPossible(n))
    return {};
  Items items;
  if (n.input(0))
    items.push_back(n.datum(0));
  return {n.valueOf(Datum::of(Datum::Kind::Optional, std::move(items)))};
}

Results importOptionalHasElement(NodeContext &n) {
  if (!isPossible(n))
    return {};
  bool has = n.input(0) && (n.datum(0).kind != Datum::Kind::Optional || !n.datum(0).list().empty());
  return {n.scalar(has, n.builder().getI1Type())};
}

Results importOptionalGetElement(NodeContext &n) {
  if (!isPossible(n))
    return {};
  Datum datum = n.datum(0);
  if (datum.kind != Datum::Kind::Optional)
    return {n.input(0)};
  if (datum.list().empty()) {
    n.fail(Code::OperandValue, "the optional is empty").helped("ask OptionalHasElement first");
    return {};
  }
  return {n.valueOf(datum.list().front())};
}

constexpr unsigned any = OpCode::any;
constexpr OpCode codes[] = {
    {"ConcatFromSequence", 1, 1, 1, importConcatFromSequence, true},
    {"Optional", 0, 1, 1, importOptional, true},
    {"OptionalGetElement", 1, 1, 1, importOptionalGetElement, true},
    {"OptionalHasElement", 0, 1, 1, importOptionalHasElement, true},
    {"SequenceAt", 2, 2, 1, importSequenceAt, true},
    {"SequenceConstruct", 1, any, 1, importSequenceConstruct, true},
    {"SequenceEmpty", 0, 0, 1, importSequenceEmpty, true},
    {"SequenceErase", 1, 2, 1, importSequenceErase, true},
    {"SequenceInsert", 2, 3, 1, importSequenceInsert, true},
    {"SequenceLength", 1, 1, 1, importSequenceLength, true},
    {"SequenceMap", 1, any, any, importSequenceMap, true},
    {"SplitToSequence", 1, 2, 1, importSplitToSequence, /*takesLists=*/false, /*needsNumbers=*/true},
};

} // namespace

ArrayRef<OpCode> sequenceOps() { return codes; }

} // namespace kumiko::onnx
