//===- Linear.cpp - index expressions as linear forms, before extents are known =//
#include "kumiko/Equation/Instantiate/Solver.h"

namespace kumiko::eq {

static Linear scaled(const Linear &form, const Extent &factor) {
  Linear result;
  result.constant = form.constant * factor;
  for (const auto &[loop, coefficient] : form.terms)
    result.terms.push_back({loop, coefficient * factor});
  return result;
}

static Linear sum(Linear a, const Linear &b) {
  a.constant += b.constant;
  for (const auto &[loop, coefficient] : b.terms) {
    auto *known = llvm::find_if(a.terms, [loop = loop](const auto &term) { return term.first == loop; });
    if (known == a.terms.end())
      a.terms.push_back({loop, coefficient});
    else
      known->second += coefficient;
  }
  return a;
}

std::optional<Linear> Solver::linear(const Node &unresolved, int element) {
  const Node &node = folding.resolve(unresolved);
  if (node.constant) {
    Constant value = context.evaluate(node, /*report=*/false);
    if (value.isList() && element >= 0)
      value = value.element(element);
    if (value.kind != Constant::Kind::Int)
      return std::nullopt;
    return Linear{value.integer, {}};
  }
  if (isIndex(node))
    return Linear{0, {{loopOf(node, element), Extent(1)}}};
  switch (node.kind) {
  case Node::Kind::Unary:
    if (node.op != Operator::Neg)
      return std::nullopt;
    if (auto inner = linear(*node.operands[0], element))
      return scaled(*inner, -1);
    return std::nullopt;
  case Node::Kind::Call:
    // A conversion of an index to an integer type keeps its value.
    return node.builtin == Builtin::Cast ? linear(*node.items[0].value, element) : std::nullopt;
  case Node::Kind::Binary:
    break;
  default:
    return std::nullopt;
  }
  if (node.op != Operator::Add && node.op != Operator::Sub && node.op != Operator::Mul)
    return std::nullopt;
  auto a = linear(*node.operands[0], element), b = linear(*node.operands[1], element);
  if (!a || !b)
    return std::nullopt;
  if (node.op == Operator::Add)
    return sum(std::move(*a), *b);
  if (node.op == Operator::Sub)
    return sum(std::move(*a), scaled(*b, -1));
  if (a->terms.empty())
    return scaled(*b, a->constant);
  if (b->terms.empty())
    return scaled(*a, b->constant);
  return std::nullopt;
}

} // namespace kumiko::eq
