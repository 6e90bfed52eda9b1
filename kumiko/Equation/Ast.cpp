#include "kumiko/Equation/Ast.h"

namespace kumiko::eq {

llvm::StringRef spelling(Operator op) {
  // In the order of the enumeration.
  static constexpr llvm::StringLiteral names[] = {"-", "not", "~", "or", "and", "==", "!=", "<", "<=", ">", ">=",
                                                  "&", "|",   "^", "<<", ">>",  "+",  "-",  "*", "/",  "%"};
  static_assert(std::size(names) == static_cast<size_t>(Operator::Mod) + 1);
  return names[static_cast<size_t>(op)];
}

llvm::StringRef nameOf(AttributeKind kind) {
  static constexpr llvm::StringLiteral names[] = {"int", "ints", "float", "floats", "bool", "str", "type", "combine"};
  return names[static_cast<size_t>(kind)];
}

void walk(const Node &node, llvm::function_ref<void(const Node &)> visit) {
  visit(node);
  for (const Node *operand : node.operands)
    walk(*operand, visit);
  if (node.nth)
    walk(*node.nth, visit);
  walk(node.items, visit);
  if (node.otherwise)
    walk(*node.otherwise, visit);
}

void walk(llvm::ArrayRef<Item> items, llvm::function_ref<void(const Node &)> visit) {
  for (const Item &item : items) {
    walk(*item.value, visit);
    if (item.at)
      walk(*item.at, visit);
  }
}

void walk(const StatementDef &statement, llvm::function_ref<void(const Node &)> visit) {
  for (const TargetDef &target : statement.targets)
    walk(target.items, visit);
  for (const Node *value : statement.values)
    walk(*value, visit);
  if (statement.into)
    walk(*statement.into, visit);
  for (const ClauseDef &clause : statement.clauses) {
    if (clause.value)
      walk(*clause.value, visit);
    walk(clause.items, visit);
  }
}

std::optional<unsigned> OpDef::variadicOperand() const {
  for (unsigned number = 0; number < operands.size(); ++number)
    if (operands[number].variadic)
      return number;
  return std::nullopt;
}

} // namespace kumiko::eq
