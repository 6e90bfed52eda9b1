//===- Writer.cpp - the nn dialect as a .kmk text ------------------------------------------===//
#include "kumiko/Import/Text/Writer.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Import/Build/Number.h"
#include "kumiko/Import/Text/Source.h"
#include "kumiko/Import/Text/Text.h"
#include "kumiko/Nn/Definition.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Types.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::text {

std::string baseOf(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getName().str() : "value";
}

std::string extentText(const Extent &extent) {
  std::string text = extent.str();
  bool isWord = elementTypeNamed(text) || is_contained({"true", "false", "inf", "nan"}, StringRef(text).lower());
  return isWord ? "(" + text + ")" : text;
}

std::string typeText(mlir::Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string text = nameOf(nn::toEquation(tensor.getElementType())).str();
  if (tensor.getRank() == 0)
    return text;
  return text + "[" + join(map_range(nn::extentsOf(tensor), extentText), ", ") + "]";
}

/// Words that begin a statement or an expression.
static bool isKeyword(StringRef name) {
  return is_contained({"let", "check", "symbol", "symbols", "yield", "if", "scan", "loop", "weight", "data", "else"},
                      name) ||
         elementTypeNamed(name);
}
std::string asName(StringRef name) { return isKeyword(name) ? "\"" + name.str() + "\"" : quoted(name); }
std::string asString(StringRef content) {
  return isIdentifier(content) ? "\"" + content.str() + "\"" : quoted(content);
}

std::string Writer::newName(StringRef base) {
  unsigned number = taken[base]++;
  return asName(base) + (number ? "." + std::to_string(number) : "");
}

Expected<std::string> Writer::run(ModuleOp module, StringRef weightsFile) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || !main.getBody().hasOneBlock())
    return createStringError("the module has no main function of one block");
  collectDefinitions(main);
  writeSignature(main);
  writeSymbols(main);
  Block &block = main.getBody().front();
  SmallVector<std::pair<std::string, Value>> outputs;
  for (auto [number, value] : enumerate(block.getTerminator()->getOperands())) {
    auto name = main.getResultAttrOfType<StringAttr>(number, "nn.name");
    outputs.push_back({name ? name.str() : "y" + std::to_string(number), value});
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || nameOfValue(value) != asName(outputs.back().first))
      taken.try_emplace(outputs.back().first, 1); // kept for the output
  }
  writeBlock(block);
  for (const nn::Check &check : nn::checksOf(main))
    writeCheck(check);
  for (const auto &[name, value] : outputs)
    if (asName(name) != nameOfValue(value))
      line() << "let " << asName(name) << " = " << nameOfValue(value) << ";\n";
  os << "}\n";
  if (!why.empty())
    return createStringError(why);
  std::string head;
  if (!weights.empty())
    head = "weights " + asString(weightsFile) + "\n\n";
  for (const auto &definition : definitions)
    head += definition.getValue() + "\n\n";
  return head + text;
}

/// Ops that came with the program, where a name says which.
void Writer::collectDefinitions(func::FuncOp main) {
  llvm::StringSet<> twice;
  main.walk([&](Operation *op) {
    auto definition = op->getAttrOfType<StringAttr>(nn::definitionName);
    if (!definition) {
      twice.insert(op->getName().stripDialect());
      return;
    }
    const eq::OpDef *parsed = nn::definitionOf(op);
    if (!parsed || parsed->text != definition.getValue() || is_contained({"reshape", "bitcast"}, parsed->name) ||
        isKeyword(parsed->name))
      return;
    auto [entry, fresh] = definitions.try_emplace(parsed->name, definition.str());
    if (!fresh && entry->second != definition.getValue())
      twice.insert(parsed->name);
  });
  for (const auto &name : twice)
    definitions.erase(name.getKey());
}

void Writer::writeSignature(func::FuncOp main) {
  os << "model " << asName(baseOf(main.getLoc())) << "(";
  ListSeparator comma;
  for (BlockArgument argument : main.getArguments()) {
    auto name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "nn.name");
    names[argument] = newName(name ? name.getValue() : "x");
    os << comma << names[argument] << ": " << typeText(argument.getType());
  }
  os << ") -> (";
  ListSeparator between;
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    auto name = main.getResultAttrOfType<StringAttr>(i, "nn.name");
    os << between << asName(name ? name.str() : "y" + std::to_string(i));
  }
  os << ") {\n";
}

/// Nothing where the inputs tell it all.
void Writer::writeSymbols(func::FuncOp main) {
  SmallVector<nn::Symbol> symbols = nn::symbolsOf(main);
  SmallVector<std::string> told;
  for (mlir::Type type : main.getArgumentTypes())
    for (const Extent &extent : nn::extentsOf(cast<RankedTensorType>(type))) {
      SmallVector<StringRef, 2> found;
      extent.symbols(found);
      for (StringRef name : found)
        if (!is_contained(told, name))
          told.push_back(name.str());
    }
  auto isPlain = [&](const auto &pair) {
    const nn::Symbol &symbol = std::get<0>(pair);
    return symbol.name == std::get<1>(pair) && symbol.lower == 0 && !symbol.upper && !symbol.isData;
  };
  if (symbols.size() == told.size() && all_of(zip(symbols, told), isPlain))
    return;
  ListSeparator comma;
  line() << "symbols ";
  for (const nn::Symbol &symbol : symbols) {
    os << comma << (symbol.isData ? "data " : "") << asName(symbol.name);
    if (symbol.lower)
      os << " >= " << symbol.lower;
    if (symbol.upper)
      os << " <= " << *symbol.upper;
  }
  os << ";\n";
}

void Writer::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<nn::ConstantOp>(op)) {
      pending.push_back(constant);
      continue;
    }
    writePending(&op);
    writeOp(&op);
  }
  writePending(nullptr);
}

/// Whether the reader makes the constant where its user names it: it is a weight of its own name, or written there.
bool Writer::isAbsorbed(nn::ConstantOp constant, Operation *user) {
  if (isa<DenseResourceElementsAttr>(constant.getValue())) {
    std::string base = baseOf(constant.getLoc());
    return !isKeyword(base) && !taken.contains(base) &&
           (stored.contains(constant.getValue()) ? stored.lookup(constant.getValue()) == base
                                                 : !storedNames.contains(base) && json::isUTF8(base) &&
                                                       isStorable(nn::toEquation(constant.getType().getElementType())));
  }
  return constant->hasOneUse() && constant.getLoc() == user->getLoc() && constant.getType().getNumElements() <= 4 &&
         !isa<nn::SymbolOp>(user) && user->getNumRegions() == 0;
}

/// Constants right before their user, in the order of its operands, are written in its place; others before it.
void Writer::writePending(Operation *user) {
  SmallVector<nn::ConstantOp> first;
  if (user)
    for (Value operand : user->getOperands())
      if (auto constant = operand.getDefiningOp<nn::ConstantOp>())
        if (is_contained(pending, constant) && !is_contained(first, constant))
          first.push_back(constant);
  size_t absorbed = first.size();
  bool fits = absorbed <= pending.size() && ArrayRef(pending).take_back(absorbed) == ArrayRef(first) &&
              all_of(first, [&](nn::ConstantOp each) { return isAbsorbed(each, user); });
  if (!fits)
    absorbed = 0;
  for (auto [i, constant] : enumerate(pending)) {
    bool isInPlace = i + absorbed >= pending.size();
    bool isWeight = isa<DenseResourceElementsAttr>(constant.getValue());
    std::string written = constantText(constant), base = baseOf(constant.getLoc());
    if (isInPlace && !(isWeight && taken.contains(base))) {
      names[constant.getY()] = isWeight ? newName(base) : written;
      continue;
    }
    names[constant.getY()] = newName(base);
    line() << "let " << nameOfValue(constant.getY()) << " = " << written << ";\n";
  }
  pending.clear();
}

std::string Writer::constantText(nn::ConstantOp constant) {
  constexpr int64_t mostWritten = 4096;
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  RankedTensorType type = cast<RankedTensorType>(constant.getType());
  if (!dense || (!dense.isSplat() && type.getNumElements() > mostWritten))
    return store(constant);
  ElementType element = nn::toEquation(type.getElementType());
  Expected<Tensor> tensor = constantTensor(constant.getValue());
  if (!tensor)
    return why = toString(tensor.takeError()), "";
  auto number = [&](int64_t i) { return numberText(element, tensor->data() + i * bytesOf(element)); };
  if (dense.isSplat() && type.getNumElements() > 1)
    return typeText(type) + "(" + number(0) + "...)";
  return typeText(type) + "(" + join(map_range(seq(type.getNumElements()), number), ", ") + ")";
}

/// Puts the elements among the weights, each attribute once.
std::string Writer::store(nn::ConstantOp constant) {
  ElementType element = nn::toEquation(cast<RankedTensorType>(constant.getType()).getElementType());
  std::string &name = stored[constant.getValue()];
  if (name.empty()) {
    Expected<Tensor> tensor = constantTensor(constant.getValue());
    if (!tensor)
      return why = toString(tensor.takeError()), "";
    std::string base = baseOf(constant.getLoc());
    if (!json::isUTF8(base))
      base = "weight";
    name = base;
    for (unsigned i = 1; !storedNames.insert(name).second; ++i)
      name = base + "." + std::to_string(i);
    weights.push_back({name, std::move(*tensor)});
  }
  return "weight(" + asString(name) + ")" + (isStorable(element) ? "" : ": " + nameOf(element).str());
}

void Writer::writeOp(Operation *op) {
  if (auto symbol = dyn_cast<nn::SymbolOp>(op))
    return writeSymbolOp(symbol);
  if (auto check = dyn_cast<nn::CheckOp>(op))
    return writeCheck(nn::checkOf(check.getRow()));
  std::string base = baseOf(op->getLoc());
  SmallVector<std::string> made;
  for (Value result : op->getResults())
    names[result] = made.emplace_back(newName(base));
  line() << "let " << join(made, ", ") << " = ";
  if (auto choice = dyn_cast<nn::IfOp>(op))
    writeIf(choice);
  else if (auto scan = dyn_cast<nn::ScanOp>(op))
    writeScan(scan);
  else if (auto loop = dyn_cast<nn::LoopOp>(op))
    writeLoop(loop);
  else
    writeCall(op);
  os << ";\n";
}

static bool isDefault(const eq::OpDef *definition, NamedAttribute attribute) {
  for (const eq::AttributeDef &each : definition ? definition->attributes : ArrayRef<eq::AttributeDef>())
    if (attribute.getName() == each.name)
      if (std::optional<eq::Attribute> value = nn::defaultOf(each))
        return nn::fromEquation(attribute.getValue().getContext(), *value, each.kind) == attribute.getValue();
  return false;
}

void Writer::writeCall(Operation *op) {
  const eq::OpDef *definition = nn::definitionOf(op);
  bool isView = isa<nn::ReshapeOp, nn::BitcastOp>(op);
  if (!isView && !definition && !isa<nn::IrregularInterface>(op)) {
    why = "'" + op->getName().getStringRef().str() + "' is no op that importers make";
    return;
  }
  bool isOwn = isa<nn::CustomOp>(op) && definition && definitions.contains(definition->name);
  os << (isOwn ? definition->name : op->getName().stripDialect()) << "(";
  SmallVector<Value, 4> slots = definition ? nn::operandSlots(op) : SmallVector<Value, 4>(op->getOperands());
  while (!slots.empty() && !slots.back() && !(definition && definition->variadicOperand()))
    slots.pop_back();
  os << join(map_range(slots, [&](Value value) { return value ? nameOfValue(value) : std::string("_"); }), ", ");
  SmallVector<std::string> attributes;
  if (isView) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    attributes.push_back(isa<nn::BitcastOp>(op)
                             ? "to = " + nameOf(nn::toEquation(type.getElementType())).str()
                             : "shape = [" + join(map_range(nn::extentsOf(type), extentText), ", ") + "]");
  }
  for (NamedAttribute attribute : op->getAttrs())
    if (attribute.getName() != "operandSegmentSizes" && !isDefault(definition, attribute) &&
        !(isOwn && attribute.getName() == nn::definitionName))
      attributes.push_back(asName(attribute.getName()) + " = " + attributeText(attribute.getValue()));
  os << (attributes.empty() ? "" : "; ") << join(attributes, ", ") << ")";
}

std::string Writer::attributeText(Attribute attribute) {
  if (auto value = dyn_cast<BoolAttr>(attribute))
    return value.getValue() ? "true" : "false";
  if (auto value = dyn_cast<StringAttr>(attribute))
    return asString(value);
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return realText(value.getValueAsDouble());
  if (auto value = dyn_cast<DenseF64ArrayAttr>(attribute))
    return "[" + join(map_range(value.asArrayRef(), realText), ", ") + "]";
  if (auto value = dyn_cast<TypeAttr>(attribute))
    return nameOf(nn::toEquation(value.getValue())).str();
  if (nn::isNumber(attribute))
    return extentText(*nn::extentOf(attribute));
  if (auto list = nn::extentsOf(attribute))
    return "[" + join(map_range(*list, extentText), ", ") + "]";
  auto texts = dyn_cast<ArrayAttr>(attribute);
  if (!texts || !all_of(texts, IsaPred<StringAttr>))
    return why = "an attribute of a kind that the text does not have", "";
  return "[" + join(map_range(texts.getAsRange<StringAttr>(), [](StringAttr each) { return asString(each); }), ", ") +
         "]";
}

void Writer::writeSymbolOp(nn::SymbolOp symbol) {
  line() << "symbol " << asName(symbol.getSymbol()) << " = " << nameOfValue(symbol.getX()) << "[" << symbol.getAt()
         << "]" << (symbol.getClamp() ? " clamp" : "");
  for (auto [word, bound] :
       {std::pair("wrap", symbol.getWrapAttr()), {"lower", symbol.getLowerAttr()}, {"upper", symbol.getUpperAttr()}})
    if (bound)
      os << " " << word << "(" << extentText(*nn::extentOf(bound)) << ")";
  if (std::string node = baseOf(symbol.getLoc()); node != symbol.getSymbol())
    os << " node(" << asString(node) << ")";
  os << ";\n";
}

void Writer::writeCheck(const nn::Check &check) {
  using Relation = nn::Check::Relation;
  line() << "check "
         << (check.relation == Relation::Equal       ? "equal"
             : check.relation == Relation::Broadcast ? "broadcast"
                                                     : "atmost")
         << "(" << extentText(check.lhs) << ", " << extentText(check.rhs) << ") " << asString(check.message) << ";\n";
}

Expected<std::string> writeText(ModuleOp module, StringRef weightsFile, SmallVectorImpl<StoredTensor> &weights) {
  return Writer(weights).run(module, weightsFile);
}

} // namespace kumiko::text
