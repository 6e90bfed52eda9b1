#include "kumiko/Import/Onnx/Ops/Nested.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

//===----------------------------------------------------------------------===//
// A body
//===----------------------------------------------------------------------===//

Nested::Nested(NodeContext &n)
    : block(new Block), n(n), start(GraphImporter::mark(n)), home(n.builder().getInsertionBlock()) {
  Block::iterator here = n.builder().getInsertionPoint();
  last = here == home->begin() ? nullptr : &*std::prev(here);
}

OpBuilder Nested::homeBuilder() {
  OpBuilder builder(n.context());
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(home);
  return builder;
}

/// A value of this type, for code that nobody needs.
static Value placeholder(OpBuilder &builder, Location loc, RankedTensorType type) {
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero =
      nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(scalar, builder.getZeroAttr(type.getElementType())));
  mlir::Attribute shape = nn::numbersAttr(builder.getContext(), nn::extentsOf(type));
  std::string why;
  auto made = nn::buildEquationOp(builder, loc, "expand", {zero}, {builder.getNamedAttr("shape", shape)}, why);
  assert(succeeded(made) && "a scalar expands to any shape");
  return (*made)->getResult(0);
}

Nested::~Nested() {
  if (!block)
    return;
  // Constants may have names by now, and what was computed may be remembered: all that nobody reads stays. What would
  // be done all the same goes.
  OpBuilder builder = homeBuilder();
  for (auto [argument, value] : zip_equal(block->getArguments().take_back(outside.size()), outside))
    argument.replaceAllUsesWith(value);
  for (BlockArgument argument : block->getArguments().drop_back(outside.size()))
    if (!argument.use_empty())
      argument.replaceAllUsesWith(placeholder(builder, n.location(), cast<RankedTensorType>(argument.getType())));
  if (!block->empty() && isa<nn::YieldOp>(block->back()))
    block->back().erase();
  while (!block->empty())
    block->front().moveBefore(home, builder.getInsertionPoint());
  delete block;
  for (Operation *op : opsOfBody(/*branch=*/true))
    if (isa<nn::SymbolOp, nn::CheckOp>(op))
      op->erase();
  (void)GraphImporter::takeChecks(n, start);
  GraphImporter::forgetSymbols(n, start);
}

void Nested::changes(const Extent &symbol) {
  SmallVector<StringRef, 1> names;
  symbol.symbols(names);
  changing.insert_range(names);
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

/// Ops that were imported since, and belong inside: all of a branch, and of a loop what changes with the turns.
SmallVector<Operation *> Nested::opsOfBody(bool branch) {
  SmallVector<Operation *> ops;
  llvm::DenseSet<Operation *> moving;
  llvm::StringSet<> found = changing; // in the data, anew in each turn
  for (Operation &op :
       make_range(last ? std::next(last->getIterator()) : home->begin(), n.builder().getInsertionPoint())) {
    auto isInside = [&](Value operand) {
      return operand.getParentBlock() == block || moving.contains(operand.getDefiningOp());
    };
    auto isSized = [&] {
      llvm::StringSet<> names;
      if (!found.empty())
        nn::addSymbolsOf(&op, names);
      return any_of(names.keys(), [&](StringRef name) { return found.contains(name); });
    };
    if (isa<nn::ConstantOp>(op) || (!branch && none_of(op.getOperands(), isInside) && !isSized()))
      continue;
    ops.push_back(&op);
    moving.insert(&op);
    nn::addSymbolsFoundBy(&op, found);
  }
  return ops;
}

void Nested::close(ArrayRef<Value> results, bool branch) {
  OpBuilder builder(n.context());
  builder.setInsertionPointToStart(block);
  if (branch)
    for (const nn::Check &check : GraphImporter::takeChecks(n, start))
      nn::CheckOp::create(builder, n.location(), nn::rowOf(n.context(), check));
  SmallVector<Operation *> ops = opsOfBody(branch);
  for (Operation *op : ops)
    op->moveBefore(block, block->end());
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      operand.set(inside(operand.get()));
  auto yielded = map_to_vector(results, [&](Value value) { return inside(value); });
  builder.setInsertionPointToEnd(block);
  nn::YieldOp::create(builder, n.location(), yielded);
  GraphImporter::forgetSymbols(n, start);
}

ValueList Nested::dissolve() {
  for (auto [argument, value] : zip_equal(block->getArguments(), outside))
    argument.replaceAllUsesWith(value);
  Operation *yield = block->getTerminator();
  ValueList results(yield->getOperands());
  yield->erase();
  OpBuilder &builder = n.builder();
  for (Operation &op : make_early_inc_range(*block)) {
    if (auto check = dyn_cast<nn::CheckOp>(op)) {
      GraphImporter::addCheck(n, nn::checkOf(check.getRow()));
      op.erase();
    } else {
      op.moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    }
  }
  delete std::exchange(block, nullptr);
  return results;
}

void Nested::moveTo(Region &region) {
  if (!region.empty())
    region.front().erase();
  region.push_back(block);
  block = nullptr;
}

//===----------------------------------------------------------------------===//
// Loop and Scan
//===----------------------------------------------------------------------===//

Value keepType(NodeContext &n, Value first, Value next, const ValueInfo &declared) {
  if (n.failed() || first.getType() == next.getType())
    return next;
  Sizes before = n.sizesOf(first), after = n.sizesOf(next);
  bool fits = n.elementOf(first) == n.elementOf(next);
  if (before.size() != after.size())
    fits = fits && product(before).is(1) && product(after).is(1) && declared.type.hasShape &&
           declared.type.shape.size() == before.size();
  else
    fits = fits && all_of(zip_equal(before, after), [&](auto pair) {
             auto &[a, b] = pair;
             return !(a - b).isStatic() || (a - b).is(0);
           });
  if (!fits) {
    n.fail(Code::UnsupportedForm, "a value that is carried begins as " + describe(first.getType()) + " and becomes " +
                                      describe(next.getType()))
        .helped("long loops are compiled only when what they carry keeps its type and shape");
    return {};
  }
  if (before.size() == after.size())
    for (auto [a, b] : zip_equal(before, after))
      (void)n.agree(a, b, "a value that is carried keeps its shape");
  return n.reshape(next, before);
}

Results finishScan(NodeContext &n, Nested &body, ArrayRef<Value> states, ArrayRef<Value> sequences,
                   ArrayRef<Value> parts) {
  Extent steps = n.sizesOf(sequences.front())[0];
  SmallVector<mlir::Type> stacks;
  for (Value part : parts) {
    Sizes shape{steps};
    append_range(shape, n.sizesOf(part));
    stacks.push_back(n.typeOf(shape, n.elementOf(part)));
  }
  if (n.failed())
    return {};
  auto scan =
      nn::ScanOp::create(n.builder(), n.location(), states, sequences, body.shared(), stacks, /*reverse=*/false);
  body.moveTo(scan.getBody());
  return Results(scan.getValues());
}

/// `own` outputs of the body come before the states, which get the types that they began with.
static bool settleOutputs(NodeContext &n, const Graph &graph, MutableArrayRef<Value> outputs, ArrayRef<Value> states,
                          size_t own) {
  if (outputs.size() < own + states.size()) {
    n.fail(Code::Arity,
           "the body has " + Twine(outputs.size()) + " outputs, expected at least " + Twine(own + states.size()));
    return false;
  }
  for (auto [number, first] : enumerate(states)) {
    Value &next = outputs[own + number];
    next = keepType(n, first, next, graph.outputs[own + number]);
  }
  return !n.failed();
}

bool arePartsFixed(NodeContext &n, Nested &body, ArrayRef<Value> parts) {
  llvm::StringSet<> found, names;
  for (Operation &op : *body.block)
    nn::addSymbolsFoundBy(&op, found);
  for (Value part : parts)
    for (const Extent &extent : n.sizesOf(part)) {
      SmallVector<StringRef> symbols;
      extent.symbols(symbols);
      if (any_of(symbols, [&](StringRef symbol) { return found.contains(symbol); })) {
        n.fail(Code::UnsupportedForm, "the size of what a loop collects is found anew in each turn")
            .helped("all parts must have one size");
        return false;
      }
    }
  return true;
}

Results makeForEach(NodeContext &n, ArrayRef<Value> sequences,
                    llvm::function_ref<SmallVector<Value, 4>(ArrayRef<Value>)> each) {
  Nested body(n);
  SmallVector<Value, 4> slices;
  for (Value sequence : sequences)
    slices.push_back(body.argument(nn::ScanOp::sliceOf(sequence.getType())));
  SmallVector<Value, 4> parts = each(slices);
  if (n.failed())
    return {};
  body.close(parts, /*branch=*/false);
  return arePartsFixed(n, body, parts) ? finishScan(n, body, {}, sequences, parts) : Results();
}

Results makeScan(NodeContext &n, const Graph &graph, ArrayRef<Value> states, ArrayRef<Value> sequences) {
  Nested body(n);
  SmallVector<Value, 4> arguments;
  for (Value state : states)
    arguments.push_back(body.argument(state.getType()));
  for (Value sequence : sequences)
    arguments.push_back(body.argument(nn::ScanOp::sliceOf(sequence.getType())));
  std::optional<Results> outputs = n.run(graph, arguments);
  if (!outputs || !settleOutputs(n, graph, *outputs, states, 0))
    return {};
  SmallVector<Value> parts(ArrayRef(*outputs).drop_front(states.size()));
  body.close(*outputs, /*branch=*/false);
  return arePartsFixed(n, body, parts) ? finishScan(n, body, states, sequences, parts) : Results();
}

} // namespace kumiko::onnx
