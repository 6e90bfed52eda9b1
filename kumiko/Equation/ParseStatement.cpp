#include "kumiko/Equation/OpParser.h"
#include "llvm/ADT/StringSwitch.h"

namespace kumiko::eq {

// Longer statements are not written by people, and the trees of later stages are as deep as a statement is long.
static constexpr size_t maxStatementTokens = 1000;

bool OpParser::statement(StatementDef &statement) {
  size_t first = position;
  scope.beginStatement();
  selectCount = 0;
  readCount = 0;
  if (!declareVariadicNumbers())
    return false;

  llvm::SmallVector<TargetDef, 2> targets;
  do {
    if (!target(targets))
      return false;
  } while (eat(","));
  if (!assignment(statement))
    return false;
  llvm::SmallVector<const Node *, 2> values;
  do {
    values.push_back(expression());
    if (!values.back())
      return false;
  } while (eat(","));
  if (eat("into") && !(statement.into = expression()))
    return false;
  llvm::SmallVector<ClauseDef, 4> clauses;
  if (eat("where")) {
    do {
      if (!clause(clauses))
        return false;
    } while (eat(","));
  }
  if (peek().kind != Token::Kind::Newline && peek().kind != Token::Kind::End && !at(";") && !at("}"))
    return syntaxError("expected the end of the statement", "a statement ends at the end of the line or with `;`");

  scope.endStatement();
  statement.targets = file.copy<TargetDef>(targets);
  statement.values = file.copy<const Node *>(values);
  statement.clauses = file.copy<ClauseDef>(clauses);
  statement.indices = file.copy<IndexDef>(scope.indices);
  statement.selectCount = selectCount;
  statement.readCount = readCount;
  statement.range = {tokens[first].range.begin, lastEnd()};
  statement.text = textOf(first, position);
  return true;
}

/// Finds `xs[v]` ahead of time: `v` counts operands and is known wherever it stands, also to the left of `xs[v]`.
bool OpParser::declareVariadicNumbers() {
  size_t length = 0;
  for (; peek(length).kind != Token::Kind::End; ++length) {
    const Token &token = peek(length);
    if (token.kind == Token::Kind::Newline || token.is(";") || token.is("}"))
      break;
    if (token.kind != Token::Kind::Name || !peek(length + 1).is("[") || !peek(length + 3).is("]"))
      continue;
    auto tensor = scope.tensor(token.text);
    const Token &number = peek(length + 2);
    if (tensor && number.kind == Token::Kind::Name && !scope.attribute(number.text) && !scope.tensor(number.text))
      scope.addVariadicNumber(number.text);
  }
  if (length <= maxStatementTokens)
    return true;
  return syntaxError("statement is too long", "split it with temporaries");
}

bool OpParser::target(llvm::SmallVectorImpl<TargetDef> &list) {
  TargetDef target;
  if (!name(target.name, target.range, "the tensor that the statement assigns"))
    return false;
  if (auto tensor = scope.tensor(target.name))
    target.tensor = *tensor;
  else
    sink.error(target.range, "'" + target.name + "' cannot be assigned", "only results and temporaries are");
  llvm::SmallVector<Item, 4> indices;
  if (eat("(") && !items(indices))
    return false;
  target.items = file.copy<Item>(indices);
  target.range.end = lastEnd();
  list.push_back(target);
  return true;
}

bool OpParser::assignment(StatementDef &statement) {
  if (eat("[")) {
    SourceRange range;
    if (!name(statement.kindName, range, "an attribute of type `combine`") || !need("]") || !need("="))
      return false;
    statement.assign = AssignKind::FromAttribute;
    auto attribute = scope.attribute(statement.kindName);
    if (attribute && scope.attributes[*attribute].kind == AttributeKind::Combine)
      statement.kindAttribute = *attribute;
    else
      sink.error(range, "'" + statement.kindName + "' is not an attribute of type combine",
                 "declare it as `" + statement.kindName + ": combine`");
    return true;
  }
  auto kind = llvm::StringSwitch<std::optional<AssignKind>>(peek().kind == Token::Kind::Symbol ? peek().text : "")
                  .Case("=", AssignKind::Set)
                  .Case("+=", AssignKind::Sum)
                  .Case("*=", AssignKind::Product)
                  .Case("max=", AssignKind::Max)
                  .Case("min=", AssignKind::Min)
                  .Case("and=", AssignKind::And)
                  .Case("or=", AssignKind::Or)
                  .Default(std::nullopt);
  if (!kind)
    return syntaxError("expected an assignment",
                       "one of `=`, `+=`, `*=`, `max=`, `min=`, `and=`, `or=`, or `[kind]=` with an attribute");
  statement.assign = *kind;
  ++position;
  return true;
}

bool OpParser::clause(llvm::SmallVectorImpl<ClauseDef> &list) {
  ClauseDef clause;
  clause.range = peek().range;
  const Token &second = peek(1);
  bool isNamed = peek().kind == Token::Kind::Name && (second.is("in") || second.is("like") || second.is(":") ||
                                                      (at("rank") && second.kind == Token::Kind::Name));
  if (isNamed) {
    if (!namedClause(clause))
      return false;
  } else {
    Item condition;
    if (!item(condition))
      return false;
    clause.items = file.copy<Item>({condition});
  }
  clause.range.end = lastEnd();
  list.push_back(clause);
  return true;
}

bool OpParser::namedClause(ClauseDef &clause) {
  bool isRank = eat("rank");
  SourceRange range;
  if (!name(clause.name, range, isRank ? "a pack" : "an index or a tensor"))
    return false;
  if (isRank || at("in")) {
    clause.kind = isRank ? ClauseDef::Kind::Rank : ClauseDef::Kind::Range;
    if (!need(isRank ? "=" : "in"))
      return false;
    if (auto index = scope.index(clause.name))
      clause.number = *index;
    else
      sink.error(range, "'" + clause.name + "' is not an index of this statement",
                 "a range belongs to an index that the statement uses");
    return (clause.value = constantExpression()) != nullptr;
  }
  auto tensor = scope.tensor(clause.name);
  if (!tensor)
    sink.error(range, "'" + clause.name + "' is not a tensor of this op");
  clause.number = tensor.value_or(0);
  if (eat("like")) {
    clause.kind = ClauseDef::Kind::Like;
    if (!name(clause.other, range, "the tensor whose shape is meant"))
      return false;
    auto other = scope.tensor(clause.other);
    if (!other)
      sink.error(range, "'" + clause.other + "' is not a tensor of this op");
    clause.otherTensor = other.value_or(0);
    return true;
  }
  clause.kind = ClauseDef::Kind::Shape;
  llvm::SmallVector<Item, 4> extents;
  ++constantContext;
  bool good = need(":") && need("(", "a shape is written `y : (dim(x, 0), 3)`") && items(extents);
  --constantContext;
  clause.items = file.copy<Item>(extents);
  return good;
}

/// The statement on one line, without comments.
llvm::StringRef OpParser::textOf(size_t first, size_t last) {
  std::string text;
  for (size_t i = first; i < last; ++i) {
    if (i > first && tokens[i].range.begin > tokens[i - 1].range.end)
      text += ' ';
    text += tokens[i].text;
  }
  return file.save(text);
}

} // namespace kumiko::eq
