//===- Choice.cpp - If whose condition only a run can tell ------------------------===//
#include "kumiko/Import/Onnx/Ops/Nested.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

Value asScalar(NodeContext &n, Value condition) {
  if (n.failed())
    return {};
  if (!isa<RankedTensorType>(condition.getType()) || !n.elementOf(condition).isInteger(1) ||
      !n.elementsOf(condition).is(1)) {
    n.fail(Code::OperandType, "the condition is " + describe(condition.getType()) + ", expected one bool");
    return {};
  }
  return n.reshape(condition, {});
}

Extent readNumber(NodeContext &n, Value number) {
  if (n.failed())
    return 0;
  Extent symbol = GraphImporter::newDataSymbol(n);
  SmallVector<StringRef, 1> names;
  symbol.symbols(names);
  OpBuilder &builder = n.builder();
  nn::SymbolOp::create(builder, n.location(), number, builder.getStringAttr(names.front()),
                       builder.getI64IntegerAttr(0), mlir::Attribute(), mlir::Attribute(), mlir::Attribute(),
                       UnitAttr());
  return symbol;
}

/// Two extents that are equal exactly when the condition holds.
static std::optional<std::pair<Extent, Extent>> equalityOf(NodeContext &n, Value condition) {
  auto number = [&](Value operand) -> std::optional<Extent> {
    eq::KnownElements known = GraphImporter::knownNumbers(n, operand);
    if (known.size() != 1 || !known[0] || known[0]->denominator != 1)
      return std::nullopt;
    return known[0]->numerator;
  };
  while (Operation *op = condition.getDefiningOp()) {
    if (isa<nn::EqOp>(op)) {
      auto a = number(op->getOperand(0)), b = number(op->getOperand(1));
      return a && b ? std::optional(std::pair(*a, *b)) : std::nullopt;
    }
    if (!isa<nn::ReshapeOp, nn::CastOp>(op))
      break;
    condition = op->getOperand(0);
  }
  return std::nullopt;
}

std::optional<bool> knownCondition(NodeContext &n) {
  if (auto sides = equalityOf(n, n.input(0)))
    if (Extent difference = sides->first - sides->second; difference.isStatic())
      return difference.is(0);
  eq::KnownElements known = GraphImporter::knownNumbers(n, n.input(0));
  if (known.size() == 1 && known[0] && known[0]->numerator.isStatic())
    return !known[0]->numerator.is(0);
  return std::nullopt;
}

namespace {

/// A branch, imported where the node stands, with or without what follows the node.
struct Branch {
  std::optional<Nested> body;
  Results results;
  std::optional<Problem> wrong; ///< why it can never be taken
};

class Choice {
public:
  Choice(NodeContext &n, const Graph &yes, const Graph &no) : n(n), graphs{&yes, &no} {}

  Results make() {
    condition = asScalar(n, n.input(0));
    if (!import(/*rest=*/false))
      return {};
    if (isPossible(0) && isPossible(1) && !settleTypes()) {
      for (Branch &branch : reverse(branches)) {
        branch.body.reset();
        branch.results.clear();
      }
      if (!import(/*rest=*/true))
        return {};
      if (isPossible(0) && isPossible(1) && !settleTypes())
        return failTypes();
    }
    Results results = isPossible(0) && isPossible(1) ? choose() : takeOnly(isPossible(0));
    if (!withRest || n.failed())
      return results;
    GraphImporter::finishScope(n, results);
    return {};
  }

private:
  bool isPossible(size_t number) const { return !branches[number].wrong; }

  /// Both branches; false when none is left, or one is not supported.
  bool import(bool rest) {
    withRest = rest;
    ProblemList problems[2];
    for (size_t i : {0, 1})
      if (!importBranch(i, problems[i]))
        return repeat(problems[i]);
    return isPossible(0) || isPossible(1) || repeat(problems[0]);
  }

  bool importBranch(size_t number, ProblemList &why) {
    Branch &branch = branches[number];
    branch.body.emplace(n);
    if (number == 1 && isPossible(0))
      branch.body->share(branches[0].body->shared());
    bool done = GraphImporter::attempt(
        n,
        [&] {
          std::optional<Results> results = n.run(*graphs[number], {});
          if (results && results->size() < n.outputCount())
            n.fail(Code::Arity,
                   "the branch has " + Twine(results->size()) + " outputs, the node " + Twine(n.outputCount()));
          if (results && withRest && !n.failed() && n.anotherTurn(*graphs[number]))
            results = GraphImporter::importRest(n, *results);
          if (results && !n.failed())
            branch.results = std::move(*results);
        },
        &why);
    if (done) {
      branch.body->close(branch.results, /*branch=*/true);
      return true;
    }
    branch.body.reset();
    if (!why.hasErrors())
      return false;
    // Wrong for these shapes, so it can never be taken with success; what is not supported might.
    for (const Problem &problem : why.all())
      if (!problem.warning && faultOf(problem.code) != Fault::Broken)
        return false;
    branch.wrong = why.all().front();
    return true;
  }

  /// Says what went wrong.
  bool repeat(const ProblemList &problems) {
    for (const Problem &problem : problems.all())
      GraphImporter::tell(n, problem);
    return false;
  }

  /// Whether both branches yield the same types; a number and a list of one become what both declare.
  bool settleTypes() {
    if (branches[0].results.size() != branches[1].results.size())
      return false;
    for (auto [number, pair] : enumerate(zip_equal(branches[0].results, branches[1].results))) {
      auto [a, b] = pair;
      if (a.getType() != b.getType() && !(withRest ? settleExtents(number) : settleRank(number)))
        return false;
    }
    return true;
  }

  /// Outputs of the graph that differ in extents have those of the branch that is taken, which are read in front.
  bool settleExtents(size_t number) {
    Sizes sizes[2];
    for (size_t i : {0, 1}) {
      sizes[i] = n.sizesOf(branches[i].results[number]);
      if (!areKnownOutside(i, sizes[i]))
        return false;
    }
    bool sameElement = n.elementOf(branches[0].results[number]) == n.elementOf(branches[1].results[number]);
    if (!sameElement || sizes[0].size() != sizes[1].size())
      return false;
    Sizes merged = sizes[0];
    for (auto [axis, size] : enumerate(merged))
      if (const Extent &other = sizes[1][axis]; size != other)
        size = readNumber(n, n.make("select", {condition, n.numbersOf({size}, {}), n.numbersOf({other}, {})}));
    for (size_t i : {0, 1})
      setYielded(i, number, n.typeOf(merged, n.elementOf(branches[i].results[number])), sizes[i]);
    return !n.failed();
  }

  /// Whether nothing inside the branch finds a symbol of these extents.
  bool areKnownOutside(size_t number, ArrayRef<Extent> sizes) {
    llvm::StringSet<> found;
    for (Operation &op : *branches[number].body->block)
      nn::addSymbolsFoundBy(&op, found);
    return all_of(sizes, [&](const Extent &size) {
      SmallVector<StringRef> names;
      size.symbols(names);
      return none_of(names, [&](StringRef name) { return found.contains(name); });
    });
  }

  /// What the branch yields as output `number`, of extents `sizes`, gets the type that both ways have.
  void setYielded(size_t i, size_t number, RankedTensorType type, ArrayRef<Extent> sizes) {
    Operation *yield = branches[i].body->block->getTerminator();
    OpBuilder builder(yield);
    for (auto [size, merged] : zip_equal(sizes, nn::extentsOf(type)))
      if (size != merged) {
        nn::Check check{size, merged, nn::Check::Relation::Equal,
                        GraphImporter::placeText(n) + ": outputs of a branch"};
        nn::CheckOp::create(builder, n.location(), nn::rowOf(n.context(), check));
      }
    Value value = yield->getOperand(number);
    if (value.getType() != type)
      value = nn::ReshapeOp::create(builder, n.location(), type, value);
    yield->setOperand(number, value);
    branches[i].results[number] = value;
  }

  bool settleRank(size_t number) {
    auto declared = [&](size_t i) -> std::optional<size_t> {
      const ValueInfo &output = graphs[i]->outputs[number];
      return output.type.hasShape ? std::optional(output.type.shape.size()) : std::nullopt;
    };
    std::optional<size_t> rank = declared(0);
    auto isOne = [&](size_t i) { return n.elementsOf(branches[i].results[number]).is(1); };
    bool sameElement = n.elementOf(branches[0].results[number]) == n.elementOf(branches[1].results[number]);
    if (!rank || rank != declared(1) || !isOne(0) || !isOne(1) || !sameElement)
      return false;
    for (size_t i : {0, 1}) {
      auto type = RankedTensorType::get(SmallVector<int64_t>(*rank, 1), n.elementOf(branches[i].results[number]));
      setYielded(i, number, type, nn::extentsOf(type));
    }
    return true;
  }

  Results failTypes() {
    for (auto [a, b] : zip(branches[0].results, branches[1].results))
      if (a.getType() != b.getType() && !n.failed())
        n.fail(Code::UnsupportedForm, "the branches lead to " + describe(a.getType()) + " and to " +
                                          describe(b.getType()) +
                                          ", and the condition depends on the inputs of the model")
            .helped("such a choice is compiled only when both ways lead to outputs of one type and rank, whose sizes "
                    "are known before");
    if (!n.failed())
      n.fail(Code::Arity, "the branches have " + Twine(branches[0].results.size()) + " and " +
                              Twine(branches[1].results.size()) + " outputs");
    return {};
  }

  Results choose() {
    auto types = map_to_vector(branches[1].results, [](Value value) { return value.getType(); });
    Nested &yes = *branches[0].body, &no = *branches[1].body;
    yes.share(no.shared());
    auto choice = nn::IfOp::create(n.builder(), n.location(), types, condition, no.shared());
    yes.moveTo(choice.getYes());
    no.moveTo(choice.getNo());
    return Results(choice.getValues());
  }

  /// Without a choice: the run ends unless the condition is what it must be.
  Results takeOnly(bool yes) {
    const Problem &wrong = *branches[yes ? 1 : 0].wrong;
    std::string message = GraphImporter::placeText(n) + ": the condition must be " + (yes ? "true" : "false") +
                          ", since the other branch fails: " + wrong.what;
    if (wrong.place.node)
      message += " (node " + std::to_string(*wrong.place.node) +
                 (wrong.place.name.empty() ? "" : " \"" + wrong.place.name + "\"") + ")";
    require(yes, message);
    ValueList results = branches[yes ? 0 : 1].body->dissolve();
    return Results(results.begin(), results.end());
  }

  void require(bool holds, const std::string &message) {
    if (auto sides = holds ? equalityOf(n, condition) : std::nullopt) {
      GraphImporter::addCheck(n, {sides->first, sides->second, nn::Check::Relation::Equal, message});
      return;
    }
    Extent symbol = readNumber(n, n.cast(condition, n.builder().getI64Type()));
    GraphImporter::addCheck(n, {symbol, int64_t(holds), nn::Check::Relation::Equal, message});
  }

  NodeContext &n;
  const Graph *graphs[2];
  Branch branches[2];
  Value condition;
  bool withRest = false;
};

} // namespace

Results makeIf(NodeContext &n, const Graph &yes, const Graph &no) { return Choice(n, yes, no).make(); }

} // namespace kumiko::onnx
