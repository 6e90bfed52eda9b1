//===- SmallFloats.cpp - floats of 8, 6 and 4 bits as integer code ---------===//
//
// Neither LLVM nor the machines have these types, so in kernels they are bytes. A code is read by putting its exponent
// and mantissa where f32 has them, and scaling away the difference of the biases: subnormals come out right because the
// scaling is exact. It is written the other way round through f64, whose range leaves every bit that rounding needs.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Lower/Scalar.h"
#include "kumiko/Nn/Types.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;

namespace {
/// What LLVM knows about a format; codes are without the sign bit.
struct Format {
  const llvm::fltSemantics &semantics;
  unsigned mantissaBits, signBit, highest;
  int bias;
  bool zeroHasSign; ///< else the negative zero is the NaN

  Format(MLIRContext *context, ElementType type)
      : semantics(cast<FloatType>(nn::fromEquation(context, type)).getFloatSemantics()),
        mantissaBits(APFloat::semanticsPrecision(semantics) - 1),
        signBit(1u << (APFloat::semanticsSizeInBits(semantics) - 1)),
        highest(APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue()),
        bias(1 - APFloat::semanticsMinExponent(semantics)),
        zeroHasSign(!APFloat::semanticsHasNaN(semantics) || nan() != signBit) {}

  unsigned nan() const { return APFloat::getNaN(semantics).bitcastToAPInt().getZExtValue(); }
};
} // namespace

Value Scalar::bits32(uint32_t value) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value))); }

/// A power of two: the code is the exponent of f32, of which the lowest is a subnormal.
Value Scalar::decodeScale(Value code) {
  Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), code);
  Value bits = arith::ShLIOp::create(b, loc, wide, bits32(23));
  auto pick = [&](uint32_t when, uint32_t instead) {
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, wide, bits32(when));
    bits = arith::SelectOp::create(b, loc, is, bits32(instead), bits);
  };
  pick(0, 0x00400000);
  pick(255, 0x7fc00000);
  return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
}

Value Scalar::decodeSmallFloat(Value code, ElementType type) {
  if (type == ElementType::F8E8M0)
    return decodeScale(code);
  Format format(b.getContext(), type);
  Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), code);
  Value magnitude = arith::AndIOp::create(b, loc, wide, bits32(format.signBit - 1));
  Value sign = arith::AndIOp::create(b, loc, wide, bits32(format.signBit));
  sign = arith::ShLIOp::create(b, loc, sign, bits32(31 - llvm::Log2_32(format.signBit)));
  Value place = arith::ShLIOp::create(b, loc, magnitude, bits32(23 - format.mantissaBits));
  Value bits = arith::OrIOp::create(b, loc, place, sign);
  Value value = arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
  value = arith::MulFOp::create(b, loc, value, real(ElementType::F32, std::ldexp(1.0, 127 - format.bias)));
  auto pick = [&](arith::CmpIPredicate predicate, Value of, uint32_t limit, double instead) {
    Value is = arith::CmpIOp::create(b, loc, predicate, of, bits32(limit));
    value = arith::SelectOp::create(b, loc, is, real(ElementType::F32, instead), value);
  };
  if (!format.zeroHasSign)
    pick(arith::CmpIPredicate::eq, wide, format.signBit, NAN);
  else if (APFloat::semanticsHasNaN(format.semantics))
    pick(arith::CmpIPredicate::ugt, magnitude, format.highest, NAN);
  if (APFloat::semanticsHasInf(format.semantics)) {
    Value infinity = math::CopySignOp::create(b, loc, real(ElementType::F32, HUGE_VAL),
                                              arith::BitcastOp::create(b, loc, b.getF32Type(), bits));
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, magnitude, bits32(format.highest + 1));
    value = arith::SelectOp::create(b, loc, is, infinity, value);
  }
  return value;
}

/// Rounds up, but not past the largest; no sign and no zero. Among the subnormals of f32, half of the first normal
/// number is the smallest scale itself.
Value Scalar::encodeScale(Value value) {
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), value);
  auto is = [&](arith::CmpIPredicate predicate, Value x, uint32_t limit) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, bits32(limit));
  };
  Value exponent = arith::ShRUIOp::create(b, loc, bits, bits32(23));
  exponent = arith::AndIOp::create(b, loc, exponent, bits32(255));
  Value fraction = arith::AndIOp::create(b, loc, bits, bits32(0x7fffff));
  Value exact = arith::SelectOp::create(b, loc, is(arith::CmpIPredicate::eq, exponent, 0), bits32(0x400000), bits32(0));
  Value up = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, fraction, exact);
  up = arith::AndIOp::create(b, loc, up, is(arith::CmpIPredicate::ult, exponent, 254));
  Value code = arith::AddIOp::create(b, loc, exponent, arith::ExtUIOp::create(b, loc, b.getI32Type(), up));
  return arith::TruncIOp::create(b, loc, b.getI8Type(), code); // infinity and NaN are 255 already
}

Value Scalar::encodeSmallFloat(Value value, ElementType type) {
  if (type == ElementType::F8E8M0)
    return encodeScale(value);
  Format format(b.getContext(), type);
  Type i64 = b.getI64Type();
  auto constant = [&](uint64_t bits) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(int64_t(bits)));
  };
  // Beyond the range the largest number is the nearest; a NaN is put in at the end.
  double largest = APFloat::getLargest(format.semantics).convertToDouble();
  Value size = math::AbsFOp::create(b, loc, value);
  size = arith::MinNumFOp::create(b, loc, size, real(ElementType::F32, largest));
  Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(), size);
  wide = arith::MulFOp::create(b, loc, wide, real(ElementType::F64, std::ldexp(1.0, format.bias - 1023)));
  Value bits = arith::BitcastOp::create(b, loc, i64, wide);
  // To nearest, ties to even: half of the last place less one, and one more where the code would be odd.
  Value drop = constant(52 - format.mantissaBits);
  Value odd = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, drop), constant(1));
  bits = arith::AddIOp::create(b, loc, bits, constant((uint64_t(1) << (51 - format.mantissaBits)) - 1));
  bits = arith::AddIOp::create(b, loc, bits, odd);
  Value code = arith::TruncIOp::create(b, loc, b.getI32Type(), arith::ShRUIOp::create(b, loc, bits, drop));

  Value sign = arith::ShRUIOp::create(b, loc, arith::BitcastOp::create(b, loc, b.getI32Type(), value),
                                      bits32(31 - llvm::Log2_32(format.signBit)));
  sign = arith::AndIOp::create(b, loc, sign, bits32(format.signBit));
  Value whole = arith::OrIOp::create(b, loc, code, sign);
  if (!format.zeroHasSign) {
    Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, code, bits32(0));
    whole = arith::SelectOp::create(b, loc, isZero, code, whole);
  }
  // A format without NaN has the negative zero for it.
  unsigned nan = APFloat::semanticsHasNaN(format.semantics) && format.zeroHasSign ? format.signBit - 1 : format.signBit;
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  whole = arith::SelectOp::create(b, loc, isNan, bits32(nan), whole);
  return arith::TruncIOp::create(b, loc, b.getI8Type(), whole);
}
