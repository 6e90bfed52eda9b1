//===- Symbols.cpp - the symbols of a program, and ops that define or use them //
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Nn/Turns.h"
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

Check nn::checkOf(DictionaryAttr row) {
  StringRef relation = row.getAs<StringAttr>("relation");
  return {*extentOf(row.get("lhs")), *extentOf(row.get("rhs")),
          llvm::find_if(relations, [&](auto &each) { return each.second == relation; })->first,
          row.getAs<StringAttr>("message").str()};
}

DictionaryAttr nn::rowOf(MLIRContext *context, const Check &check) {
  Builder b(context);
  return b.getDictionaryAttr({b.getNamedAttr("lhs", numberAttr(context, check.lhs)),
                              b.getNamedAttr("relation", b.getStringAttr(nameOf(check.relation))),
                              b.getNamedAttr("rhs", numberAttr(context, check.rhs)),
                              b.getNamedAttr("message", b.getStringAttr(check.message))});
}

SmallVector<Check> nn::checksOf(Operation *function) {
  SmallVector<Check> checks;
  auto list = function->getAttrOfType<ArrayAttr>(checksAttrName);
  if (!list)
    return checks;
  for (auto row : list.getAsRange<DictionaryAttr>())
    checks.push_back(checkOf(row));
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
  setList(function, checksAttrName, llvm::map_to_vector(checks, [&](const Check &check) -> Attribute {
            return rowOf(function->getContext(), check);
          }));
}

static LogicalResult verifySymbol(Operation *op, DictionaryAttr row, llvm::StringSet<> &names) {
  auto name = row.getAs<StringAttr>("name");
  if (!name || !isSymbolName(name))
    return op->emitOpError() << "a symbol has no name, or one with quotes or control characters: " << row;
  if (!names.insert(name).second)
    return op->emitOpError() << "symbol '" << name.getValue() << "' is listed twice";
  for (StringRef bound : {"lower", "upper"})
    if (row.contains(bound) && !(isNumber(row.get(bound)) && isa<IntegerAttr>(row.get(bound))))
      return op->emitOpError() << bound << " bound of symbol '" << name.getValue() << "' is not an i64";
  return success();
}

static LogicalResult verifyCheck(Operation *op, DictionaryAttr row) {
  auto relation = row.getAs<StringAttr>("relation");
  auto isSide = [&](StringRef side) { return row.contains(side) && isNumber(row.get(side)); };
  if (isSide("lhs") && isSide("rhs") && row.getAs<StringAttr>("message") && relation &&
      llvm::any_of(relations, [&](auto &each) { return each.second == relation.getValue(); }))
    return success();
  return op->emitOpError() << "a check needs lhs, relation (==, <= or broadcast), rhs and message: " << row;
}

LogicalResult CheckOp::verify() { return verifyCheck(*this, getRow()); } // check_c1

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
    if (failed(verifyCheck(op, row)))
      return failure();
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

static void addNames(const Extent &extent, llvm::StringSet<> &names) {
  SmallVector<StringRef> found;
  extent.symbols(found);
  for (StringRef name : found)
    names.insert(name);
}

static void addNames(Attribute attribute, llvm::StringSet<> &names) {
  if (auto extent = dyn_cast_if_present<ExtentAttr>(attribute))
    addNames(extent.getExtent(), names);
  else if (auto extents = dyn_cast_if_present<ExtentsAttr>(attribute))
    llvm::for_each(extents.getExtents(), [&](const Extent &extent) { addNames(extent, names); });
  else if (auto list = dyn_cast_if_present<ArrayAttr>(attribute))
    llvm::for_each(list, [&](Attribute each) { addNames(each, names); });
  else if (auto row = dyn_cast_if_present<DictionaryAttr>(attribute))
    llvm::for_each(row, [&](NamedAttribute each) { addNames(each.getValue(), names); });
}

void nn::addSymbolsOf(Operation *op, llvm::StringSet<> &names) {
  op->walk([&](Operation *each) {
    for (Type type : each->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        addNames(tensor.getEncoding(), names);
    for (NamedAttribute attribute : each->getAttrs())
      addNames(attribute.getValue(), names);
  });
}

void nn::addSymbolsFoundBy(Operation *op, llvm::StringSet<> &names) {
  op->walk([&](Operation *each) {
    if (auto symbol = dyn_cast<SymbolOp>(each))
      names.insert(symbol.getSymbol());
    else if (auto loop = dyn_cast<LoopOp>(each); loop && turnsOf(loop))
      names.insert(turnsOf(loop).getValue());
    else if (auto list = each->getAttrOfType<ArrayAttr>("symbols"))
      for (auto name : list.getAsRange<StringAttr>())
        names.insert(name.getValue());
  });
}

bool nn::findsSymbols(Operation *op) {
  llvm::StringSet<> names;
  addSymbolsFoundBy(op, names);
  return !names.empty();
}

OpFoldResult ExtentOp::fold(FoldAdaptor) { return getValueAttr(); }

LogicalResult SymbolOp::verify() {
  if (!isSymbolName(getSymbol())) // symbol_c1
    return emitOpError() << "the name has quotes or control characters";
  RankedTensorType type = getX().getType();
  if (!type.getElementType().isInteger()) // symbol_c2
    return emitOpError() << "elements are " << type.getElementType() << ", expected integers";
  if (getAt() < 0 || (type.hasStaticShape() && getAt() >= type.getNumElements())) // symbol_c3
    return emitOpError() << "element " << getAt() << " is outside " << type;
  return success();
}
