#include "kumiko/Codegen/Common/Math/Coefficients.h"
#include "kumiko/Codegen/Common/Math/Functions.h"

using namespace kumiko;

static constexpr double log2OfE = 0x1.715476p+0;
// The high part has 16 bits, so that its product with an exponent is exact.
static constexpr double ln2High = 0x1.62e4p-1, ln2Low = 0x1.7f7d1cp-20;
/// Adding it rounds to an integer, whose low bits are then the low bits of the sum.
static constexpr double magic = 0x1.8p23;
static constexpr int64_t exponentOne = int64_t(1) << 23;

namespace {
/// x = n ln 2 + r with |r| <= ln 2 / 2.
struct Reduced {
  Term exponent; ///< n, in the bits of an exponent
  Term expM1;    ///< e^r - 1
};
} // namespace

static Reduced reduce(Term x) {
  Term sum = fma(x, log2OfE, magic);
  Term n = sum - magic;
  Term r = fma(n, -ln2Low, fma(n, -ln2High, x));
  return {shiftLeft(bitsOf(sum), 23), fma(polynomial(expTail, r), r * r, r)};
}

/// 2^n times 2^shift.
static Term scaleOf(Term exponent, int64_t shift) {
  return fromBits(exponent + exponent.literal((127 + shift) * exponentOne));
}

/// y 2^n, where n may lie outside the exponents that a float has: in two steps, of which only the last rounds. `low`:
/// the result may be denormal.
static Term scale(Term y, Term exponent, Term low) {
  Term bias = select(low, exponent.literal((127 + 64) * exponentOne), exponent.literal(126 * exponentOne));
  return y * fromBits(exponent + bias) * select(low, y.literal(0x1p-64), 2.0);
}

Term expand::exp(Term x) {
  Term c = atMost(atLeast(x, -110), 89);
  Reduced reduced = reduce(c);
  return scale(reduced.expM1 + 1, reduced.exponent, less(c, -80));
}

Term expand::exp2(Term x) {
  Term c = atMost(atLeast(x, -160), 128.4);
  Term sum = c + magic;
  Term r = c - (sum - magic);
  Term y = fma(polynomial(exp2Tail, r), r, 1);
  return scale(y, shiftLeft(bitsOf(sum), 23), less(c, -115));
}

Term expand::expM1(Term x) {
  Reduced reduced = reduce(atMost(atLeast(x, -20), 89));
  Term half = scaleOf(reduced.exponent, -1); // 2^128 would not fit
  Term y = fma(half, reduced.expM1, half - 0.5);
  return select(less(magnitude(x), 0x1p-25), x, y + y);
}

Term expand::tanh(Term x) {
  Term a = magnitude(x), square = x * x;
  Term near = fma(polynomial(tanhSmall, square), square * a, a);
  // From 5/8 on, 1 - 2 / (e^(2|x|) + 1); at 10, tanh is 1.
  Reduced reduced = reduce(atMost(a + a, 20));
  Term power = scaleOf(reduced.exponent, 0);
  Term below = fma(power, reduced.expM1, power + 1);
  Term far = 1 - 2 / below;
  return withSign(select(less(a, 0.625), near, far), x);
}

Term expand::sigmoid(Term x) {
  // The exponential of -|x| cannot overflow.
  Term decay = exp(fromBits(bitOr(bitsOf(x), bitsOf(x).literal(int64_t(INT32_MIN)))));
  // What rounding takes from 1 + decay is given back, nearly: where the sum is not near 1, it matters less.
  Term below = decay + 1;
  Term lost = decay - (below - 1);
  Term y = select(less(x, 0), decay, 1.0) / below;
  return fma(y, y.literal(0.0) - lost, y);
}

Term expand::erf(Term x) {
  Term a = magnitude(x);
  // From 1 on, 1 - erfc, with the logarithm of erfc a polynomial; at 4, erfc is below half an ULP of 1.
  Term exponent = polynomial(erfcLog2, atMost(a, 4));
  Term sum = exponent + magic;
  Term r = exponent - (sum - magic);
  Term power = scaleOf(shiftLeft(bitsOf(sum), 23), 0);
  Term erfc = fma(polynomial(exp2Short, r), r, 1) * power;
  Term near = fma(polynomial(erfSmall, x * x), a, a);
  return withSign(select(less(a, 1), near, 1 - erfc), x);
}
