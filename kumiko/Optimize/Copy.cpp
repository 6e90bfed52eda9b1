//===- Copy.cpp - statements that compute nothing --------------------------===//
#include "kumiko/Optimize/Copy.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace kumiko;
using eq::Expr;

/// The loop that an index is, alone; also for a dimension of one element that is read at 0.
static bool sameIndex(const Expr &a, const Expr &b, const Extent &extent) {
  if (extent.is(1))
    return true;
  return a.kind == Expr::Kind::Loop && b.kind == Expr::Kind::Loop && a.loop == b.loop;
}

bool optimize::isPlainRead(const eq::Instance &instance, const eq::Statement &statement, const Expr &expr) {
  if (statement.combine != eq::Combine::Set || statement.computedLeft || statement.into || statement.continues ||
      !statement.conditions.empty() || statement.targets.size() != 1 || expr.kind != Expr::Kind::Read || expr.otherwise)
    return false;
  const eq::Target &target = statement.targets[0];
  const eq::TensorType &type = instance.tensors[expr.tensor].type;
  if (type != instance.tensors[target.tensor].type)
    return false;
  SmallVector<bool, 6> used(statement.loops.size());
  for (auto [from, to, extent] : zip_equal(expr.operands, target.indices, type.shape)) {
    if (!sameIndex(*from, *to, extent))
      return false;
    if (to->kind != Expr::Kind::Loop)
      continue;
    // The same loop twice would be a diagonal, and a loop with fewer points would leave something out.
    if (used[to->loop] || statement.loops[to->loop].extent != extent)
      return false;
    used[to->loop] = true;
  }
  return true;
}

std::optional<unsigned> optimize::copiedOperand(const eq::Instance &instance) {
  if (instance.statements.size() != 1)
    return std::nullopt;
  const eq::Statement &statement = instance.statements[0];
  const Expr &value = *statement.values[0];
  if (value.kind != Expr::Kind::Read || instance.tensors[value.tensor].role != eq::Tensor::Role::Operand)
    return std::nullopt;
  const eq::Tensor &operand = instance.tensors[value.tensor];
  if (isPlainRead(instance, statement, value))
    return operand.number;
  // A computed left side that covers its target with one block at 0 writes plainly too (a concat of one operand).
  if (!statement.computedLeft)
    return std::nullopt;
  eq::Statement plain = statement;
  plain.computedLeft = false;
  return isPlainRead(instance, plain, value) ? std::optional(operand.number) : std::nullopt;
}

bool optimize::sameTree(const Expr &a, const Expr &b) {
  if (a.kind != b.kind || a.type != b.type || a.function != b.function || a.integer != b.integer || a.real != b.real ||
      a.loop != b.loop || a.tensor != b.tensor || !a.symbolic != !b.symbolic ||
      (a.symbolic && *a.symbolic != *b.symbolic) || !a.otherwise != !b.otherwise)
    return false;
  return (!a.otherwise || sameTree(*a.otherwise, *b.otherwise)) && a.operands.size() == b.operands.size() &&
         all_of(zip_equal(a.operands, b.operands),
                [](auto pair) { return sameTree(*std::get<0>(pair), *std::get<1>(pair)); });
}

bool optimize::onlyMoves(const eq::Instance &instance) {
  return all_of(instance.statements, [](const eq::Statement &statement) {
    return statement.combine == eq::Combine::Set && all_of(statement.values, [](const Expr *value) {
             return value->kind == Expr::Kind::Read || value->kind == Expr::Kind::Integer ||
                    value->kind == Expr::Kind::Real;
           });
  });
}
