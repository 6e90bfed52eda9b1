//===- ScalarFunctions.cpp - functions of the notation as arith and math ---===//
#include "kumiko/Lower/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;
using eq::Function;

Value Scalar::floatUnary(Function function, ElementType type, Value x) {
  switch (function) {
  case Function::Neg:
    return arith::NegFOp::create(b, loc, x);
  case Function::Abs:
    return math::AbsFOp::create(b, loc, x);
  case Function::Floor:
    return math::FloorOp::create(b, loc, x);
  case Function::Ceil:
    return math::CeilOp::create(b, loc, x);
  case Function::Round:
    return math::RoundEvenOp::create(b, loc, x);
  case Function::Sqrt:
    return math::SqrtOp::create(b, loc, x);
  case Function::Exp:
    return math::ExpOp::create(b, loc, x);
  case Function::Log:
    return math::LogOp::create(b, loc, x);
  case Function::Log1p:
    return math::Log1pOp::create(b, loc, x);
  case Function::Expm1:
    return math::ExpM1Op::create(b, loc, x);
  case Function::Sin:
    return math::SinOp::create(b, loc, x);
  case Function::Cos:
    return math::CosOp::create(b, loc, x);
  case Function::Tan:
    return math::TanOp::create(b, loc, x);
  case Function::Asin:
    return math::AsinOp::create(b, loc, x);
  case Function::Acos:
    return math::AcosOp::create(b, loc, x);
  case Function::Atan:
    return math::AtanOp::create(b, loc, x);
  case Function::Sinh:
    return math::SinhOp::create(b, loc, x);
  case Function::Cosh:
    return math::CoshOp::create(b, loc, x);
  case Function::Tanh:
    return math::TanhOp::create(b, loc, x);
  case Function::Asinh:
    return math::AsinhOp::create(b, loc, x);
  case Function::Acosh:
    return math::AcoshOp::create(b, loc, x);
  case Function::Atanh:
    return math::AtanhOp::create(b, loc, x);
  case Function::Erf:
    return math::ErfOp::create(b, loc, x);
  case Function::IsNan:
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  case Function::IsInf:
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, math::AbsFOp::create(b, loc, x),
                                 real(type, HUGE_VAL));
  case Function::Sign:
    return floatSign(type, x);
  case Function::Sigmoid:
    return sigmoid(type, x);
  default:
    return {};
  }
}

/// x itself where it is 0 or NaN: signed zeros and NaN pass through.
Value Scalar::floatSign(ElementType type, Value x) {
  Value unit = math::CopySignOp::create(b, loc, real(type, 1), x);
  Value isZeroOrNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UEQ, x, real(type, 0));
  return arith::SelectOp::create(b, loc, isZeroOrNan, x, unit);
}

/// e / (1 + e) of the larger side of 0: exp never overflows, and results near 0 keep their digits.
Value Scalar::sigmoid(ElementType type, Value x) {
  Value one = real(type, 1);
  Value small = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, math::AbsFOp::create(b, loc, x)));
  Value isNegative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, real(type, 0));
  Value share = arith::SelectOp::create(b, loc, isNegative, small, one);
  return arith::DivFOp::create(b, loc, share, arith::AddFOp::create(b, loc, one, small));
}

Value Scalar::integerUnary(Function function, ElementType type, Value x) {
  bool bit = type == ElementType::B1;
  bool natural = bit || isUnsigned(type);
  switch (function) {
  case Function::Floor:
  case Function::Ceil:
  case Function::Round:
    return x;
  case Function::IsNan:
  case Function::IsInf:
    return integer(ElementType::B1, 0);
  case Function::Neg:
    return bit ? Value() : arith::SubIOp::create(b, loc, integer(type, 0), x);
  case Function::Not:
    return bit ? Value(arith::XOrIOp::create(b, loc, x, integer(type, 1)))
               : compare(Function::Eq, type, x, integer(type, 0));
  case Function::BitNot:
    return arith::XOrIOp::create(b, loc, x, integer(type, bit ? 1 : -1));
  case Function::Abs:
    return natural ? x : arith::MaxSIOp::create(b, loc, x, arith::SubIOp::create(b, loc, integer(type, 0), x));
  case Function::Sign: {
    if (bit)
      return x;
    Value one = integer(type, 1);
    Value most = natural ? Value(arith::MinUIOp::create(b, loc, x, one)) : arith::MinSIOp::create(b, loc, x, one);
    return natural ? most : arith::MaxSIOp::create(b, loc, most, integer(type, -1));
  }
  default:
    return {};
  }
}

Value Scalar::floatBinary(Function function, ElementType type, Value x, Value y) {
  switch (function) {
  case Function::Add:
    return arith::AddFOp::create(b, loc, x, y);
  case Function::Sub:
    return arith::SubFOp::create(b, loc, x, y);
  case Function::Mul:
    return arith::MulFOp::create(b, loc, x, y);
  case Function::Div:
    return arith::DivFOp::create(b, loc, x, y);
  case Function::Max:
    return arith::MaximumFOp::create(b, loc, x, y);
  case Function::Min:
    return arith::MinimumFOp::create(b, loc, x, y);
  case Function::Pow:
    return math::PowFOp::create(b, loc, x, y);
  case Function::Atan2:
    return math::Atan2Op::create(b, loc, x, y);
  case Function::Rem:
    return arith::RemFOp::create(b, loc, x, y);
  case Function::FloorDiv:
    return math::FloorOp::create(b, loc, arith::DivFOp::create(b, loc, x, y));
  case Function::CeilDiv:
    return math::CeilOp::create(b, loc, arith::DivFOp::create(b, loc, x, y));
  case Function::Mod: {
    // The remainder has the sign of x; move it to that of y where they differ. A zero takes the sign of y.
    Value rest = arith::RemFOp::create(b, loc, x, y), zero = real(type, 0);
    Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, rest, zero);
    Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, rest, zero);
    Value divisorBelow = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, y, zero);
    Value apart = arith::XOrIOp::create(b, loc, below, divisorBelow);
    Value moved = arith::SelectOp::create(b, loc, apart, arith::AddFOp::create(b, loc, rest, y), rest);
    return arith::SelectOp::create(b, loc, isZero, math::CopySignOp::create(b, loc, zero, y), moved);
  }
  default:
    return {};
  }
}

Value Scalar::integerBinary(Function function, ElementType type, Value x, Value y, bool nonNegative) {
  bool natural = type == ElementType::B1 || isUnsigned(type);
  auto pick = [&](auto whenNatural, auto whenSigned) -> Value {
    if (natural)
      return decltype(whenNatural)::create(b, loc, x, y);
    return decltype(whenSigned)::create(b, loc, x, y);
  };
  switch (function) {
  case Function::Add:
    return arith::AddIOp::create(b, loc, x, y);
  case Function::Sub:
    return arith::SubIOp::create(b, loc, x, y);
  case Function::Mul:
    return arith::MulIOp::create(b, loc, x, y);
  case Function::And:
    return arith::AndIOp::create(b, loc, x, y);
  case Function::Or:
    return arith::OrIOp::create(b, loc, x, y);
  case Function::Xor:
    return arith::XOrIOp::create(b, loc, x, y);
  case Function::Max:
    return pick(arith::MaxUIOp(), arith::MaxSIOp());
  case Function::Min:
    return pick(arith::MinUIOp(), arith::MinSIOp());
  case Function::Div:
  case Function::FloorDiv:
  case Function::CeilDiv:
  case Function::Rem:
  case Function::Mod:
    return divideSafely(function, type, x, y, natural || nonNegative);
  case Function::Pow:
    return isa<IndexType>(x.getType()) ? Value() : integerPower(type, x, y);
  case Function::Shl:
  case Function::Shr:
    return isa<IndexType>(x.getType()) ? Value() : shift(function, type, x, y);
  default:
    return {};
  }
}

/// `natural`: neither side is below 0.
Value Scalar::divide(Function function, ElementType type, Value x, Value y, bool natural) {
  switch (function) {
  case Function::Div:
    return natural ? Value(arith::DivUIOp::create(b, loc, x, y)) : arith::DivSIOp::create(b, loc, x, y);
  case Function::FloorDiv:
    return natural ? Value(arith::DivUIOp::create(b, loc, x, y)) : arith::FloorDivSIOp::create(b, loc, x, y);
  case Function::CeilDiv:
    return natural ? Value(arith::CeilDivUIOp::create(b, loc, x, y)) : arith::CeilDivSIOp::create(b, loc, x, y);
  case Function::Rem:
    return natural ? Value(arith::RemUIOp::create(b, loc, x, y)) : arith::RemSIOp::create(b, loc, x, y);
  default:
    return natural ? Value(arith::RemUIOp::create(b, loc, x, y)) : floorModulo(type, x, y);
  }
}

/// Division by 0 gives 0, and the lowest number divided by -1 wraps; the machine would stop at either.
Value Scalar::divideSafely(Function function, ElementType type, Value x, Value y, bool natural) {
  IntegerAttr divisor;
  if (matchPattern(y, m_Constant(&divisor)) && !divisor.getValue().isZero() && !divisor.getValue().isAllOnes())
    return divide(function, type, x, y, natural);
  auto equals = [&](int64_t value) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, y, integer(type, value));
  };
  Value isZero = equals(0), unsafe = isZero, negates;
  if (!natural) {
    negates = equals(-1);
    unsafe = arith::OrIOp::create(b, loc, isZero, negates);
  }
  Value safe = arith::SelectOp::create(b, loc, unsafe, integer(type, 1), y);
  Value result = divide(function, type, x, safe, natural);
  bool isRemainder = function == Function::Rem || function == Function::Mod;
  if (isRemainder) // by 1: what is left is 0, as it shall be
    return result;
  Value zero = integer(type, 0);
  if (negates)
    result = arith::SelectOp::create(b, loc, negates, arith::SubIOp::create(b, loc, zero, x), result);
  return arith::SelectOp::create(b, loc, isZero, zero, result);
}

/// Squares and multiplies bit by bit of the exponent, for a body has no loops. Wraps like every product. Most exponents
/// are small: what larger ones take is a side of a choice, which is skipped where no lane needs it (SkipSides).
Value Scalar::integerPower(ElementType type, Value base, Value exponent) {
  Value zero = integer(type, 0), one = integer(type, 1), result = one, factor = base;
  unsigned width = base.getType().getIntOrFloatBitWidth();
  SmallVector<std::pair<unsigned, Value>> powers; // of exponents of so many bits
  for (unsigned bit = 0; bit < width; ++bit) {
    if (bit >= 4 && llvm::isPowerOf2_32(bit))
      powers.push_back({bit, result});
    Value here = arith::AndIOp::create(b, loc, exponent, integer(type, int64_t(uint64_t(1) << bit)));
    Value taken = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, here, zero);
    Value more = arith::MulIOp::create(b, loc, result, factor);
    result = arith::SelectOp::create(b, loc, taken, more, result);
    factor = arith::MulIOp::create(b, loc, factor, factor);
  }
  for (const auto &[bits, power] : llvm::reverse(powers)) {
    Value limit = integer(type, int64_t(uint64_t(1) << bits));
    Value isSmall = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, exponent, limit);
    result = arith::SelectOp::create(b, loc, isSmall, power, result);
  }
  if (type == ElementType::B1 || isUnsigned(type))
    return result;
  // 1 / base^n: 0 but for 1 and -1, whose powers are their own inverses, and which the low bits get right.
  Value magnitude = integerUnary(Function::Abs, type, base);
  Value isUnit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, magnitude, one);
  Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, exponent, zero);
  Value inverse = arith::SelectOp::create(b, loc, isUnit, result, zero);
  return arith::SelectOp::create(b, loc, below, inverse, result);
}

/// The remainder has the sign of x; it moves to that of y where they differ.
Value Scalar::floorModulo(ElementType type, Value x, Value y) {
  Value rest = arith::RemSIOp::create(b, loc, x, y), zero = integer(type, 0);
  if (IntegerAttr divisor; matchPattern(y, m_Constant(&divisor)) && divisor.getValue().isStrictlyPositive()) {
    Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rest, zero);
    return arith::SelectOp::create(b, loc, below, arith::AddIOp::create(b, loc, rest, y), rest);
  }
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest, zero);
  Value apart = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, arith::XOrIOp::create(b, loc, rest, y), zero);
  Value move = arith::AndIOp::create(b, loc, some, apart);
  return arith::SelectOp::create(b, loc, move, arith::AddIOp::create(b, loc, rest, y), rest);
}

/// Shifting by the width or more (or by a negative amount) leaves what fills the places: 0, and copies of the sign when
/// a signed number is shifted right. The machine would give anything.
Value Scalar::shift(Function function, ElementType type, Value x, Value y) {
  unsigned bits = x.getType().getIntOrFloatBitWidth();
  Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, y, integer(type, bits));
  if (function == Function::Shr && !isUnsigned(type)) {
    Value amount = arith::SelectOp::create(b, loc, fits, y, integer(type, bits - 1));
    return arith::ShRSIOp::create(b, loc, x, amount);
  }
  Value amount = arith::SelectOp::create(b, loc, fits, y, integer(type, 0)), shifted;
  if (function == Function::Shl)
    shifted = arith::ShLIOp::create(b, loc, x, amount);
  else
    shifted = arith::ShRUIOp::create(b, loc, x, amount);
  return arith::SelectOp::create(b, loc, fits, shifted, integer(type, 0));
}

Value Scalar::compare(Function function, ElementType type, Value x, Value y) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  bool natural = type == ElementType::B1 || isUnsigned(type);
  F f;
  I i;
  switch (function) {
  case Function::Eq:
    f = F::OEQ, i = I::eq;
    break;
  case Function::Ne:
    f = F::UNE, i = I::ne;
    break;
  case Function::Lt:
    f = F::OLT, i = natural ? I::ult : I::slt;
    break;
  case Function::Le:
    f = F::OLE, i = natural ? I::ule : I::sle;
    break;
  case Function::Gt:
    f = F::OGT, i = natural ? I::ugt : I::sgt;
    break;
  case Function::Ge:
    f = F::OGE, i = natural ? I::uge : I::sge;
    break;
  default:
    return {};
  }
  if (isFloat(type))
    return arith::CmpFOp::create(b, loc, f, x, y);
  return arith::CmpIOp::create(b, loc, i, x, y);
}
