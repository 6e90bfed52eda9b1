//===- ScalarCasts.cpp - conversions as kumiko/Support/Convert.h says ------===//
#include "kumiko/Lower/Scalar.h"
#include "kumiko/Support/Convert.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;
using eq::Function;

static unsigned widthOf(MLIRContext *context, ElementType type) {
  return type == ElementType::Index ? 64 : signlessType(context, type).getIntOrFloatBitWidth();
}

Value Scalar::wrapped(Value value, ElementType type) {
  if (!value || !value.getType().isInteger(8))
    return value;
  bool half = type == ElementType::I4 || type == ElementType::U4,
       quarter = type == ElementType::I2 || type == ElementType::U2;
  if (!half && !quarter)
    return value;
  Value spare = integer(ElementType::I8, half ? 4 : 6);
  Value high = arith::ShLIOp::create(b, loc, value, spare);
  return isUnsigned(type) ? Value(arith::ShRUIOp::create(b, loc, high, spare))
                          : arith::ShRSIOp::create(b, loc, high, spare);
}

Value Scalar::cast(Value value, ElementType from, ElementType to, bool inRange) {
  if (from == to)
    return value;
  if (isSmallFloat(from))
    return cast(decodeSmallFloat(value, from), ElementType::F32, to, inRange);
  Type type = signlessType(b.getContext(), to);
  if (to == ElementType::B1)
    return compare(Function::Ne, from, value, number(from, 0));
  if (isFloat(from))
    return isFloat(to) ? floatToFloat(value, from, to) : floatToInteger(value, from, to, inRange);
  if (!isFloat(to))
    return integerToInteger(value, from, to);
  // An integer may have more digits than f32.
  if (isSmallFloat(to))
    return floatToFloat(cast(value, from, ElementType::F64), ElementType::F64, to);
  if (from == ElementType::Index)
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  if (from == ElementType::B1 || isUnsigned(from))
    return arith::UIToFPOp::create(b, loc, type, value);
  return arith::SIToFPOp::create(b, loc, type, value);
}

Value Scalar::integerToInteger(Value value, ElementType from, ElementType to) {
  Type type = signlessType(b.getContext(), to);
  bool natural = from == ElementType::B1 || isUnsigned(from);
  if (from == ElementType::Index || to == ElementType::Index) {
    if (natural && to == ElementType::Index)
      return arith::IndexCastUIOp::create(b, loc, type, value);
    return arith::IndexCastOp::create(b, loc, type, value);
  }
  unsigned have = widthOf(b.getContext(), from), want = widthOf(b.getContext(), to);
  if (have > want)
    value = arith::TruncIOp::create(b, loc, type, value);
  else if (have < want)
    value = natural ? Value(arith::ExtUIOp::create(b, loc, type, value)) : arith::ExtSIOp::create(b, loc, type, value);
  return wrapped(value, to);
}

Value Scalar::floatToInteger(Value value, ElementType from, ElementType to, bool inRange) {
  MLIRContext *context = b.getContext();
  if (inRange && to != ElementType::Index && widthOf(context, to) <= 32) {
    Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, value, value);
    Value safe = arith::SelectOp::create(b, loc, isNumber, value, real(from, 0));
    Value wide = arith::FPToSIOp::create(b, loc, b.getI32Type(), safe);
    return integerToInteger(wide, ElementType::I32, to);
  }
  // Conversion of a value that does not fit is undefined for the machine, so it only ever sees one that does.
  if (from == ElementType::F16)
    return floatToInteger(floatToFloat(value, from, ElementType::F32), ElementType::F32, to, inRange);
  auto below = [&](double limit) {
    Value size = math::AbsFOp::create(b, loc, value);
    return Value(arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size, real(from, limit)));
  };
  Value fits = below(0x1p63);
  Value safe = arith::SelectOp::create(b, loc, fits, value, real(from, 0));
  Value wide = arith::FPToSIOp::create(b, loc, b.getI64Type(), safe);
  unsigned width = to == ElementType::Index ? 64 : widthOf(context, to);
  if (width < 64) // out of range is the lowest int64, whose low bits are 0
    return integerToInteger(wide, ElementType::I64, to);
  Value zero = integer(ElementType::I64, 0), lowest = integer(ElementType::I64, INT64_MIN);
  Value other = arith::SelectOp::create(b, loc, below(HUGE_VAL), lowest, zero);
  Value result = arith::SelectOp::create(b, loc, fits, wide, other);
  if (to == ElementType::U64) {
    Value large = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, value, real(from, 0x1p63));
    large = arith::AndIOp::create(b, loc, large, below(0x1p64));
    Value part = arith::SelectOp::create(b, loc, large, value, real(from, 0x1p63));
    Value unsignedWide = arith::FPToUIOp::create(b, loc, b.getI64Type(), part);
    result = arith::SelectOp::create(b, loc, large, unsignedWide, result);
  }
  return integerToInteger(result, ElementType::I64, to);
}

/// f64 to f32 on the way to 16 bits, for which machines have no instruction. An inexact result gets an odd last bit, so
/// that it is never a tie: rounding it once more is rounding the f64 once.
Value Scalar::doubleToSingleOdd(Value value) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value nearest = arith::TruncFOp::create(b, loc, f32, value);
  Value back = arith::ExtFOp::create(b, loc, b.getF64Type(), nearest);
  Value beyond = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, loc, back),
                                       math::AbsFOp::create(b, loc, value));
  Value inexact = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, value);
  Value bits = arith::BitcastOp::create(b, loc, i32, nearest);
  bits = arith::SubIOp::create(b, loc, bits, arith::ExtUIOp::create(b, loc, i32, beyond));
  bits = arith::OrIOp::create(b, loc, bits, arith::ExtUIOp::create(b, loc, i32, inexact));
  return arith::BitcastOp::create(b, loc, f32, bits);
}

Value Scalar::floatToFloat(Value value, ElementType from, ElementType to) {
  MLIRContext *context = b.getContext();
  Type type = signlessType(context, to);
  unsigned have = widthOf(context, from), want = widthOf(context, to);
  if (isSmallFloat(to)) {
    if (have != 32)
      value = have == 64 ? doubleToSingleOdd(value) : Value(arith::ExtFOp::create(b, loc, b.getF32Type(), value));
    return encodeSmallFloat(value, to);
  }
  if (have < want)
    return arith::ExtFOp::create(b, loc, type, value);
  // What was widened before has nothing to round.
  if (auto widened = value.getDefiningOp<arith::ExtFOp>(); widened && widened.getIn().getType() == type)
    return widened.getIn();
  if (have == 64 && want == 16)
    return arith::TruncFOp::create(b, loc, type, doubleToSingleOdd(value));
  if (have > want)
    return arith::TruncFOp::create(b, loc, type, value);
  // f16 and bf16 have the same width and no direct conversion.
  return arith::TruncFOp::create(b, loc, type, arith::ExtFOp::create(b, loc, b.getF32Type(), value));
}
