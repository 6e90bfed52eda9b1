//===- Types.cpp - weak values adopt, strong values must agree -------------===//
#include "kumiko/Equation/Instantiate/Values.h"

namespace kumiko::eq {

ElementType computeType(ElementType type) {
  bool narrow = isFloat(type) && type != ElementType::F32 && type != ElementType::F64;
  return narrow ? ElementType::F32 : type;
}

llvm::StringRef ValueBuilder::textOf(const Node &node) const {
  return context.op.text.substr(node.range.begin - context.op.range.begin, node.range.end - node.range.begin);
}

static unsigned bitsOf(ElementType type) {
  switch (type) {
  case ElementType::I4:
  case ElementType::U4:
    return 4;
  case ElementType::I2:
  case ElementType::U2:
    return 2;
  default:
    return 8 * bytesOf(type);
  }
}

bool ValueBuilder::fits(int64_t value, ElementType type) const {
  if (type == ElementType::B1)
    return value == 0 || value == 1;
  unsigned bits = bitsOf(type);
  if (isUnsigned(type))
    return value >= 0 && (bits == 64 || value < (int64_t(1) << bits));
  return bits == 64 || (value >= -(int64_t(1) << (bits - 1)) && value < (int64_t(1) << (bits - 1)));
}

/// The weak value in a strong type.
Typed ValueBuilder::adopt(const Typed &value, ElementType type, const Node &node) {
  Typed result{value.expr, type, false, value.absent};
  ElementType compute = computeType(type);
  if (value.type == ElementType::F64) { // a weak real
    if (!isFloat(type))
      context.fail("'" + textOf(node) + "' brings a fraction to type " + nameOf(type));
    else
      result.expr = make.cast(value.expr, compute);
    return result;
  }
  const Expr &expr = *value.expr;
  if (expr.kind != Expr::Kind::Integer || expr.symbolic) {
    if (type == ElementType::B1)
      context.fail("'" + textOf(node) + "' mixes an index with b1");
    else
      result.expr = make.cast(value.expr, compute);
    return result;
  }
  if (isFloat(type)) {
    result.expr = make.real(compute, static_cast<double>(expr.integer));
    return result;
  }
  if (!fits(expr.integer, type))
    context.fail("'" + textOf(node) + "': " + llvm::Twine(expr.integer) + " does not fit in " + nameOf(type));
  result.expr = make.integer(type, expr.integer);
  return result;
}

/// A weak integer as a weak real.
Typed ValueBuilder::asReal(const Typed &value) {
  if (value.type != ElementType::Index)
    return value;
  const Expr &expr = *value.expr;
  bool number = expr.kind == Expr::Kind::Integer && !expr.symbolic;
  Typed result = value;
  result.type = ElementType::F64;
  result.expr =
      number ? make.real(ElementType::F64, static_cast<double>(expr.integer)) : make.cast(value.expr, ElementType::F64);
  return result;
}

/// Brings both to one type; false after an error.
bool ValueBuilder::unify(Typed &a, Typed &b, const Node &node) {
  if (a.weak && b.weak) {
    if (a.type != b.type) {
      a = asReal(a);
      b = asReal(b);
    }
    return true;
  }
  if (a.weak) {
    a = adopt(a, b.type, node);
  } else if (b.weak) {
    b = adopt(b, a.type, node);
  } else if (a.type != b.type) {
    context.fail("'" + textOf(node) + "' mixes " + nameOf(a.type) + " and " + nameOf(b.type) +
                 "; convert one side with cast(x, type)");
    return false;
  }
  return !context.failed();
}

/// An explicit conversion; rounds to `type` even when the arithmetic goes on in a wider one.
Typed ValueBuilder::convert(const Typed &value, ElementType type) {
  Typed result{value.expr, type, false, value.absent};
  if (!value.weak && value.type == type)
    return result;
  const Expr &expr = *value.expr;
  bool number = value.weak && expr.kind == Expr::Kind::Integer && !expr.symbolic;
  ElementType compute = computeType(type);
  if (number && isFloat(type))
    return convert(
        {make.real(ElementType::F64, static_cast<double>(expr.integer)), ElementType::F64, true, value.absent}, type);
  if (number && fits(expr.integer, type)) {
    result.expr = make.integer(type, expr.integer);
  } else if (compute == type) {
    result.expr = make.cast(value.expr, type);
  } else {
    result.expr = make.cast(make.cast(make.cast(value.expr, compute), type), compute);
  }
  return result;
}

} // namespace kumiko::eq
