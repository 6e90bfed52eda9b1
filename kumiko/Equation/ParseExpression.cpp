#include "kumiko/Equation/OpParser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"

namespace kumiko::eq {

// Deeper than any equation; keeps the recursion of this and of later stages bounded.
static constexpr unsigned maxNesting = 120;

const Node *OpParser::node(Node node) {
  node.range.end = lastEnd();
  return new (file.arena.Allocate<Node>()) Node(node);
}

const Node *OpParser::constantExpression() {
  ++constantContext;
  const Node *result = expression();
  --constantContext;
  return result;
}

const Node *OpParser::expression() {
  llvm::scope_exit leave([this] { --nesting; });
  if (++nesting > maxNesting) {
    syntaxError("expression is nested too deeply", "split the statement with a temporary");
    return nullptr;
  }
  uint32_t begin = peek().range.begin;
  const Node *condition = binary(0);
  if (!condition || !eat("?"))
    return condition;
  unsigned number = selectCount++;
  const Node *yes = expression();
  if (!yes || !need(":", "a choice is written `condition ? a : b`"))
    return nullptr;
  const Node *no = expression();
  if (!no)
    return nullptr;
  Node select{Node::Kind::Select};
  select.number = number;
  select.operands = file.copy<const Node *>({condition, yes, no});
  select.constant = condition->constant && yes->constant && no->constant;
  select.range.begin = begin;
  return node(select);
}

/// The operators of one level of binding, loosest first; nothing when the token is none of them.
static std::optional<Operator> operatorAt(unsigned level, const Token &token) {
  if (token.kind != Token::Kind::Symbol && token.kind != Token::Kind::Name)
    return std::nullopt;
  using Result = std::optional<Operator>;
  switch (level) {
  case 0:
    return llvm::StringSwitch<Result>(token.text).Case("or", Operator::Or).Default(std::nullopt);
  case 1:
    return llvm::StringSwitch<Result>(token.text).Case("and", Operator::And).Default(std::nullopt);
  case 2:
    return llvm::StringSwitch<Result>(token.text)
        .Case("==", Operator::Eq)
        .Case("!=", Operator::Ne)
        .Case("<", Operator::Lt)
        .Case("<=", Operator::Le)
        .Case(">", Operator::Gt)
        .Case(">=", Operator::Ge)
        .Default(std::nullopt);
  case 3:
    return llvm::StringSwitch<Result>(token.text)
        .Case("&", Operator::BitAnd)
        .Case("|", Operator::BitOr)
        .Case("^", Operator::BitXor)
        .Case("<<", Operator::Shl)
        .Case(">>", Operator::Shr)
        .Default(std::nullopt);
  case 4:
    return llvm::StringSwitch<Result>(token.text)
        .Case("+", Operator::Add)
        .Case("-", Operator::Sub)
        .Default(std::nullopt);
  default:
    return llvm::StringSwitch<Result>(token.text)
        .Case("*", Operator::Mul)
        .Case("/", Operator::Div)
        .Case("%", Operator::Mod)
        .Default(std::nullopt);
  }
}

const Node *OpParser::binary(unsigned level) {
  constexpr unsigned levels = 6;
  if (level == levels)
    return unary();
  uint32_t begin = peek().range.begin;
  const Node *left = binary(level + 1);
  while (left) {
    auto op = operatorAt(level, peek());
    if (!op)
      return left;
    ++position;
    const Node *right = binary(level + 1);
    if (!right)
      return nullptr;
    Node both{Node::Kind::Binary};
    both.op = *op;
    both.operands = file.copy<const Node *>({left, right});
    both.constant = left->constant && right->constant;
    both.range.begin = begin;
    left = node(both);
  }
  return nullptr;
}

const Node *OpParser::unary() {
  llvm::scope_exit leave([this] { --nesting; });
  if (++nesting > maxNesting) {
    syntaxError("expression is nested too deeply", "split the statement with a temporary");
    return nullptr;
  }
  uint32_t begin = peek().range.begin;
  auto op = llvm::StringSwitch<std::optional<Operator>>(peek().kind == Token::Kind::String ? "" : peek().text)
                .Case("-", Operator::Neg)
                .Case("not", Operator::Not)
                .Case("~", Operator::BitNot)
                .Default(std::nullopt);
  if (op) {
    ++position;
    const Node *operand = unary();
    if (!operand)
      return nullptr;
    Node result{Node::Kind::Unary};
    if (*op == Operator::Neg && (operand->kind == Node::Kind::Integer || operand->kind == Node::Kind::Real)) {
      result = *operand; // a negative number is a literal too
      result.integer = -operand->integer;
      result.real = -operand->real;
    } else {
      result.op = *op;
      result.operands = file.copy<const Node *>({operand});
      result.constant = operand->constant;
    }
    result.range.begin = begin;
    return node(result);
  }
  const Node *value = primary();
  if (!value || !at("else"))
    return value;
  if (value->kind != Node::Kind::Read || value->otherwise) {
    syntaxError("`else` follows a read", "`x(i) else 0` is 0 where x has no element i");
    return nullptr;
  }
  ++position;
  Node guarded = *value;
  guarded.otherwise = unary();
  return guarded.otherwise ? node(guarded) : nullptr;
}

const Node *OpParser::primary() {
  switch (peek().kind) {
  case Token::Kind::Integer:
  case Token::Kind::Real:
  case Token::Kind::String:
    return literal();
  case Token::Kind::Name:
    return named();
  default:
    if (at("("))
      return parenthesised();
    syntaxError("expected an expression");
    return nullptr;
  }
}

const Node *OpParser::literal() {
  const Token &token = peek();
  ++position;
  Node result{Node::Kind::Integer};
  result.range = token.range;
  result.constant = true;
  if (token.kind == Token::Kind::String) {
    result.kind = Node::Kind::String;
    result.text = token.text.trim('"');
  } else if (token.kind == Token::Kind::Real) {
    result.kind = Node::Kind::Real;
    if (token.text.getAsDouble(result.real))
      sink.error(token.range, "'" + token.text + "' is not a number");
  } else if (token.text.getAsInteger(10, result.integer)) {
    sink.error(token.range, "'" + token.text + "' does not fit in 64 bits");
  }
  return node(result);
}

const Node *OpParser::parenthesised() {
  uint32_t begin = peek().range.begin;
  ++position;
  llvm::SmallVector<Item, 4> list;
  if (!items(list))
    return nullptr;
  if (list.size() == 1 && !list[0].pack && !list[0].at)
    return list[0].value;
  Node tuple{Node::Kind::Tuple};
  tuple.items = file.copy<Item>(list);
  tuple.range.begin = begin;
  return node(tuple);
}

const Node *OpParser::named() {
  const Token &token = peek();
  ++position;
  llvm::StringRef word = token.text;
  Node result{Node::Kind::Bool};
  result.range = token.range;
  result.constant = true;
  if (word == "true" || word == "false") {
    result.integer = word == "true";
    return node(result);
  }
  if (word == "inf") {
    result.kind = Node::Kind::Real;
    result.real = std::numeric_limits<double>::infinity();
    return node(result);
  }
  if (isReserved(word) && !(word == "rank" && at("("))) {
    --position;
    syntaxError("expected an expression");
    return nullptr;
  }
  if (auto tensor = scope.tensor(word))
    return read(word, *tensor, token.range);
  if (at("("))
    return call(word, token.range);
  return nameAlone(word, token.range);
}

bool OpParser::items(llvm::SmallVectorImpl<Item> &list) {
  if (eat(")"))
    return true;
  do {
    Item next;
    if (!item(next))
      return false;
    list.push_back(next);
  } while (eat(","));
  return need(")", "items are separated by `,`");
}

bool OpParser::item(Item &item) {
  item.range.begin = peek().range.begin;
  size_t count = scope.occurrenceCount();
  item.value = expression();
  if (!item.value)
    return false;
  if (eat("...")) {
    item.pack = true;
    scope.markPack(count, item.value->kind == Node::Kind::Name);
  }
  if (eat("at")) {
    item.at = constantExpression();
    if (!item.at)
      return false;
  }
  item.range.end = lastEnd();
  return true;
}

} // namespace kumiko::eq
