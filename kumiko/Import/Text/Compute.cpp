//===- Compute.cpp - what follows from an op: checks, and its values when inputs are there ----===//
#include "kumiko/Import/Build/Checks.h"
#include "kumiko/Import/Build/Describe.h"
#include "kumiko/Import/Text/Reader.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Types.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::text {

void Reader::addCheck(nn::Check check, size_t begin, bool isWritten, ArrayRef<nn::Check> together) {
  using Relation = nn::Check::Relation;
  if (!check.lhs.isStatic() || !check.rhs.isStatic()) {
    if (isWritten)
      writtenChecks[scope->block].push_back(std::move(check));
    else
      derivedChecks[scope->block].push_back({std::move(check), SmallVector<nn::Check, 0>(together)});
    return;
  }
  int64_t a = check.lhs.value(), b = check.rhs.value();
  bool isOne = check.relation == Relation::Broadcast && (a == 1 || b == 1);
  if (check.relation == Relation::AtMost ? a > b : a != b && !isOne)
    source.fail(begin, source.position(), Code::OperandShape, check.message)
        .helped("here it is " + Twine(a) + " and " + Twine(b));
}

/// In this body or around it.
bool Reader::isWritten(const nn::Check &check, Block *block) {
  for (Block *top = &function.getBody().front();; block = block->getParentOp()->getBlock()) {
    if (any_of(writtenChecks[block], [&](const nn::Check &other) { return isSameCheck(check, other); }))
      return true;
    if (block == top)
      return false;
  }
}

/// The function's list, and ops at the end of bodies for what was not written.
void Reader::finishChecks() {
  Block *top = &function.getBody().front();
  for (auto &[block, list] : derivedChecks)
    for (auto &[check, together] : list) {
      Block *where = block;
      auto isThere = [&](const nn::Check &each) { return isWritten(each, where); };
      if (isThere(check) || (!together.empty() && all_of(together, isThere)))
        continue;
      if (where != top) {
        builder.setInsertionPoint(where->getTerminator());
        nn::CheckOp::create(builder, function.getLoc(), nn::rowOf(builder.getContext(), check));
      }
      writtenChecks[where].push_back(std::move(check));
    }
  nn::setChecks(function, writtenChecks[top]);
}

void Reader::deriveChecks(Operation *op) {
  size_t at = source.position();
  forEachCheck(op, cast<NameLoc>(loc).getName().getValue(), [&](nn::Check check) { addCheck(std::move(check), at); });
}

void Reader::bindInput(const Name &name, RankedTensorType type, BlockArgument argument) {
  auto given = interpretation->inputs.find(name.base);
  auto refuse = [&](const Twine &why) {
    source.fail(name.begin, name.end, Code::OperandShape, "input \"" + name.base + "\" " + why)
        .helped("give every input as the model declares it");
  };
  if (given == interpretation->inputs.end() || !given->second.isTensor())
    return refuse("is not given");
  const Tensor &tensor = given->second.tensor.tensor;
  ElementType element = nn::toEquation(type.getElementType());
  if ((tensor.element() != element && tensor.element() != storedAs(element, interpretation->how.precision)) ||
      tensor.shape().size() != size_t(type.getRank()))
    return refuse("is " + describe(tensor.element(), tensor.shape()) + ", the model wants " + describe(type));
  for (auto [extent, size] : zip_equal(nn::extentsOf(type), tensor.shape())) {
    SmallVector<StringRef, 1> names;
    extent.symbols(names);
    if (names.size() == 1 && extent == Extent::symbol(names[0]))
      numbers.try_emplace(names[0], size);
    auto value = extent.evaluate([&](StringRef symbol) -> std::optional<int64_t> {
      auto number = numbers.find(symbol);
      return number == numbers.end() ? std::nullopt : std::optional(number->second);
    });
    if (value != size)
      return refuse("has " + Twine(size) + " where the model wants " + extent.str() +
                    (value ? " = " + std::to_string(*value) : std::string()));
  }
  argument.setType(RankedTensorType::get(tensor.shape(), type.getElementType()));
  interpretation->tensors[argument] = given->second.tensor.share();
}

/// Computes the op; sizes that its results decide become numbers.
bool Reader::compute(Operation *op, size_t begin) {
  auto refuse = [&](Code code, const Twine &why) {
    source.fail(begin, source.position(), code, why).helped("the reference evaluator stops here");
    return false;
  };
  const InterpretLimits &limits = interpretation->how.limits;
  if (++interpretation->ops > limits.nodes)
    return refuse(Code::TooLarge, "more than " + Twine(limits.nodes) + " ops");
  GraphOptions how;
  how.precision = interpretation->how.precision;
  how.unusedResults = true;
  how.limits.bytes = limits.tensorBytes;
  how.limits.points = limits.points;
  how.limits.spent = &interpretation->points;
  auto results =
      evaluateOp(op, [&](Value operand) -> const SharedTensor & { return interpretation->tensors[operand]; }, how);
  if (!results)
    return refuse(Code::UnsupportedForm, toString(results.takeError()));
  for (auto [value, tensor] : zip_equal(op->getResults(), *results)) {
    auto type = cast<RankedTensorType>(value.getType());
    for (auto [extent, size] : zip_equal(nn::extentsOf(type), tensor.tensor.shape())) {
      SmallVector<StringRef, 1> names;
      extent.symbols(names);
      if (names.size() == 1 && extent == Extent::symbol(names[0]))
        numbers.try_emplace(names[0], size);
    }
    interpretation->held += tensor.owner ? tensor.tensor.bytes().size() : 0;
    value.setType(RankedTensorType::get(tensor.tensor.shape(), type.getElementType()));
    interpretation->tensors[value] = std::move(tensor);
  }
  if (interpretation->held > limits.heldBytes)
    return refuse(Code::TooLarge, "all values together take more than " + Twine(limits.heldBytes) + " bytes");
  return true;
}

std::vector<NamedDatum> Reader::interpret(const InterpretOptions &how, const StringMap<Datum> &inputs) {
  interpretation.reset(new Interpretation(how, inputs));
  OwningOpRef<ModuleOp> module = run();
  std::vector<NamedDatum> outputs;
  if (!module)
    return outputs;
  for (const auto &given : inputs)
    if (none_of(llvm::seq(function.getNumArguments()),
                [&](unsigned i) { return function.getArgAttrOfType<StringAttr>(i, "nn.name") == given.getKey(); }))
      source.problems.add(Code::UndefinedName, "the model has no input \"" + printable(given.getKey()) + "\"")
          .helped("`kumiko inspect` lists the inputs");
  Operation *end = function.getBody().front().getTerminator();
  for (auto [number, value] : enumerate(end->getOperands()))
    outputs.push_back({function.getResultAttrOfType<StringAttr>(number, "nn.name").str(),
                       Datum::of(interpretation->tensors[value].share(),
                                 nn::toEquation(cast<RankedTensorType>(value.getType()).getElementType()))});
  return outputs;
}

void Reader::summarize(ModuleOp module, ModelSummary &summary) {
  summary.graph = modelName;
  summary.producer = "text";
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (auto [number, type] : enumerate(main.getArgumentTypes()))
    summary.inputs.push_back({main.getArgAttrOfType<StringAttr>(number, "nn.name").str(), describe(type)});
  for (auto [number, type] : enumerate(main.getResultTypes()))
    summary.outputs.push_back({main.getResultAttrOfType<StringAttr>(number, "nn.name").str(), describe(type)});
  main.walk([&](Operation *op) {
    if (isa<nn::ConstantOp, nn::YieldOp, func::ReturnOp, func::FuncOp>(op))
      return;
    const eq::OpDef *definition = isa<nn::CustomOp>(op) ? nn::definitionOf(op) : nullptr;
    ModelSummary::Operator &row = summary.ops[(definition ? definition->name : op->getName().stripDialect()).str()];
    ++row.count, row.supported = true;
    ++summary.nodes;
  });
  for (const auto &entry : weights) {
    summary.parameters += entry.getValue().count();
    summary.parameterBytes += entry.getValue().bytes().size();
  }
}

} // namespace kumiko::text
