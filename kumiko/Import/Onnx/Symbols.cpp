//===- Symbols.cpp - what is known up to symbols, and what is not ---------------===//
#include "kumiko/Import/Build/Checks.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// A name that an expression can have: what it may not contain becomes `_`.
static std::string symbolName(StringRef wanted) {
  std::string name = wanted.substr(0, 200).str();
  for (char &c : name)
    if (!isSymbolName(StringRef(&c, 1)))
      c = '_';
  return name.empty() ? "_" : name;
}

Extent GraphImporter::inputSymbol(StringRef wanted) {
  std::string name = symbolName(wanted);
  if (none_of(symbols, [&](const nn::Symbol &symbol) { return symbol.name == name; }))
    symbols.push_back({name, 0, std::nullopt, false});
  return Extent::symbol(name);
}

bool isNamed(const Dimension &dim) { return !dim.value && !dim.param.empty() && dim.param != "?" && dim.param != "-1"; }

std::string GraphImporter::symbolOfDimension(const ValueInfo &input, size_t axis) {
  std::string name = symbolName(input.type.shape[axis].param);
  return dimensionNames ? dimensionNames->symbolFor(name, input.name, axis) : name;
}

Extent GraphImporter::newSymbol(const Twine &wanted, bool isData) {
  std::string name = symbolName(wanted.str()), unique = name;
  auto isTaken = [&] { return any_of(symbols, [&](const nn::Symbol &symbol) { return symbol.name == unique; }); };
  for (unsigned i = 1; isTaken(); ++i)
    unique = name + "." + std::to_string(i);
  symbols.push_back({unique, 0, std::nullopt, isData});
  return Extent::symbol(unique);
}

static bool isSymbol(const Extent &extent) {
  SmallVector<StringRef, 2> names;
  extent.symbols(names);
  return names.size() == 1 && extent == Extent::symbol(names[0]);
}

void GraphImporter::addCheck(nn::Check check) {
  // A mask may be shorter than its keys; where both have the same name they are as long.
  bool relates = check.relation != nn::Check::Relation::AtMost || (isSymbol(check.lhs) && isSymbol(check.rhs));
  if (dimensionNames && relates)
    dimensionNames->relate(check.lhs, check.rhs);
  // The same condition is often asked for by many nodes; the first is enough.
  if (none_of(checks, [&](const nn::Check &other) { return isSameCheck(check, other); }))
    checks.push_back(std::move(check));
}

std::string GraphImporter::placeText(const Scope &scope, uint32_t number) const {
  const Node &node = scope.nodes[number];
  std::string text = "node " + std::to_string(number);
  if (!node.name.empty())
    text += " \"" + node.name.str() + "\"";
  return text + " (" + node.op.str() + ")";
}

Extent GraphImporter::readSymbol(NodeContext &n, Value value, size_t element, const DataBounds &bounds) {
  auto text = [](const std::optional<Extent> &extent) { return extent ? extent->str() : std::string(); };
  std::string key =
      std::to_string(element) + "|" + text(bounds.wrap) + "|" + text(bounds.upper) + (bounds.clamp ? "|c" : "|");
  StringMap<Extent> &known = readSymbols[value];
  if (auto found = known.find(key); found != known.end())
    return found->second;
  Extent symbol = newSymbol(n.node.op + "." + Twine(n.index) + "." + Twine(element), /*isData=*/true);
  SmallVector<StringRef, 1> names;
  symbol.symbols(names);
  MLIRContext *context = builder.getContext();
  auto number = [&](const std::optional<Extent> &extent) {
    return extent ? nn::numberAttr(context, *extent) : mlir::Attribute();
  };
  nn::SymbolOp::create(builder, n.location(), value, builder.getStringAttr(names.front()),
                       builder.getI64IntegerAttr(element), number(bounds.wrap), /*lower=*/mlir::Attribute(),
                       number(bounds.upper), bounds.clamp ? builder.getUnitAttr() : UnitAttr());
  known[key] = symbol;
  return symbol;
}

/// A tensor that may be a shape, or part of one's computation: its number of elements.
static std::optional<int64_t> smallCount(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getRank() > 8)
    return std::nullopt;
  Extent count = product(nn::extentsOf(type));
  return count.isStatic() && count.value() <= eq::largestKnown ? std::optional(count.value()) : std::nullopt;
}

static eq::KnownElements knownElements(const Tensor &tensor) {
  eq::KnownElements elements;
  for (int64_t i = 0; i < tensor.count(); ++i)
    if (isFloat(tensor.element()))
      elements.push_back(eq::knownReal(valueAt(tensor, i)));
    else
      elements.push_back(eq::Known{Extent(integerAt(tensor, i)), 1});
  return elements;
}

eq::KnownElements GraphImporter::computeNumbers(Operation *op, unsigned result) {
  eq::KnownElements unknown(*smallCount(op->getResult(result)));
  // Of a list whose length was not known before nothing is known either.
  if (isa<nn::ReshapeOp>(op))
    return numbers[op->getOperand(0)].size() == unknown.size() ? numbers[op->getOperand(0)] : unknown;
  auto says = [](const eq::KnownElements &elements) {
    return any_of(elements, [](const auto &element) { return element.has_value(); });
  };
  // Without anything known about its operands there is nothing to find out; ops without operands are few.
  bool any =
      op->getNumOperands() == 0 || any_of(op->getOperands(), [&](Value operand) { return says(numbers[operand]); });
  if (!isa<nn::EquationInterface>(op) || !any)
    return unknown;
  Expected<eq::Instance> instance = nn::instantiate(op);
  if (!instance)
    return consumeError(instance.takeError()), unknown;
  SmallVector<const eq::KnownElements *, 4> operands;
  for (Value slot : nn::operandSlots(op))
    operands.push_back(slot ? &numbers.find(slot)->second : nullptr);
  auto results = eq::evaluateKnown(*instance, operands);
  if (!results || result >= results->size() || (*results)[result].size() != unknown.size())
    return unknown;
  return std::move((*results)[result]);
}

const eq::KnownElements &GraphImporter::numbersOf(Value wanted) {
  // Depth first, with a list of our own: chains in files can be longer than the stack.
  SmallVector<Value> open{wanted};
  while (!open.empty()) {
    Value value = open.back();
    if (numbers.contains(value)) {
      open.pop_back();
      continue;
    }
    std::optional<int64_t> count = smallCount(value);
    Operation *op = value.getDefiningOp();
    auto tensor = folded.find(value);
    if (!count) {
      numbers[value] = {};
    } else if (tensor != folded.end()) {
      numbers[value] = knownElements(tensor->second.tensor);
    } else if (op && isa<nn::ConstantOp>(op)) {
      std::optional<Tensor> constant = valueOf(value);
      numbers[value] = constant ? knownElements(*constant) : eq::KnownElements(*count);
    } else if (!op || op->getNumRegions() != 0) {
      numbers[value] = eq::KnownElements(*count);
    } else {
      size_t before = open.size();
      for (Value operand : op->getOperands())
        if (!numbers.contains(operand))
          open.push_back(operand);
      if (open.size() != before)
        continue;
      // Made before it is stored: the map moves its elements when it grows.
      eq::KnownElements elements = computeNumbers(op, cast<OpResult>(value).getResultNumber());
      numbers[value] = std::move(elements);
    }
  }
  return numbers[wanted];
}

} // namespace kumiko::onnx
