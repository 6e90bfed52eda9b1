//===- Apply.cpp - functions meet types ------------------------------------===//
#include "kumiko/Equation/Instantiate/Values.h"
#include <cmath>

namespace kumiko::eq {
namespace {

bool isComparison(Function function) { return function >= Function::Eq && function <= Function::Ge; }
bool isBitwise(Function function) { return function >= Function::And && function <= Function::Xor; }
bool isShift(Function function) { return function == Function::Shl || function == Function::Shr; }
/// Defined for integers as well as for floats.
bool worksOnIntegers(Function function) {
  switch (function) {
  case Function::Neg:
  case Function::BitNot:
  case Function::Abs:
  case Function::Sign:
    return true;
  default:
    return function >= Function::Add && function != Function::Atan2;
  }
}

/// The value of a function of reals at a constant; nothing where folding is not worth a line.
std::optional<double> fold(Function function, double x) {
  switch (function) {
  case Function::Neg:
    return -x;
  case Function::Abs:
    return std::abs(x);
  case Function::Floor:
    return std::floor(x);
  case Function::Ceil:
    return std::ceil(x);
  case Function::Sqrt:
    return std::sqrt(x);
  case Function::Exp:
    return std::exp(x);
  case Function::Log:
    return std::log(x);
  default:
    return std::nullopt;
  }
}

std::optional<double> fold(Function function, double x, double y) {
  switch (function) {
  case Function::Add:
    return x + y;
  case Function::Sub:
    return x - y;
  case Function::Mul:
    return x * y;
  case Function::Div:
    return x / y;
  case Function::Pow:
    return std::pow(x, y);
  case Function::Max:
    return x > y || std::isnan(x) ? x : y;
  case Function::Min:
    return x < y || std::isnan(x) ? x : y;
  default:
    return std::nullopt;
  }
}

/// The truth of a comparison of index constants; nothing while symbols leave it open.
std::optional<bool> foldComparison(Function function, const Expr &a, const Expr &b) {
  if (!isConstant(a) || !isConstant(b) || a.type != ElementType::Index)
    return std::nullopt;
  Extent difference = extentOf(a) - extentOf(b);
  if (!difference.isStatic())
    return std::nullopt;
  int64_t sign = difference.value();
  switch (function) {
  case Function::Eq:
    return sign == 0;
  case Function::Ne:
    return sign != 0;
  case Function::Lt:
    return sign < 0;
  case Function::Le:
    return sign <= 0;
  case Function::Gt:
    return sign > 0;
  default:
    return sign >= 0;
  }
}

} // namespace

bool ValueBuilder::accepts(Function function, ElementType type) const {
  if (type == ElementType::B1)
    return isBitwise(function) || function == Function::Not || function == Function::Eq || function == Function::Ne ||
           function == Function::Max || function == Function::Min;
  if (isBitwise(function) || isShift(function) || function == Function::BitNot)
    return isInteger(type);
  if (function == Function::Not)
    return false;
  return isFloat(type) || worksOnIntegers(function);
}

Typed ValueBuilder::apply(Function function, const Typed &operand, const Node &node) {
  Typed value = operand;
  bool rounds = function == Function::Floor || function == Function::Ceil || function == Function::Round;
  if (rounds && isInteger(value.type))
    return value; // whole numbers are round already
  if (function == Function::IsNan || function == Function::IsInf) {
    if (isInteger(value.type) || value.type == ElementType::B1)
      return truth(false);
    return {make.apply(function, ElementType::B1, {value.expr}), ElementType::B1};
  }
  if (value.weak && value.type == ElementType::Index && !worksOnIntegers(function))
    value = asReal(value);
  if (!accepts(function, value.type)) {
    context.fail("'" + textOf(node) + "': " + eq::nameOf(function) + " is not defined for " + nameOf(value.type) +
                 (isInteger(value.type) ? "; convert with cast(x, f32)" : ""));
    return placeholder();
  }
  if (value.weak && value.expr->kind == Expr::Kind::Real)
    if (auto folded = fold(function, value.expr->real))
      return {make.real(ElementType::F64, *folded), value.type, true, value.absent};
  if (value.type == ElementType::Index && isConstant(*value.expr)) {
    Extent number = extentOf(*value.expr);
    if (function == Function::Neg)
      return weakInteger(-number);
    if (function == Function::Abs && number.isStatic())
      return weakInteger(number.value() < 0 ? -number : number);
  }
  return {make.apply(function, value.expr->type, {value.expr}), value.type, value.weak};
}

/// x + (absent else 0) is x, x * (absent else 1) is x.
std::optional<Typed> ValueBuilder::withoutAbsent(Function function, const Typed &a, const Typed &b) {
  auto neutral = [&](const Typed &value, bool isRight) {
    if (!value.absent)
      return false;
    bool adds = function == Function::Add || (function == Function::Sub && isRight);
    bool scales = function == Function::Mul || (function == Function::Div && isRight);
    return (adds && isNumber(*value.expr, 0)) || (scales && isNumber(*value.expr, 1));
  };
  if (neutral(b, /*isRight=*/true) && (b.weak || a.type == b.type))
    return a;
  if (neutral(a, /*isRight=*/false) && (a.weak || a.type == b.type))
    return b;
  return std::nullopt;
}

Typed ValueBuilder::apply(Function function, const Typed &left, const Typed &right, const Node &node) {
  if (auto rest = withoutAbsent(function, left, right))
    return *rest;
  Typed a = left, b = right;
  if (context.failed() || !unify(a, b, node))
    return placeholder();
  if (a.weak && a.type == ElementType::Index && !worksOnIntegers(function)) {
    a = asReal(a);
    b = asReal(b);
  }
  if (!accepts(function, a.type)) {
    context.fail("'" + textOf(node) + "': " + eq::nameOf(function) + " is not defined for " + nameOf(a.type));
    return placeholder();
  }
  if (isComparison(function)) {
    if (auto known = foldComparison(function, *a.expr, *b.expr))
      return truth(*known);
    return {make.apply(function, ElementType::B1, {a.expr, b.expr}), ElementType::B1};
  }
  if (a.type == ElementType::B1 && (function == Function::Max || function == Function::Min))
    function = function == Function::Max ? Function::Or : Function::And;
  bool divides = function == Function::Div || (function >= Function::Mod && function <= Function::CeilDiv);
  if (divides && !isFloat(a.type) && isNumber(*b.expr, 0)) {
    context.fail("'" + textOf(node) + "' divides by zero");
    return placeholder();
  }
  if (a.weak && a.type == ElementType::Index && !isBitwise(function) && function != Function::Pow) {
    const Expr *result = make.index(function, a.expr, b.expr);
    if (isConstant(*result) && extentOf(*result).overflowed())
      context.fail("'" + textOf(node) + "' does not fit in 64 bits");
    return {result, ElementType::Index, true};
  }
  if (a.weak && a.expr->kind == Expr::Kind::Real && b.expr->kind == Expr::Kind::Real)
    if (auto folded = fold(function, a.expr->real, b.expr->real))
      return weakReal(*folded);
  return {make.apply(function, a.expr->type, {a.expr, b.expr}), a.type, a.weak};
}

/// The result has the type of the base; base and exponent may differ in type.
Typed ValueBuilder::power(const Typed &base, const Typed &exponent, const Node &node) {
  if (base.weak || exponent.weak || base.type == exponent.type) {
    Typed a = base, b = exponent;
    if (a.weak && b.weak) {
      a = asReal(a);
      b = asReal(b);
    }
    // x^0.5 of integers: computed in f64 and truncated, as for strong types below.
    if (isInteger(a.type) && !a.weak && b.weak && b.type == ElementType::F64)
      b = Typed{make.cast(b.expr, ElementType::F64), ElementType::F64};
    else
      return apply(Function::Pow, a, b, node);
    return power(a, b, node);
  }
  ElementType type = ElementType::I64;
  if (isFloat(base.type))
    type = exponent.type == ElementType::F64 ? ElementType::F64 : computeType(base.type);
  else if (isFloat(exponent.type))
    type = ElementType::F64;
  if (!isFloat(base.type) && !isInteger(base.type)) {
    context.fail("'" + textOf(node) + "': pow is not defined for " + nameOf(base.type));
    return placeholder();
  }
  const Expr *value = make.apply(Function::Pow, type, {make.cast(base.expr, type), make.cast(exponent.expr, type)});
  return {make.cast(value, computeType(base.type)), base.type};
}

} // namespace kumiko::eq
