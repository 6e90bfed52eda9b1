#include "kumiko/Codegen/Common/Math/Coefficients.h"
#include "kumiko/Codegen/Common/Math/Functions.h"

using namespace kumiko;

static constexpr double pi = 0x1.921fb54442d18p+1;

namespace {
/// asin |x|: `angle` up to 1/2; beyond, pi/2 - 2 angle.
struct HalfAngle {
  Term beyond, angle;
};
} // namespace

static HalfAngle asinOf(Term size) {
  Term beyond = less(0.5, size);
  Term square = select(beyond, fma(size, -0.5, 0.5), size * size);
  Term sine = select(beyond, squareRoot(square), size); // NaN beyond 1
  return {beyond, fma(polynomial(asinTail, square), sine * square, sine)};
}

Term expand::asin(Term x) {
  auto [beyond, angle] = asinOf(magnitude(widen(x)));
  return withSign(narrow(select(beyond, fma(angle, -2, pi / 2), angle)), x);
}

Term expand::acos(Term x) {
  Term wide = widen(x);
  auto [beyond, angle] = asinOf(magnitude(wide));
  Term far = angle + angle;
  Term mirrored = select(less(wide, 0), pi - far, far);
  return narrow(select(beyond, mirrored, pi / 2 - fromBits(bitXor(bitsOf(angle), signBit(wide)))));
}

/// atan(t) - t + plus, for t from 0 to 1.
static Term atanTailAnd(Term t, Term plus) {
  Term square = t * t;
  return fma(polynomial(atanTail, square), square * t, plus);
}

Term expand::atan(Term x) {
  Term size = magnitude(x);
  Term beyond = less(1, size);
  Term t = select(beyond, 1 / size, size);
  // pi/2 - atan(1/x): what is large first, what is small together with the low part of pi/2.
  Term near = atanTailAnd(t, t);
  Term far = (0x1.921fb6p+0 - t) - atanTailAnd(t, t.literal(0x1.777a5cp-25));
  return withSign(select(beyond, far, near), x);
}

Term expand::atan2(Term y, Term x) {
  Term up = magnitude(y), across = magnitude(x);
  Term steep = less(across, up), left = sameBits(shiftRightUnsigned(bitsOf(x), 31), 1);
  Term larger = select(steep, up, across), smaller = select(steep, across, up);
  // 0/0 and inf/inf stand for the quotients 0 and 1.
  Term quotient = select(equal(larger, 0), 0, smaller / larger);
  Term t = select(equal(smaller, infinity), 1.0, quotient);
  // The angle is 0, pi/2 or pi, plus or minus atan(t); minus when exactly one of steep and left holds.
  Term base = select(steep, t.literal(0x1.921fb6p+0), select(left, t.literal(0x1.921fb6p+1), 0));
  Term baseLow = select(steep, t.literal(-0x1.777a5cp-25), select(left, t.literal(-0x1.777a5cp-24), 0));
  Term minus = bitXor(steep, left);
  Term signedT = select(minus, fromBits(bitXor(bitsOf(t), bitsOf(t).literal(int64_t(INT32_MIN)))), t);
  Term square = t * t;
  Term tail = fma(polynomial(atanTail, square), square * signedT, baseLow);
  Term angle = withSign((base + signedT) + tail, y);
  return select(unordered(x, y), notANumber, angle);
}
