#include "kumiko/Import/Onnx/Ops/Nested.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

//===----------------------------------------------------------------------===//
// A body
//===----------------------------------------------------------------------===//

Nested::Nested(NodeContext &n) : block(new Block), n(n), home(n.builder().getInsertionBlock()) {
  Block::iterator here = n.builder().getInsertionPoint();
  last = here == home->begin() ? nullptr : &*std::prev(here);
}

Nested::~Nested() {
  if (!block)
    return;
  // Constants may have names by now, and what was computed may be remembered: nothing is erased.
  OpBuilder builder(n.context());
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(home);
  for (BlockArgument argument : block->getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    auto zero = DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType()));
    argument.replaceAllUsesWith(nn::ConstantOp::create(builder, n.location(), zero));
  }
  if (!block->empty() && isa<nn::YieldOp>(block->back()))
    block->back().erase();
  while (!block->empty())
    block->front().moveBefore(home, builder.getInsertionPoint());
  delete block;
}

Value Nested::argument(mlir::Type type) { return block->addArgument(type, n.location()); }

void Nested::share(ArrayRef<Value> values) {
  for (Value value : values)
    inside(value);
}

Value Nested::inside(Value value) {
  if (value.getParentBlock() == block)
    return value;
  Value &known = arguments[value];
  if (!known) {
    known = argument(value.getType());
    outside.push_back(value);
  }
  return known;
}

void Nested::close(ArrayRef<Value> results, bool branch) {
  SmallVector<Operation *> ops;
  llvm::DenseSet<Operation *> moving;
  for (Operation &op :
       make_range(last ? std::next(last->getIterator()) : home->begin(), n.builder().getInsertionPoint())) {
    auto isInside = [&](Value operand) {
      return operand.getParentBlock() == block || moving.contains(operand.getDefiningOp());
    };
    if (!isa<nn::ConstantOp>(op) && (branch || any_of(op.getOperands(), isInside))) {
      ops.push_back(&op);
      moving.insert(&op);
    }
  }
  for (Operation *op : ops)
    op->moveBefore(block, block->end());
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      operand.set(inside(operand.get()));
  auto yielded = map_to_vector(results, [&](Value value) { return inside(value); });
  OpBuilder builder(n.context());
  builder.setInsertionPointToEnd(block);
  nn::YieldOp::create(builder, n.location(), yielded);
}

void Nested::moveTo(Region &region) {
  if (!region.empty())
    region.front().erase();
  region.push_back(block);
  block = nullptr;
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// One truth value as a scalar.
static Value asScalar(NodeContext &n, Value condition) {
  if (n.failed())
    return {};
  if (!isa<RankedTensorType>(condition.getType()) || !n.elementOf(condition).isInteger(1) ||
      n.countOf(condition) != 1) {
    n.fail(Code::OperandType, "the condition is " + describe(condition.getType()) + ", expected one bool");
    return {};
  }
  return n.reshape(condition, {});
}

Results makeIf(NodeContext &n, const Graph &yes, const Graph &no) {
  Value condition = asScalar(n, n.input(0));
  Nested whenTrue(n);
  std::optional<Results> first = n.run(yes, {});
  if (!first)
    return {};
  whenTrue.close(*first, /*branch=*/true);
  Nested whenFalse(n);
  whenFalse.share(whenTrue.shared());
  std::optional<Results> second = n.run(no, {});
  if (!second)
    return {};
  SmallVector<mlir::Type> types = map_to_vector(*first, [](Value value) { return value.getType(); });
  if (types != map_to_vector(*second, [](Value value) { return value.getType(); })) {
    for (auto [a, b] : zip(*first, *second))
      if (a.getType() != b.getType() && !n.failed())
        n.fail(Code::UnsupportedForm, "one branch gives " + describe(a.getType()) + ", the other " +
                                          describe(b.getType()) +
                                          ", and the condition depends on the inputs of the model")
            .helped("such a choice is compiled only when both branches give values of the same type and shape");
    if (!n.failed())
      n.fail(Code::Arity, "the branches have " + Twine(first->size()) + " and " + Twine(second->size()) + " outputs");
    return {};
  }
  whenFalse.close(*second, /*branch=*/true);
  whenTrue.share(whenFalse.shared());
  auto choice = nn::IfOp::create(n.builder(), n.location(), types, condition, whenFalse.shared());
  whenTrue.moveTo(choice.getYes());
  whenFalse.moveTo(choice.getNo());
  return Results(choice.getValues());
}

//===----------------------------------------------------------------------===//
// Loop and Scan
//===----------------------------------------------------------------------===//

/// Whether `next` may be the state that began as `first`.
static bool keepsType(NodeContext &n, Value first, Value next) {
  if (n.failed() || first.getType() == next.getType())
    return !n.failed();
  n.fail(Code::UnsupportedForm,
         "a value that is carried begins as " + describe(first.getType()) + " and becomes " + describe(next.getType()))
      .helped("long loops are compiled only when what they carry keeps its type and shape");
  return false;
}

/// nn.scan of a closed body whose arguments are states, slices and what is shared.
static Results finishScan(NodeContext &n, Nested &body, ArrayRef<Value> states, ArrayRef<Value> sequences,
                          ArrayRef<Value> parts) {
  int64_t steps = n.shapeOf(sequences.front())[0];
  SmallVector<mlir::Type> stacks;
  for (Value part : parts) {
    Ints shape{steps};
    append_range(shape, n.shapeOf(part));
    stacks.push_back(n.typeOf(shape, n.elementOf(part)));
  }
  if (n.failed())
    return {};
  auto scan =
      nn::ScanOp::create(n.builder(), n.location(), states, sequences, body.shared(), stacks, /*reverse=*/false);
  body.moveTo(scan.getBody());
  return Results(scan.getValues());
}

/// `own` outputs of the body come before the states.
static bool checkOutputs(NodeContext &n, ArrayRef<Value> outputs, ArrayRef<Value> states, size_t own) {
  if (outputs.size() < own + states.size()) {
    n.fail(Code::Arity,
           "the body has " + Twine(outputs.size()) + " outputs, expected at least " + Twine(own + states.size()));
    return false;
  }
  for (auto [first, next] : zip(states, outputs.drop_front(own)))
    if (!keepsType(n, first, next))
      return false;
  return true;
}

Results makeScan(NodeContext &n, const Graph &graph, ArrayRef<Value> states, ArrayRef<Value> sequences) {
  Nested body(n);
  SmallVector<Value, 4> arguments;
  for (Value state : states)
    arguments.push_back(body.argument(state.getType()));
  for (Value sequence : sequences)
    arguments.push_back(body.argument(nn::ScanOp::sliceOf(sequence.getType())));
  std::optional<Results> outputs = n.run(graph, arguments);
  if (!outputs || !checkOutputs(n, *outputs, states, 0))
    return {};
  SmallVector<Value> parts(ArrayRef(*outputs).drop_front(states.size()));
  body.close(*outputs, /*branch=*/false);
  return finishScan(n, body, states, sequences, parts);
}

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

Results makeLoop(NodeContext &n, const Graph &graph, const LoopHead &head, ArrayRef<Value> initial) {
  OpBuilder &builder = n.builder();
  auto number = RankedTensorType::get({}, builder.getI64Type());
  auto fixed = [&](int64_t value, mlir::Type element) {
    return n.filled(IntegerAttr::get(element, value), element, {});
  };
  Value count = head.turns ? Value() : head.count;
  if (count && (n.countOf(count) != 1 || !n.elementOf(count).isInteger(64))) {
    n.fail(Code::OperandType, "the trip count is " + describe(count.getType()) + ", expected one i64");
    return {};
  }
  Value first = head.condition ? asScalar(n, head.condition) : Value();
  first = boundedBy(n, first, count, fixed(0, builder.getI64Type()));
  Nested body(n);
  Value turn = body.argument(number);
  SmallVector<Value, 4> arguments{asDeclared(n, turn, graph.inputs[0]),
                                  asDeclared(n, fixed(1, builder.getI1Type()), graph.inputs[1])};
  for (Value state : initial)
    arguments.push_back(body.argument(state.getType()));
  std::optional<Results> outputs = n.run(graph, arguments);
  if (!outputs || !checkOutputs(n, *outputs, initial, 1))
    return {};
  ArrayRef<Value> states = ArrayRef(*outputs).slice(1, initial.size());
  ArrayRef<Value> parts = ArrayRef(*outputs).drop_front(1 + initial.size());
  std::optional<Tensor> more = GraphImporter::knownValue(n, outputs->front());
  bool always = !first && head.turns && more && more->count() == 1 && integerAt(*more, 0) != 0;
  // Without a stack nothing needs a list of all turns, which could be long.
  if (always && (!parts.empty() || *head.turns <= mostListed)) {
    // The number of the turn is a slice of all numbers, behind the states.
    Value slice = body.block->insertArgument(1 + initial.size(), number, n.location());
    turn.replaceAllUsesWith(slice);
    body.block->eraseArgument(0);
    body.close(ArrayRef(*outputs).drop_front(), /*branch=*/false);
    mlir::Type i64 = builder.getI64Type();
    Value turns = n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", *head.turns)});
    return n.failed() ? Results() : finishScan(n, body, initial, {turns}, parts);
  }
  if (!parts.empty()) {
    n.fail(Code::UnsupportedForm,
           "how many turns a loop takes depends on the inputs of the model, and so does the size "
           "of what it collects")
        .helped("such sizes are not compiled yet");
    return {};
  }
  Value next = asScalar(n, outputs->front());
  if (count && !n.failed())
    next = boundedBy(n, next, count, n.make("add", {turn, fixed(1, builder.getI64Type())}));
  if (n.failed())
    return {};
  SmallVector<Value> yielded{next};
  append_range(yielded, states);
  body.close(yielded, /*branch=*/false);
  if (!first)
    first = fixed(1, builder.getI1Type());
  auto loop = nn::LoopOp::create(builder, n.location(), TypeRange(ValueRange(initial)), first, initial, body.shared(),
                                 builder.getI64IntegerAttr(head.turns.value_or(INT64_MAX)));
  body.moveTo(loop.getBody());
  return Results(loop.getValues());
}

} // namespace kumiko::onnx
