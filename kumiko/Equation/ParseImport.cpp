//===- ParseImport.cpp - `from FORMAT` clauses and documentation comments ----===//
#include "kumiko/Equation/OpParser.h"

namespace kumiko::eq {

bool OpParser::import(llvm::SmallVectorImpl<ImportDef> &list) {
  ImportDef import;
  import.range = peek().range;
  SourceRange range;
  if (!need("from") || !name(import.format, range, "the format, such as onnx"))
    return false;
  // domain.with.dots.Name
  if (!name(import.name, range, "the name of the foreign op"))
    return false;
  uint32_t domainBegin = range.begin, domainEnd = range.begin;
  while (eat(".")) {
    domainEnd = range.end;
    if (!name(import.name, range, "the name of the foreign op"))
      return false;
  }
  import.domain = llvm::StringRef(file.text).slice(domainBegin, domainEnd);
  if (eat("-")) {
    if (peek().kind != Token::Kind::Integer || peek().text.getAsInteger(10, import.version))
      return syntaxError("expected the first version that the clause holds for");
    ++position;
  }
  llvm::SmallVector<llvm::StringRef, 4> operandNames;
  llvm::SmallVector<ImportDef::Attribute, 4> attributePairs;
  if (!need("("))
    return false;
  while (!at(")") && !at(";")) {
    llvm::StringRef operand;
    if (!name(operand, range, "an operand"))
      return false;
    auto tensor = scope.tensor(operand);
    if (!tensor || scope.tensors[*tensor].role != TensorSymbol::Role::Operand)
      sink.error(range, "'" + operand + "' is not an operand of the op",
                 "operands are listed in the foreign op's order");
    operandNames.push_back(operand);
    if (!eat(","))
      break;
  }
  if ((eat(";") && !importAttributes(attributePairs)) || !need(")"))
    return false;
  import.operands = file.copy<llvm::StringRef>(operandNames);
  import.attributes = file.copy<ImportDef::Attribute>(attributePairs);
  import.range.end = lastEnd();
  list.push_back(import);
  return true;
}

bool OpParser::importAttributes(llvm::SmallVectorImpl<ImportDef::Attribute> &list) {
  while (!at(")")) {
    ImportDef::Attribute pair;
    SourceRange range;
    if (!name(pair.source, range, "an attribute of the foreign op"))
      return false;
    pair.target = pair.source;
    if (eat("->") && !name(pair.target, range, "an attribute of the op"))
      return false;
    if (!scope.attribute(pair.target))
      sink.error(range, "'" + pair.target + "' is not an attribute of the op", "write `foreign -> own`");
    list.push_back(pair);
    if (!eat(","))
      break;
  }
  return true;
}

/// A clause must give everything that the op cannot do without. One with a wrong name has its message already.
void OpParser::checkImport(const OpDef &op, const ImportDef &clause) {
  auto isOperand = [&](llvm::StringRef name) {
    return llvm::any_of(op.operands, [&](const TensorDef &operand) { return operand.name == name; });
  };
  if (!llvm::all_of(clause.operands, isOperand))
    return;
  for (const TensorDef &operand : op.operands)
    if (!operand.optional && !llvm::is_contained(clause.operands, operand.name))
      sink.error(clause.range, "the clause leaves out operand '" + operand.name + "'", "list it, or make it optional");
  for (const AttributeDef &attribute : op.attributes) {
    auto isTarget = [&](const ImportDef::Attribute &pair) { return pair.target == attribute.name; };
    if (!attribute.defaultValue && llvm::none_of(clause.attributes, isTarget))
      sink.error(clause.range, "the clause leaves out attribute '" + attribute.name + "', which has no default",
                 "list it, or give it a default");
  }
  for (llvm::StringRef name : llvm::ArrayRef(clause.operands).drop_back(clause.operands.empty() ? 0 : 1))
    for (const TensorDef &operand : op.operands)
      if (operand.name == name && operand.variadic)
        sink.error(clause.range, "'" + name + "' takes any number of inputs and must be the last of its clause",
                   "the foreign op's inputs are counted from the front");
}

/// The comment lines right above; a line of dashes is a heading and belongs to nobody.
llvm::ArrayRef<llvm::StringRef> OpParser::docAbove(uint32_t offset) {
  llvm::SmallVector<llvm::StringRef, 4> lines;
  llvm::StringRef before = llvm::StringRef(file.text).take_front(offset);
  before = before.take_front(before.rfind('\n') == llvm::StringRef::npos ? 0 : before.rfind('\n'));
  while (!before.empty()) {
    size_t start = before.rfind('\n');
    start = start == llvm::StringRef::npos ? 0 : start + 1;
    llvm::StringRef line = before.substr(start).trim();
    if (!line.consume_front("#") || line.ltrim().starts_with("---"))
      break;
    line.consume_front(" ");
    lines.push_back(line);
    before = before.take_front(start == 0 ? 0 : start - 1);
  }
  std::reverse(lines.begin(), lines.end());
  return file.copy<llvm::StringRef>(lines);
}

} // namespace kumiko::eq
