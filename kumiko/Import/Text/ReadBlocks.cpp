//===- ReadBlocks.cpp - if, scan and loop -----------------------------------------------===//
#include "kumiko/Import/Build/Describe.h"
#include "kumiko/Import/Text/Reader.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Turns.h"
#include "kumiko/Nn/Types.h"
#include "mlir/IR/Verifier.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::text {

bool Reader::readBindings(StringRef word, SmallVectorImpl<Binding> &bindings) {
  if (!source.need(word) || !source.need("("))
    return false;
  while (!source.failed() && !source.at(")")) {
    auto name = source.name("a name for what the body sees");
    Value value = name && source.need("=") ? readOperand() : Value();
    if (!value)
      return false;
    auto type = cast<RankedTensorType>(value.getType());
    if (source.eat(":") && !(type = readType()))
      return false;
    bindings.push_back({std::move(*name), value, type});
    if (!source.eat(","))
      break;
  }
  return source.need(")");
}

std::optional<Results> Reader::readBody(Block *block, ArrayRef<Name> names) {
  size_t begin = source.position();
  if (!source.need("{"))
    return std::nullopt;
  constexpr unsigned bodiesInside = 32;
  if (depth >= bodiesInside) {
    source.fail(begin, begin + 1, Code::NestedTooDeep, "more than " + Twine(bodiesInside) + " levels");
    return std::nullopt;
  }
  Scope body;
  body.block = block;
  body.outer = std::exchange(scope, &body);
  llvm::StringSet<> before = known;
  Location place = loc;
  ++depth;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  for (auto [name, argument] : zip_equal(names, block->getArguments()))
    define(name, argument);
  readStatements();
  --depth;
  scope = body.outer;
  if (!source.failed() && !body.yielded)
    source.expected("'yield'");
  if (source.failed() || !source.need("}"))
    return std::nullopt;
  builder.setInsertionPointToEnd(block);
  nn::YieldOp::create(builder, place, *body.yielded);
  loc = place;
  known = std::move(before);
  return body.yielded;
}

/// Verifies what was put together by hand; what does not fit is a mistake of the text.
Results Reader::finishBlockOp(Operation *op, size_t begin) {
  std::string why;
  {
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
      why = why.empty() ? diagnostic.str() : why;
      return success();
    });
    if (succeeded(verify(op, /*verifyRecursively=*/false)) && why.empty())
      return finishOp(op, begin);
  }
  StringRef text = why;
  text.consume_front("'" + op->getName().getStringRef().str() + "' op ");
  source.fail(begin, begin + 4, Code::OperandShape, text)
      .helped("bodies yield what the op gives; see docs/text-models.md");
  return {};
}

namespace {
/// What a body is given, list by list.
struct Given {
  SmallVector<Value> operands;
  SmallVector<Name> names;
  SmallVector<mlir::Type> types;

  template <typename Bindings> void add(const Bindings &bindings, llvm::function_ref<mlir::Type(mlir::Type)> typeOf) {
    for (const auto &each : bindings) {
      operands.push_back(each.value);
      names.push_back(each.name);
      types.push_back(typeOf(each.type));
    }
  }
  Block *body(Region &region, Location loc) const {
    region.push_back(new Block);
    region.front().addArguments(types, SmallVector<Location>(types.size(), loc));
    return &region.front();
  }
};
} // namespace

static mlir::Type same(mlir::Type type) { return type; }

static bool isCondition(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getElementType().isInteger(1) && type.hasStaticShape() && type.getNumElements() == 1;
}

/// `if(c) shared(a = x) { ... yield v; } else { ... yield w; }`
Results Reader::readIf(size_t begin) {
  SmallVector<Binding> shared;
  Value condition = source.need("(") ? readOperand() : Value();
  if (!condition || !source.need(")") || (source.at("shared") && !readBindings("shared", shared)))
    return {};
  if (!isCondition(condition)) {
    source.fail(begin, source.position(), Code::OperandType,
                "the condition is " + describe(condition.getType()) + ", expected one bool");
    return {};
  }
  Given given;
  given.add(shared, same);
  Region bodies[2];
  SmallVector<mlir::Type> results;
  for (size_t i : {0, 1}) {
    std::optional<Results> yielded;
    if (i == 0 || source.need("else"))
      yielded = readBody(given.body(bodies[i], loc), given.names);
    if (!yielded)
      return {};
    results = SmallVector<mlir::Type>(ValueRange(*yielded).getTypes());
  }
  OperationState state(loc, nn::IfOp::getOperationName());
  state.addOperands(condition);
  state.addOperands(given.operands);
  state.addTypes(results);
  for (Region &body : bodies)
    state.addRegion()->takeBody(body);
  return finishBlockOp(builder.create(state), begin);
}

/// `scan states(s = h) over(i = x) shared(a = w) reverse { ... yield s2, y; }`
Results Reader::readScan(size_t begin) {
  SmallVector<Binding> states, sequences, shared;
  if (!readBindings("states", states) || !readBindings("over", sequences) ||
      (source.at("shared") && !readBindings("shared", shared)))
    return {};
  bool reverse = source.eat("reverse");
  auto isScalar = [](const Binding &each) { return each.type.getRank() == 0; };
  if (sequences.empty() || any_of(sequences, isScalar)) {
    source.fail(begin, source.position(), Code::OperandShape,
                "a scan goes over at least one tensor, along its dimension 0");
    return {};
  }
  Given given;
  given.add(states, same);
  given.add(sequences, [](mlir::Type type) -> mlir::Type { return nn::ScanOp::sliceOf(type); });
  given.add(shared, same);
  Region body;
  auto yielded = readBody(given.body(body, loc), given.names);
  if (!yielded)
    return {};
  Extent steps = nn::extentsOf(sequences.front().type).front();
  SmallVector<mlir::Type> results;
  for (auto [i, value] : enumerate(*yielded))
    results.push_back(i < states.size() ? mlir::Type(states[i].type) : nn::ScanOp::stackOf(steps, value.getType()));
  OperationState state(loc, nn::ScanOp::getOperationName());
  state.addOperands(given.operands);
  state.addTypes(results);
  state.addAttribute(
      "operandSegmentSizes",
      builder.getDenseI32ArrayAttr({int32_t(states.size()), int32_t(sequences.size()), int32_t(shared.size())}));
  if (reverse)
    state.addAttribute("reverse", builder.getUnitAttr());
  state.addRegion()->takeBody(body);
  return finishBlockOp(builder.create(state), begin);
}

/// `loop while(c) most(8) turn(t) states(s = h) shared(a = w) turns("n") { ... yield again, s2; }`
Results Reader::readLoop(size_t begin) {
  SmallVector<Binding> states, shared;
  Value condition = source.need("while") && source.need("(") ? readOperand() : Value();
  if (!condition || !source.need(")") || !source.need("most") || !source.need("("))
    return {};
  auto most = readExtent();
  if (!most || !source.need(")") || !source.need("turn") || !source.need("("))
    return {};
  auto turn = source.name("a name for the number of the turn");
  if (!turn || !source.need(")"))
    return {};
  std::optional<std::string> turns;
  if (source.eat("turns") && (!source.need("(") || !(turns = source.string()) || !source.need(")")))
    return {};
  if (turns && !isSymbolName(*turns)) {
    source.fail(begin, source.position(), Code::BadText, "no symbol may be called so");
    return {};
  }
  if (turns)
    declare(*turns, /*isData=*/true);
  if (!readBindings("states", states) || (source.at("shared") && !readBindings("shared", shared)))
    return {};
  if (!isCondition(condition)) {
    source.fail(begin, source.position(), Code::OperandType,
                "the condition is " + describe(condition.getType()) + ", expected one bool");
    return {};
  }
  Given given;
  given.names.push_back(*turn);
  given.types.push_back(RankedTensorType::get({}, builder.getI64Type()));
  given.add(states, same);
  given.add(shared, same);
  Region body;
  auto yielded = readBody(given.body(body, loc), given.names);
  if (!yielded)
    return {};
  SmallVector<mlir::Type> results;
  for (auto [i, value] : enumerate(ArrayRef(*yielded).drop_front(yielded->empty() ? 0 : 1)))
    results.push_back(i < states.size()
                          ? mlir::Type(states[i].type)
                          : nn::ScanOp::stackOf(turns ? Extent::symbol(*turns) : Extent(0), value.getType()));
  OperationState state(loc, nn::LoopOp::getOperationName());
  state.addOperands(condition);
  state.addOperands(given.operands);
  state.addTypes(results);
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr({1, int32_t(states.size()), int32_t(shared.size())}));
  state.addAttribute("most", nn::numberAttr(builder.getContext(), *most));
  state.addRegion()->takeBody(body);
  Operation *made = builder.create(state);
  if (turns)
    nn::setTurns(cast<nn::LoopOp>(made), *turns);
  return finishBlockOp(made, begin);
}

} // namespace kumiko::text
