//===- Symbols.cpp - the symbols of a program, and ops that define or use them //
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Nn/Nn.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::nn;

static constexpr std::pair<Check::Relation, StringLiteral> relations[] = {
    {Check::Relation::Equal, "=="}, {Check::Relation::Broadcast, "broadcast"}, {Check::Relation::AtMost, "<="}};

static StringRef nameOf(Check::Relation relation) {
  return llvm::find_if(relations, [&](auto &row) { return row.first == relation; })->second;
}

SmallVector<Symbol> nn::symbolsOf(Operation *function) {
  SmallVector<Symbol> symbols;
  auto list = function->getAttrOfType<ArrayAttr>(symbolsAttrName);
  if (!list)
    return symbols;
  for (auto row : list.getAsRange<DictionaryAttr>()) {
    Symbol &symbol = symbols.emplace_back();
    symbol.name = row.getAs<StringAttr>("name").str();
    if (auto lower = row.getAs<IntegerAttr>("lower"))
      symbol.lower = lower.getInt();
    if (auto upper = row.getAs<IntegerAttr>("upper"))
      symbol.upper = upper.getInt();
    symbol.isData = row.contains("data");
  }
  return symbols;
}

SmallVector<Check> nn::checksOf(Operation *function) {
  SmallVector<Check> checks;
  auto list = function->getAttrOfType<ArrayAttr>(checksAttrName);
  if (!list)
    return checks;
  for (auto row : list.getAsRange<DictionaryAttr>()) {
    StringRef relation = row.getAs<StringAttr>("relation");
    checks.push_back({*extentOf(row.get("lhs")), *extentOf(row.get("rhs")),
                      llvm::find_if(relations, [&](auto &each) { return each.second == relation; })->first,
                      row.getAs<StringAttr>("message").str()});
  }
  return checks;
}

/// Sets the attribute, or removes it when the list is empty.
static void setList(Operation *function, StringRef name, ArrayRef<Attribute> rows) {
  if (rows.empty())
    function->removeAttr(name);
  else
    function->setAttr(name, ArrayAttr::get(function->getContext(), rows));
}

void nn::setSymbols(Operation *function, ArrayRef<Symbol> symbols) {
  Builder b(function->getContext());
  setList(function, symbolsAttrName, llvm::map_to_vector(symbols, [&](const Symbol &symbol) -> Attribute {
            SmallVector<NamedAttribute> row{b.getNamedAttr("name", b.getStringAttr(symbol.name))};
            if (symbol.lower != 0)
              row.push_back(b.getNamedAttr("lower", b.getI64IntegerAttr(symbol.lower)));
            if (symbol.upper)
              row.push_back(b.getNamedAttr("upper", b.getI64IntegerAttr(*symbol.upper)));
            if (symbol.isData)
              row.push_back(b.getNamedAttr("data", b.getUnitAttr()));
            return b.getDictionaryAttr(row);
          }));
}

void nn::setChecks(Operation *function, ArrayRef<Check> checks) {
  MLIRContext *context = function->getContext();
  Builder b(context);
  setList(function, checksAttrName, llvm::map_to_vector(checks, [&](const Check &check) -> Attribute {
            return b.getDictionaryAttr({b.getNamedAttr("lhs", numberAttr(context, check.lhs)),
                                        b.getNamedAttr("relation", b.getStringAttr(nameOf(check.relation))),
                                        b.getNamedAttr("rhs", numberAttr(context, check.rhs)),
                                        b.getNamedAttr("message", b.getStringAttr(check.message))});
          }));
}

static LogicalResult verifySymbol(Operation *op, DictionaryAttr row, llvm::StringSet<> &names) {
  auto name = row.getAs<StringAttr>("name");
  if (!name || !eq::isSymbolName(name))
    return op->emitOpError() << "a symbol has no name, or one with quotes or control characters: " << row;
  if (!names.insert(name).second)
    return op->emitOpError() << "symbol '" << name.getValue() << "' is listed twice";
  for (StringRef bound : {"lower", "upper"})
    if (row.contains(bound) && !(isNumber(row.get(bound)) && isa<IntegerAttr>(row.get(bound))))
      return op->emitOpError() << bound << " bound of symbol '" << name.getValue() << "' is not an i64";
  return success();
}

LogicalResult nn::detail::verifySymbolAttribute(Operation *op, NamedAttribute attribute) {
  bool isSymbols = attribute.getName() == symbolsAttrName;
  if (!isSymbols && attribute.getName() != checksAttrName)
    return success();
  auto list = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!list || !llvm::all_of(list, llvm::IsaPred<DictionaryAttr>))
    return op->emitOpError() << attribute.getName().getValue() << " is not a list of dictionaries";
  llvm::StringSet<> names;
  for (auto row : list.getAsRange<DictionaryAttr>()) {
    if (isSymbols) {
      if (failed(verifySymbol(op, row, names)))
        return failure();
      continue;
    }
    auto relation = row.getAs<StringAttr>("relation");
    if (!isNumber(row.get("lhs")) || !isNumber(row.get("rhs")) || !row.getAs<StringAttr>("message") || !relation ||
        llvm::none_of(relations, [&](auto &each) { return each.second == relation.getValue(); }))
      return op->emitOpError() << "a check needs lhs, relation (==, <= or broadcast), rhs and message: " << row;
  }
  return success();
}

bool nn::usesSymbols(Operation *op) {
  auto isSymbolic = [](Attribute value) {
    return isa<ExtentAttr>(value) || (isa<ArrayAttr>(value) && isNumbers(value));
  };
  auto isDynamic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  return llvm::any_of(op->getResultTypes(), isDynamic) ||
         llvm::any_of(op->getAttrs(), [&](NamedAttribute attribute) { return isSymbolic(attribute.getValue()); });
}

OpFoldResult ExtentOp::fold(FoldAdaptor) { return getValueAttr(); }

LogicalResult SymbolOp::verify() {
  if (!eq::isSymbolName(getSymbol())) // symbol_c1
    return emitOpError() << "the name has quotes or control characters";
  RankedTensorType type = getX().getType();
  if (!type.getElementType().isInteger()) // symbol_c2
    return emitOpError() << "elements are " << type.getElementType() << ", expected integers";
  if (getAt() < 0 || (type.hasStaticShape() && getAt() >= type.getNumElements())) // symbol_c3
    return emitOpError() << "element " << getAt() << " is outside " << type;
  return success();
}
