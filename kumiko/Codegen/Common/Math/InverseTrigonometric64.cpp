#include "kumiko/Codegen/Common/Math/Coefficients.h"
#include "kumiko/Codegen/Common/Math/Functions.h"

using namespace kumiko;

static constexpr double halfPi = 0x1.921fb54442d18p+0, halfPiLow = 0x1.1a62633145c07p-54;

namespace {
/// asin |x|: `sine` + `rest` up to 1/2; beyond, pi/2 - 2 (sine + rest), with a sine of so few bits that its double can
/// be taken from pi/2 almost exactly.
struct HalfAngle {
  Term beyond, sine, rest;
};
} // namespace

static HalfAngle asinOf(Term size) {
  Term beyond = less(0.5, size);
  Term square = select(beyond, fma(size, -0.5, 0.5), size * size);
  Term root = select(beyond, squareRoot(square), size); // NaN beyond 1
  Term tail = polynomial(asinTail64, square) * square * root;
  // The root in two pieces; that of 0 is 0.
  Term high = fromBits(bitAnd(bitsOf(root), bitsOf(root).literal(int64_t(-1) << 32)));
  Term low = select(equal(square, 0), 0, (square - high * high) / (root + high));
  return {beyond, select(beyond, high, size), select(beyond, tail + low, tail)};
}

Term expand64::asin(Term x) {
  auto [beyond, sine, rest] = asinOf(magnitude(x));
  Term far = (halfPi - (sine + sine)) - ((rest + rest) - halfPiLow);
  return withSign(select(beyond, far, sine + rest), x);
}

Term expand64::acos(Term x) {
  auto [beyond, sine, rest] = asinOf(magnitude(x));
  Term sign = signBit(x);
  auto signedOf = [&](Term y) { return fromBits(bitXor(bitsOf(y), sign)); };
  Term near = halfPi - (signedOf(sine) + (signedOf(rest) - halfPiLow));
  Term half = sine + select(less(x, 0), rest - halfPiLow, rest), far = half + half;
  return select(beyond, select(less(x, 0), 2 * halfPi - far, far), near);
}

/// base + baseLow + atan(smaller / larger), or minus it; the base is 0 or at least pi/2.
static Term angleFrom(Term base, Term baseLow, Term minus, Term smaller, Term larger) {
  // atan(q) = atan(c) + atan((q - c) / (1 + q c)) with c = 0, 1/2 or 1, whichever is near.
  Term half = less(larger * 0.4375, smaller), one = less(larger * 0.6875, smaller);
  Term above = select(one, smaller - larger, select(half, (smaller + smaller) - larger, smaller));
  Term below = select(one, smaller + larger, select(half, (larger + larger) + smaller, larger));
  Term t = select(equal(larger, 0), 0, above / below);
  Term step = select(one, t.literal(0x1.921fb54442d18p-1), select(half, t.literal(0x1.dac670561bb4fp-2), 0));
  Term stepLow = select(one, t.literal(0x1.1a62633145c07p-55), select(half, t.literal(0x1.a2b7f222f65e2p-56), 0));
  Term flip = select(minus, bitsOf(t).literal(int64_t(INT64_MIN)), bitsOf(t).literal(int64_t(0)));
  auto signedOf = [&](Term y) { return fromBits(bitXor(bitsOf(y), flip)); };
  Term whole = base + signedOf(step);
  Term wholeLow = ((base - whole) + signedOf(step)) + (baseLow + signedOf(stepLow));
  Term square = t * t, signedT = signedOf(t);
  return whole + (signedT + fma(polynomial(atanTail64, square), square * signedT, wholeLow));
}

Term expand64::atan(Term x) {
  Term size = magnitude(x), one = size.literal(1.0);
  Term steep = less(one, size);
  Term base = select(steep, size.literal(halfPi), 0), baseLow = select(steep, size.literal(halfPiLow), 0);
  return withSign(angleFrom(base, baseLow, steep, select(steep, one, size), select(steep, size, one)), x);
}

Term expand64::atan2(Term y, Term x) {
  Term up = magnitude(y), across = magnitude(x);
  Term steep = less(across, up), left = sameBits(shiftRightUnsigned(bitsOf(x), 63), 1);
  Term larger = select(steep, up, across), smaller = select(steep, across, up);
  // Twice the larger must fit, and quotients of subnormals have no digits.
  Term scale = select(less(0x1p1000, larger), larger.literal(0x1p-200),
                      select(less(larger, 0x1p-900), larger.literal(0x1p200), 1.0));
  // inf/inf stands for the quotient 1.
  Term both = equal(smaller, infinity);
  Term a = select(both, 1.0, smaller * scale), b = select(both, 1.0, larger * scale);
  // The angle is 0, pi/2 or pi, plus or minus atan(a / b); minus when exactly one of steep and left holds.
  Term base = select(steep, a.literal(halfPi), select(left, a.literal(2 * halfPi), 0));
  Term baseLow = select(steep, a.literal(halfPiLow), select(left, a.literal(2 * halfPiLow), 0));
  Term angle = angleFrom(base, baseLow, bitXor(steep, left), a, b);
  return select(unordered(x, y), notANumber, withSign(angle, y));
}
