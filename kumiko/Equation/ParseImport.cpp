//===- ParseImport.cpp - `from onnx` clauses and documentation comments ----===//
#include "kumiko/Equation/OpParser.h"

namespace kumiko::eq {

bool OpParser::import(llvm::SmallVectorImpl<ImportDef> &list) {
  ImportDef import;
  import.range = peek().range;
  SourceRange range;
  if (!need("from") || !name(import.format, range, "the format: onnx"))
    return false;
  if (import.format != "onnx")
    sink.error(range, "unknown format '" + import.format + "'", "only `from onnx` exists");
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
