#include "kumiko/Equation/Instantiate/Values.h"

namespace kumiko::eq {

Typed ValueBuilder::build(const Node &unresolved, int element) {
  const Node &node = solver.folding.resolve(unresolved);
  switch (node.kind) {
  case Node::Kind::Integer:
    return weakInteger(node.integer);
  case Node::Kind::Real:
    return weakReal(node.real);
  case Node::Kind::Bool:
    return truth(node.integer != 0);
  case Node::Kind::String:
    context.fail("\"" + node.text + "\" is not a number; a string can only be compared with an attribute");
    return placeholder();
  case Node::Kind::Name:
    return name(node, element);
  case Node::Kind::Element:
    return constant(node, element);
  case Node::Kind::Read:
    return read(node, element);
  case Node::Kind::Tuple:
    return tuple(node, element);
  case Node::Kind::Select:
    return select(node, element);
  case Node::Kind::Unary:
    return unary(node, element);
  case Node::Kind::Binary:
    return binary(node, element);
  case Node::Kind::Call:
    return call(node, element);
  }
  return placeholder();
}

/// A value that is known before the loops.
Typed ValueBuilder::constant(const Node &node, int element) {
  Constant value = context.evaluate(node);
  if (value.isList()) {
    if (element < 0)
      context.fail("'" + textOf(node) + "' is a list; the item around it must end in `...`");
    else if (static_cast<size_t>(element) >= value.size())
      context.fail("'" + textOf(node) + "' has " + llvm::Twine(value.size()) + " elements, the pack has more");
    value = value.element(std::max(element, 0));
  }
  switch (value.kind) {
  case Constant::Kind::Int:
    return weakInteger(value.integer);
  case Constant::Kind::Real:
    return weakReal(value.real);
  case Constant::Kind::Bool:
    return truth(value.integer.is(1));
  default:
    context.fail("'" + textOf(node) + "' is not a number");
    return placeholder();
  }
}

Typed ValueBuilder::name(const Node &node, int element) {
  if (!solver.isIndex(node))
    return constant(node, element);
  unsigned loop = solver.loopOf(node, element);
  return {make.loop(loop), ElementType::Index, true};
}

Typed ValueBuilder::tuple(const Node &node, int element) {
  llvm::SmallVector<const Expr *, 4> parts;
  llvm::SmallVector<Extent, 4> extents;
  for (unsigned loop : solver.tupleLoops(node, element)) {
    parts.push_back(make.loop(loop));
    extents.push_back(solver.loops[loop].extent);
  }
  return {make.rowMajor(parts, extents), ElementType::Index, true};
}

Typed ValueBuilder::select(const Node &node, int element) {
  if (Truth known = solver.folding.decide(*node.operands[0]); known != Truth::Unknown)
    return build(*node.operands[known == Truth::True ? 1 : 2], element);
  const Expr *decision = condition(*node.operands[0], element);
  Typed yes = build(*node.operands[1], element), no = build(*node.operands[2], element);
  if (!unify(yes, no, node))
    return placeholder();
  return {make.select(decision, yes.expr, no.expr), yes.type, yes.weak};
}

const Expr *ValueBuilder::condition(const Node &node, int element) {
  Truth known = solver.folding.decide(node);
  if (known != Truth::Unknown)
    return make.boolean(known == Truth::True);
  Typed value = build(node, element);
  if (value.type != ElementType::B1) {
    context.fail("'" + textOf(node) + "' is " + nameOf(value.type) + ", not a condition");
    return make.boolean(true);
  }
  return value.expr;
}

Typed ValueBuilder::unary(const Node &node, int element) {
  if (Truth known = solver.folding.decide(node); known != Truth::Unknown)
    return truth(known == Truth::True);
  Typed value = build(*node.operands[0], element);
  bool bits = node.op == Operator::BitNot || isInteger(value.type);
  return apply(node.op == Operator::Neg                ? Function::Neg
               : bits && value.type != ElementType::B1 ? Function::BitNot
                                                       : Function::Not,
               value, node);
}

static Function functionOf(Operator op) {
  switch (op) {
  case Operator::Or:
  case Operator::BitOr:
    return Function::Or;
  case Operator::And:
  case Operator::BitAnd:
    return Function::And;
  case Operator::BitXor:
    return Function::Xor;
  case Operator::Eq:
    return Function::Eq;
  case Operator::Ne:
    return Function::Ne;
  case Operator::Lt:
    return Function::Lt;
  case Operator::Le:
    return Function::Le;
  case Operator::Gt:
    return Function::Gt;
  case Operator::Ge:
    return Function::Ge;
  case Operator::Shl:
    return Function::Shl;
  case Operator::Shr:
    return Function::Shr;
  case Operator::Sub:
    return Function::Sub;
  case Operator::Mul:
    return Function::Mul;
  case Operator::Div:
    return Function::Div;
  case Operator::Mod:
    return Function::Mod;
  default:
    return Function::Add;
  }
}

Typed ValueBuilder::binary(const Node &node, int element) {
  if (Truth known = solver.folding.decide(node); known != Truth::Unknown)
    return truth(known == Truth::True);
  bool logical = node.op == Operator::And || node.op == Operator::Or;
  // `crop and c(o) < 0` is `c(o) < 0` when crop holds.
  for (unsigned side = 0; side < 2 && logical; ++side)
    if (solver.folding.decide(*node.operands[side]) != Truth::Unknown)
      return build(*node.operands[1 - side], element);
  Typed a = build(*node.operands[0], element), b = build(*node.operands[1], element);
  if (logical && (a.type != ElementType::B1 || b.type != ElementType::B1)) {
    context.fail("'" + textOf(node) + "' joins values that are not conditions; bitwise operators are `&` and `|`");
    return placeholder();
  }
  return apply(functionOf(node.op), a, b, node);
}

const Expr *ValueBuilder::index(const Node &node, int element) {
  Typed value = build(node, element);
  if (value.type == ElementType::Index)
    return value.expr;
  if (isInteger(value.type))
    return make.cast(value.expr, ElementType::Index);
  context.fail("the index '" + textOf(node) + "' is " + nameOf(value.type) + "; convert it with i64(...)");
  return make.integer(ElementType::Index, 0);
}

const Expr *ValueBuilder::stored(const Typed &value, ElementType type, bool combined, llvm::StringRef target) {
  if (!value.weak && value.type != type) {
    context.fail(target + " is " + nameOf(type) + " but its value is " + nameOf(value.type) + "; write " +
                 nameOf(type) + "(...)");
    return value.expr;
  }
  Typed typed = value.weak ? adopt(value, type, *solver.statement.values[0]) : value;
  return combined ? typed.expr : make.cast(typed.expr, type);
}

} // namespace kumiko::eq
