//===- Loop.cpp - Loop as nn.scan or nn.loop ------------------------------------===//
#include "kumiko/Import/Onnx/Ops/Counters.h"
#include "kumiko/Import/Onnx/Ops/Nested.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Turns.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

constexpr int64_t mostListed = 1 << 16;

/// A scalar in the shape that the body declares for it.
static Value asDeclared(NodeContext &n, Value scalar, const ValueInfo &input) {
  return input.type.hasShape && input.type.shape.size() == 1 ? n.reshape(scalar, {1}) : scalar;
}

/// The condition of nn.loop: `condition`, and that `turn` is below the number of turns where only data know it.
static Value boundedBy(NodeContext &n, Value condition, Value count, Value turn) {
  if (!count || n.failed())
    return condition;
  Value below = n.make("lt", {turn, n.reshape(count, {})});
  return condition ? n.make("and", {condition, below}) : below;
}

/// As many turns as memory is set aside for, where it is not known how many there will be.
constexpr int64_t mostSetAside = 1 << 20;

namespace {
/// A Loop: which of its values change from turn to turn, and its body.
class LoopMaker {
public:
  /// `counting`: without what the loop collects; the last result is the number of turns.
  LoopMaker(NodeContext &n, const Graph &graph, const LoopHead &head, ArrayRef<Value> initial, bool counting = false)
      : n(n), graph(graph), head(head), initial(initial), counting(counting) {}

  Results make() {
    if (head.count && (!n.elementsOf(head.count).is(1) || !n.elementOf(head.count).isInteger(64))) {
      n.fail(Code::OperandType, "the trip count is " + describe(head.count.getType()) + ", expected one i64");
      return {};
    }
    first = head.condition ? asScalar(n, head.condition) : Value();
    first = boundedBy(n, first, head.count, fixed(0, n.builder().getI64Type()));
    collectStates();
    if (n.failed())
      return {};
    std::optional<Results> made = tryMake();
    if (isCounted && !n.failed()) { // once more without a condition and what only served it
      collectStates();
      made = tryMake();
    }
    if (isUnbounded)
      return afterCounting();
    if (!made && !n.failed()) { // now it is known what grows
      for (const auto &[state, axis, by] : found)
        growth[state][axis] = by;
      for (auto [state, type] : unread)
        begin(state, type);
      settled = true;
      made = tryMake();
    }
    return made && !n.failed() ? withStates(*made) : Results();
  }

private:
  /// Memory for what is collected is there before the loop begins. Where nothing bounds the turns, they are counted by
  /// a loop that collects nothing.
  Results afterCounting() {
    Results counted = LoopMaker(n, graph, head, initial, /*counting=*/true).make();
    if (n.failed())
      return {};
    LoopHead bounded = head;
    bounded.most = readNumber(n, counted.back());
    return LoopMaker(n, graph, bounded, initial).make();
  }

  void collectStates() {
    states.clear();
    growth.clear();
    for (auto [number, value] : enumerate(initial))
      if (isState(number)) {
        states.push_back(value);
        growth.push_back(Sizes(n.rankOf(value), 0));
      }
    if (counting) {
      states.push_back(fixed(0, n.builder().getI64Type()));
      growth.push_back({});
    }
  }

  /// Whether the condition says how many turns there are. Then no state is needed to count them.
  bool countsItself(const Results &outputs) {
    if (counting || isCounted || head.count)
      return false;
    Counters counters(n, turn);
    for (auto [number, value] : enumerate(initial))
      if (isState(number))
        counters.add(argumentOf(number), value, outputs[1 + number]);
    std::optional<Counters::Turns> turns = counters.turnsWhile(outputs.front(), first);
    if (!turns)
      return false;
    head.most = head.most ? min(*head.most, turns->count) : turns->count;
    first = turns->coversFirst ? Value() : first;
    SmallVector<std::pair<size_t, int64_t>> found;
    for (size_t number = 0; number < initial.size(); ++number)
      if (std::optional<int64_t> step = isState(number) ? counters.stepOf(argumentOf(number)) : std::nullopt)
        found.push_back({number, *step});
    steps.insert_range(found);
    return isCounted = true;
  }

  /// Nothing when a state grows in a way that was not expected, the condition turns out to count, or memory is needed
  /// for an unknown number of turns.
  std::optional<Results> tryMake() {
    next.clear();
    Nested body(n);
    if (grows())
      body.changes(turnsSymbol());
    turn = body.argument(RankedTensorType::get({}, n.builder().getI64Type()));
    std::optional<Results> outputs = n.run(graph, makeArguments(body));
    if (!outputs || outputs->size() < 1 + initial.size())
      return failOutputs(outputs);
    if (countsItself(*outputs))
      return std::nullopt;
    bool expected = true;
    size_t state = 0;
    for (auto [number, value] : enumerate(initial))
      if (isState(number))
        expected &= takeNext(state++, (*outputs)[1 + number], graph.outputs[1 + number]);
    if (n.failed() || !expected)
      return std::nullopt;
    if (counting)
      next.push_back(n.make("add", {turn, fixed(1, n.builder().getI64Type())}));
    else
      parts.assign(outputs->begin() + 1 + initial.size(), outputs->end());
    std::optional<Tensor> more = GraphImporter::knownValue(n, outputs->front());
    bool goesOn = isCounted || (more && more->count() == 1 && !isFloat(more->element()) && integerAt(*more, 0) != 0);
    bool always = head.most && goesOn && !grows();
    // Without a stack nothing needs a list of all turns, which could be long, and a first condition is no trouble.
    bool listed = head.most && (!head.most->isStatic() || head.most->value() <= mostListed);
    if (always && (!parts.empty() || (listed && !first)))
      return asScan(body);
    isUnbounded = !parts.empty() && (!head.most || (head.most->isStatic() && head.most->value() > mostSetAside));
    return isUnbounded ? std::nullopt : std::optional(asLoop(body, outputs->front()));
  }

  Results failOutputs(const std::optional<Results> &outputs) {
    if (outputs)
      n.fail(Code::Arity,
             "the body has " + Twine(outputs->size()) + " outputs, expected at least " + Twine(1 + initial.size()));
    return {};
  }

  /// What the body hands on as it came is no state.
  bool isCarriedOn(size_t number) const {
    return 1 + number < graph.outputs.size() && graph.outputs[1 + number].name == graph.inputs[2 + number].name;
  }

  /// Neither that nor a counter whose value the number of the turn tells.
  bool isState(size_t number) const { return !isCarriedOn(number) && !steps.contains(number); }

  /// The argument of the body for a state.
  Value argumentOf(size_t number) const {
    size_t state = 0;
    for (size_t before = 0; before < number; ++before)
      state += isState(before);
    return arguments[state];
  }

  /// A counter after some turns, given as one i64.
  Value countedTo(size_t number, Value turns) {
    Value begins = initial[number];
    mlir::Type element = n.elementOf(begins);
    Value steps64 = fixed(steps.lookup(number), n.builder().getI64Type());
    Value change = n.cast(n.make("mul", {turns, steps64}), element);
    return n.failed() ? Value() : n.make("add", {begins, n.reshape(change, n.sizesOf(begins))});
  }

  bool grows() const {
    auto changes = [](const Extent &by) { return !by.is(0); };
    return any_of(growth, [&](const Sizes &list) { return any_of(list, changes); });
  }

  /// Counts the turns; made when something needs it.
  const Extent &turnsSymbol() {
    if (!counter)
      counter = GraphImporter::newDataSymbol(n);
    return *counter;
  }

  /// The extents of a state after some turns.
  Sizes sizesAfter(size_t state, const Extent &turns) {
    Sizes sizes = n.sizesOf(states[state]);
    for (auto [size, by] : zip_equal(sizes, growth[state]))
      size += by * turns;
    return sizes;
  }

  /// The next value of a state. False when it grows by what nobody expected.
  bool takeNext(size_t state, Value value, const ValueInfo &declared) {
    Value begun = states[state];
    bool isRead = !arguments[state].use_empty();
    if (!n.failed() && !isRead && !settled && begun.getType() != value.getType() && takesATurn()) {
      unread.push_back({state, cast<RankedTensorType>(value.getType())});
      return false;
    }
    if (n.failed() || n.elementOf(begun) != n.elementOf(value) || n.rankOf(begun) != n.rankOf(value)) {
      next.push_back(keepType(n, begun, value, declared));
      return true;
    }
    bool isKept = true;
    Extent done = grows() ? turnsSymbol() : Extent(0);
    Sizes before = sizesAfter(state, done), after = sizesAfter(state, done + (grows() ? 1 : 0)), now = n.sizesOf(value);
    for (auto [axis, size] : enumerate(now)) {
      Extent by = size - before[axis];
      // What may be nothing is nothing; a check says so.
      if (by == growth[state][axis] || (!by.isStatic() && !by.knownNonNegative()))
        continue;
      if (settled || !head.most || (head.most->isStatic() && head.most->value() > mostSetAside)) {
        failGrowth(begun, value);
        return false;
      }
      found.push_back({state, axis, by});
      isKept = false;
    }
    if (!isKept)
      return false;
    for (auto [a, b] : zip_equal(after, now))
      (void)n.agree(a, b, "a value that is carried keeps its shape");
    next.push_back(n.reshape(value, after));
    return true;
  }

  /// Whether there is at least one turn.
  bool takesATurn() const { return !first && head.most && head.most->isStatic() && head.most->value() > 0; }

  /// A first value that nobody reads is whatever fits the ones that follow.
  void begin(size_t state, RankedTensorType type) {
    states[state] = n.make("expand", {n.scalar(0, type.getElementType())}, {n.is("shape", Sizes(nn::extentsOf(type)))});
    growth[state].assign(type.getRank(), 0);
  }

  void failGrowth(Value begun, Value value) {
    if (!n.failed())
      n.fail(Code::UnsupportedForm, "a value that is carried begins as " + describe(begun.getType()) + " and becomes " +
                                        describe(value.getType()))
          .helped("what grows is compiled when each turn adds as much, and the number of turns has a small bound");
  }

  Value fixed(int64_t value, mlir::Type element) { return n.filled(IntegerAttr::get(element, value), element, {}); }

  SmallVector<Value, 4> makeArguments(Nested &body) {
    arguments.clear();
    SmallVector<Value, 4> list{asDeclared(n, turn, graph.inputs[0]),
                               asDeclared(n, fixed(1, n.builder().getI1Type()), graph.inputs[1])};
    size_t state = 0;
    for (auto [number, value] : enumerate(initial)) {
      if (!isState(number)) {
        list.push_back(isCarriedOn(number) ? value : countedTo(number, turn));
        continue;
      }
      Sizes sizes = sizesAfter(state, grows() ? turnsSymbol() : Extent(0));
      arguments.push_back(body.argument(nn::tensorOf(sizes, n.elementOf(states[state++]))));
      list.push_back(arguments.back());
    }
    if (counting)
      arguments.push_back(body.argument(turn.getType()));
    return list;
  }

  /// The results of the op with what is carried on among the states.
  Results withStates(const Results &made) {
    Results results;
    size_t state = 0;
    for (auto [number, value] : enumerate(initial))
      results.push_back(isState(number)       ? made[state++]
                        : isCarriedOn(number) ? value
                                              : countedTo(number, n.numbersOf({*head.most}, {})));
    append_range(results, ArrayRef(made).drop_front(state));
    return results;
  }

  Results asScan(Nested &body) {
    // The number of the turn is a slice of all numbers, behind the states.
    Value slice = body.block->insertArgument(1 + states.size(), turn.getType(), n.location());
    turn.replaceAllUsesWith(slice);
    body.block->eraseArgument(0);
    SmallVector<Value> yielded(next);
    append_range(yielded, parts);
    body.close(yielded, /*branch=*/false);
    if (!arePartsFixed(n, body, parts))
      return {};
    mlir::Type i64 = n.builder().getI64Type();
    Extent count = *head.most;
    if (first) { // decides between all turns and none
      Value number = n.make("mul", {n.cast(first, i64), n.numbersOf({count}, {})});
      count = readNumber(n, number);
    }
    Value turns = n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", count)});
    return n.failed() ? Results() : finishScan(n, body, states, {turns}, parts);
  }

  Results asLoop(Nested &body, Value more) {
    Value another = asScalar(n, more);
    if (head.count && !n.failed())
      another = boundedBy(n, another, head.count, n.make("add", {turn, fixed(1, n.builder().getI64Type())}));
    if (n.failed())
      return {};
    SmallVector<Value> yielded{another};
    append_range(yielded, next);
    append_range(yielded, parts);
    body.close(yielded, /*branch=*/false);
    if (!arePartsFixed(n, body, parts))
      return {};
    SmallVector<mlir::Type> types;
    for (size_t state = 0; state < states.size(); ++state)
      types.push_back(nn::tensorOf(sizesAfter(state, grows() ? turnsSymbol() : Extent(0)), n.elementOf(states[state])));
    for (Value part : parts)
      types.push_back(nn::ScanOp::stackOf(turnsSymbol(), part.getType()));
    OpBuilder &builder = n.builder();
    if (!first)
      first = fixed(1, builder.getI1Type());
    SmallVector<StringRef, 1> names;
    if (counter)
      counter->symbols(names);
    auto loop = nn::LoopOp::create(builder, n.location(), types, first, states, body.shared(),
                                   nn::numberAttr(n.context(), head.most.value_or(INT64_MAX)));
    if (!names.empty())
      nn::setTurns(loop, names.front());
    body.moveTo(loop.getBody());
    return Results(loop.getValues());
  }

  NodeContext &n;
  const Graph &graph;
  LoopHead head;
  ArrayRef<Value> initial;
  SmallVector<Value> states, arguments, next, parts;
  SmallVector<Sizes> growth;                               ///< of each state and axis, with each turn
  SmallVector<std::tuple<size_t, size_t, Extent>> found;   ///< by the first try: a state, an axis, its growth
  SmallVector<std::pair<size_t, RankedTensorType>> unread; ///< states whose first value does not matter
  llvm::DenseMap<size_t, int64_t> steps;                   ///< of counters, by the number of the initial value
  bool settled = false, counting, isUnbounded = false, isCounted = false;
  std::optional<Extent> counter;
  Value turn, first;
};
} // namespace

Results makeLoop(NodeContext &n, const Graph &graph, const LoopHead &head, ArrayRef<Value> initial) {
  return LoopMaker(n, graph, head, initial).make();
}

} // namespace kumiko::onnx
