#include "kumiko/Equation/Instantiate/Constant.h"
#include <cmath>

namespace kumiko::eq {

Constant Constant::element(size_t position) const {
  if (kind == Kind::Ints)
    return position < ints.size() ? of(ints[position]) : Constant();
  if (kind == Kind::Reals)
    return position < reals.size() ? ofReal(reals[position]) : Constant();
  return *this;
}

Extent truncatingDiv(const Extent &a, const Extent &b) {
  if (!a.isStatic() || !b.isStatic())
    return floorDiv(a, b);
  // Magnitudes are divided downwards, then the sign is put back.
  bool negative = (a.value() < 0) != (b.value() < 0);
  Extent quotient = floorDiv(a.value() < 0 ? -a : a, b.value() < 0 ? -b : b);
  return negative ? -quotient : quotient;
}

namespace {

bool isNumber(const Constant &value) {
  return value.kind == Constant::Kind::Int || value.kind == Constant::Kind::Real || value.kind == Constant::Kind::Bool;
}

/// As a real; NaN when it has no value yet (a symbol).
double asReal(const Constant &value) {
  if (value.kind == Constant::Kind::Real)
    return value.real;
  return value.integer.isStatic() ? static_cast<double>(value.integer.value()) : std::nan("");
}

Constant compare(Operator op, const Constant &a, const Constant &b) {
  auto decide = [&](int order) {
    switch (op) {
    case Operator::Eq:
      return Constant::ofBool(order == 0);
    case Operator::Ne:
      return Constant::ofBool(order != 0);
    case Operator::Lt:
      return Constant::ofBool(order < 0);
    case Operator::Le:
      return Constant::ofBool(order <= 0);
    case Operator::Gt:
      return Constant::ofBool(order > 0);
    default:
      return Constant::ofBool(order >= 0);
    }
  };
  if (a.kind == Constant::Kind::Str && b.kind == Constant::Kind::Str)
    return decide(a.string.compare(b.string));
  if (a.kind == Constant::Kind::Type && b.kind == Constant::Kind::Type)
    return decide(a.type == b.type ? 0 : 1);
  if (!isNumber(a) || !isNumber(b))
    return {};
  if (a.kind == Constant::Kind::Real || b.kind == Constant::Kind::Real) {
    double x = asReal(a), y = asReal(b);
    return std::isnan(x) || std::isnan(y) ? Constant() : decide(x == y ? 0 : x < y ? -1 : 1);
  }
  Extent difference = a.integer - b.integer;
  if (a.integer == b.integer)
    return decide(0);
  return difference.isStatic() ? decide(difference.value() < 0 ? -1 : 1) : Constant();
}

Constant arithmetic(Operator op, const Constant &a, const Constant &b) {
  if (!isNumber(a) || !isNumber(b))
    return {};
  if (a.kind == Constant::Kind::Real || b.kind == Constant::Kind::Real) {
    double x = asReal(a), y = asReal(b);
    switch (op) {
    case Operator::Add:
      return Constant::ofReal(x + y);
    case Operator::Sub:
      return Constant::ofReal(x - y);
    case Operator::Mul:
      return Constant::ofReal(x * y);
    case Operator::Div:
      return Constant::ofReal(x / y);
    default:
      return {};
    }
  }
  switch (op) {
  case Operator::Add:
    return Constant::of(a.integer + b.integer);
  case Operator::Sub:
    return Constant::of(a.integer - b.integer);
  case Operator::Mul:
    return Constant::of(a.integer * b.integer);
  case Operator::Div:
    return Constant::of(truncatingDiv(a.integer, b.integer));
  case Operator::Mod:
    return Constant::of(mod(a.integer, b.integer));
  default:
    return {};
  }
}

/// f on each pair of elements; scalars repeat.
template <typename F> Constant zip(const Constant &a, const Constant &b, F f) {
  if (!a.isList() && !b.isList())
    return f(a, b);
  if (a.isList() && b.isList() && a.size() != b.size())
    return {};
  size_t length = a.isList() ? a.size() : b.size();
  Constant result;
  // An empty list has no element to tell its kind by; lists of numbers are mostly integers.
  result.kind = Constant::Kind::Ints;
  for (size_t i = 0; i < length; ++i) {
    Constant element = f(a.element(i), b.element(i));
    if (element.kind == Constant::Kind::Int || element.kind == Constant::Kind::Bool) {
      result.ints.push_back(element.integer);
    } else if (element.kind == Constant::Kind::Real) {
      result.kind = Constant::Kind::Reals;
      result.reals.push_back(element.real);
    } else {
      return {};
    }
  }
  return result;
}

Constant scalar(Operator op, const Constant &a, const Constant &b) {
  switch (op) {
  case Operator::And:
  case Operator::Or: {
    if (a.kind != Constant::Kind::Bool || b.kind != Constant::Kind::Bool)
      return {};
    bool x = a.integer.is(1), y = b.integer.is(1);
    return Constant::ofBool(op == Operator::And ? x && y : x || y);
  }
  case Operator::Eq:
  case Operator::Ne:
  case Operator::Lt:
  case Operator::Le:
  case Operator::Gt:
  case Operator::Ge:
    return compare(op, a, b);
  default:
    return arithmetic(op, a, b);
  }
}

Constant scalar(Function function, const Constant &a, const Constant &b) {
  if (a.kind == Constant::Kind::Real || b.kind == Constant::Kind::Real) {
    double x = asReal(a), y = asReal(b);
    if (!isNumber(a) || !isNumber(b) || std::isnan(x) || std::isnan(y))
      return {};
    return function == Function::Max   ? Constant::ofReal(std::max(x, y))
           : function == Function::Min ? Constant::ofReal(std::min(x, y))
                                       : Constant();
  }
  if (a.kind != Constant::Kind::Int || b.kind != Constant::Kind::Int)
    return {};
  switch (function) {
  case Function::FloorDiv:
    return Constant::of(floorDiv(a.integer, b.integer));
  case Function::CeilDiv:
    return Constant::of(ceilDiv(a.integer, b.integer));
  case Function::Mod:
    return Constant::of(mod(a.integer, b.integer));
  case Function::Rem:
    return Constant::of(a.integer - truncatingDiv(a.integer, b.integer) * b.integer);
  case Function::Max:
    return Constant::of(max(a.integer, b.integer));
  case Function::Min:
    return Constant::of(min(a.integer, b.integer));
  default:
    return {};
  }
}

} // namespace

Constant apply(Operator op, const Constant &a, const Constant &b) {
  return zip(a, b, [op](const Constant &x, const Constant &y) { return scalar(op, x, y); });
}

Constant apply(Function function, const Constant &a, const Constant &b) {
  return zip(a, b, [function](const Constant &x, const Constant &y) { return scalar(function, x, y); });
}

Constant negate(const Constant &value) {
  // -0.0 differs from 0 - 0.0, so reals are not subtracted from zero.
  if (value.kind == Constant::Kind::Real)
    return Constant::ofReal(-value.real);
  return apply(Operator::Sub, Constant::of(0), value);
}

} // namespace kumiko::eq
