#include "kumiko/Equation/OpParser.h"
#include "llvm/ADT/StringSwitch.h"

namespace kumiko::eq {

bool OpParser::eat(llvm::StringRef text) {
  if (!at(text))
    return false;
  ++position;
  return true;
}

bool OpParser::syntaxError(const llvm::Twine &message, const llvm::Twine &help) {
  const Token &token = peek();
  std::string found = token.kind == Token::Kind::End       ? "the end of the text"
                      : token.kind == Token::Kind::Newline ? "the end of the line"
                                                           : "'" + token.text.str() + "'";
  sink.error(token.range, message + ", found " + found, help);
  return false;
}

bool OpParser::need(llvm::StringRef text, const llvm::Twine &help) {
  return eat(text) || syntaxError("expected `" + text + "`", help);
}

bool OpParser::name(llvm::StringRef &name, SourceRange &range, llvm::StringRef what) {
  if (peek().kind != Token::Kind::Name)
    return syntaxError("expected " + what);
  name = peek().text;
  range = peek().range;
  ++position;
  return true;
}

void OpParser::skipLineBreaks() {
  while (peek().kind == Token::Kind::Newline || at(";"))
    ++position;
}

std::optional<OpDef> OpParser::parse() {
  OpDef op;
  op.range.begin = peek().range.begin;
  op.doc = docAbove(op.range.begin);
  if (!header(op) || !body(op))
    return std::nullopt;
  op.range.end = lastEnd();
  op.text = llvm::StringRef(file.text).slice(op.range.begin, op.range.end);
  llvm::SmallVector<ImportDef, 2> imports;
  for (;;) {
    size_t before = position;
    skipLineBreaks();
    if (!at("from")) {
      position = before;
      break;
    }
    if (!import(imports))
      return std::nullopt;
  }
  op.imports = file.copy<ImportDef>(imports);
  op.attributes = file.copy<AttributeDef>(scope.attributes);
  op.typeVariables = file.copy<llvm::StringRef>(scope.typeVariables);
  op.tensors = file.copy<TensorSymbol>(scope.tensors);
  for (const ImportDef &clause : op.imports)
    checkImport(op, clause);
  return op;
}

bool OpParser::header(OpDef &op) {
  SourceRange range;
  if (!need("op") || !name(op.name, range, "the name of the op"))
    return false;
  if (isReserved(op.name) && op.name != "and" && op.name != "or" && op.name != "not")
    sink.error(range, "'" + op.name + "' is a reserved word", "choose another name for the op");
  llvm::SmallVector<TensorDef, 4> operandList, resultList;
  if (!need("(") || !operands(operandList) || (eat(";") && !attributes()) ||
      !need(")", "operands come before `;`, attributes after it") || !need("->") || !results(resultList))
    return false;
  op.operands = file.copy<TensorDef>(operandList);
  op.results = file.copy<TensorDef>(resultList);
  return true;
}

bool OpParser::operands(llvm::SmallVectorImpl<TensorDef> &list) {
  if (at(")") || at(";"))
    return true;
  do {
    TensorDef operand;
    if (!tensorParam(operand, /*mayDeclareTypes=*/true))
      return false;
    scope.addTensor(operand.name, TensorSymbol::Role::Operand, list.size(), operand.range);
    list.push_back(operand);
  } while (eat(","));
  return true;
}

bool OpParser::tensorParam(TensorDef &param, bool mayDeclareTypes) {
  if (!name(param.name, param.range, "a name"))
    return false;
  param.optional = eat("?");
  param.variadic = eat("...");
  if (eat(":")) {
    llvm::StringRef type;
    SourceRange range;
    if (!name(type, range, "a type"))
      return false;
    param.type = scope.type(type, range, mayDeclareTypes);
  } else {
    param.type = scope.type("T", param.range, mayDeclareTypes);
  }
  param.range.end = lastEnd();
  if (at("="))
    return syntaxError("a tensor has no default value", "only attributes, after `;`, have one; `x?` is optional");
  return true;
}

bool OpParser::attributes() {
  if (at(")"))
    return true;
  do {
    if (!attributeParam())
      return false;
  } while (eat(","));
  return true;
}

bool OpParser::attributeParam() {
  AttributeDef attribute;
  if (!name(attribute.name, attribute.range, "the name of an attribute") ||
      !need(":", "an attribute needs a type: `axis: int`"))
    return false;
  auto kind = llvm::StringSwitch<std::optional<AttributeKind>>(peek().text)
                  .Case("int", AttributeKind::Int)
                  .Case("ints", AttributeKind::Ints)
                  .Case("float", AttributeKind::Float)
                  .Case("floats", AttributeKind::Floats)
                  .Case("bool", AttributeKind::Bool)
                  .Case("str", AttributeKind::Str)
                  .Case("type", AttributeKind::Type)
                  .Case("combine", AttributeKind::Combine)
                  .Default(std::nullopt);
  if (!kind)
    return syntaxError("expected the type of an attribute",
                       "one of int, ints, float, floats, bool, str, type, combine");
  attribute.kind = *kind;
  ++position;
  if (eat("=") && !(attribute.defaultValue = constantExpression()))
    return false;
  attribute.range.end = lastEnd();
  scope.addAttribute(attribute);
  return true;
}

bool OpParser::results(llvm::SmallVectorImpl<TensorDef> &list) {
  if (!eat("("))
    return result(list);
  do {
    if (!result(list))
      return false;
  } while (eat(","));
  return need(")");
}

bool OpParser::result(llvm::SmallVectorImpl<TensorDef> &list) {
  TensorDef result;
  if (!tensorParam(result, /*mayDeclareTypes=*/false))
    return false;
  scope.addTensor(result.name, TensorSymbol::Role::Result, list.size(), result.range);
  list.push_back(result);
  return true;
}

bool OpParser::body(OpDef &op) {
  skipLineBreaks();
  if (!need("{"))
    return false;
  declareTargets();
  llvm::SmallVector<StatementDef, 4> statements;
  for (skipLineBreaks(); !eat("}"); skipLineBreaks()) {
    StatementDef next;
    if (peek().kind == Token::Kind::End)
      return syntaxError("expected `}`", "the op begins with '" + op.name + "' and is not closed");
    if (!statement(next))
      return false;
    statements.push_back(next);
  }
  op.statements = file.copy<StatementDef>(statements);
  return true;
}

/// Looks at the left sides: every name there that is not declared is a temporary.
void OpParser::declareTargets() {
  bool startsStatement = true;
  for (size_t i = position; i < tokens.size() && !tokens[i].is("}"); ++i) {
    if (tokens[i].kind == Token::Kind::Newline || tokens[i].is(";")) {
      startsStatement = true;
      continue;
    }
    // name ( ... ) , name ( ... )
    while (startsStatement && tokens[i].kind == Token::Kind::Name) {
      llvm::StringRef name = tokens[i].text;
      if (!scope.tensor(name) && !scope.attribute(name))
        scope.addTensor(name, TensorSymbol::Role::Temporary, 0, tokens[i].range);
      ++i;
      unsigned depth = 0;
      while (i + 1 < tokens.size() && (depth > 0 || tokens[i].is("("))) {
        depth += tokens[i].is("(");
        depth -= tokens[i].is(")");
        ++i;
      }
      if (!tokens[i].is(","))
        break;
      ++i;
    }
    startsStatement = tokens[i].kind == Token::Kind::Newline || tokens[i].is(";");
    if (tokens[i].is("}"))
      break;
  }
}

} // namespace kumiko::eq
