//===- Fold.cpp - conditions on attributes ---------------------------------===//
#include "kumiko/Equation/Instantiate/Solver.h"

namespace kumiko::eq {

Truth Folding::decide(const Node &node) {
  if (node.constant) {
    Constant value = context.evaluate(node, /*report=*/false);
    return value.kind != Constant::Kind::Bool ? Truth::Unknown : value.integer.is(1) ? Truth::True : Truth::False;
  }
  if (node.kind == Node::Kind::Unary && node.op == Operator::Not) {
    Truth inner = decide(*node.operands[0]);
    return inner == Truth::Unknown ? inner : inner == Truth::True ? Truth::False : Truth::True;
  }
  bool isAnd = node.op == Operator::And;
  if (node.kind != Node::Kind::Binary || (!isAnd && node.op != Operator::Or))
    return Truth::Unknown;
  Truth left = decide(*node.operands[0]), right = decide(*node.operands[1]);
  Truth deciding = isAnd ? Truth::False : Truth::True;
  if (left == deciding || right == deciding)
    return deciding;
  return left == right ? left : Truth::Unknown;
}

const Node &Folding::resolve(const Node &node) {
  if (node.kind != Node::Kind::Select || !node.operands[0]->constant)
    return node;
  uint8_t &decision = decisions[node.number];
  if (decision == Undecided)
    decision = static_cast<uint8_t>(decide(*node.operands[0]));
  auto truth = static_cast<Truth>(decision);
  return truth == Truth::Unknown ? node : resolve(*node.operands[truth == Truth::True ? 1 : 2]);
}

} // namespace kumiko::eq
