#include "kumiko/Codegen/Common/Math/Coefficients.h"
#include "kumiko/Codegen/Common/Math/Functions.h"

using namespace kumiko;

static constexpr double log2OfE = 0x1.71547652b82fep+0;
// The high part has 42 bits, so that its product with an exponent is exact.
static constexpr double ln2High = 0x1.62e42fefa3800p-1, ln2Low = 0x1.ef35793c76730p-45;
/// Adding it rounds to an integer, whose low bits are then the low bits of the sum.
static constexpr double magic = 0x1.8p52;
static constexpr int64_t exponentOne = int64_t(1) << 52;

namespace {
/// x = n ln 2 + r with |r| <= ln 2 / 2.
struct Reduced {
  Term exponent; ///< n, in the bits of an exponent
  Term r, lost;  ///< r and what rounding took from it
  Term tail;     ///< e^r - 1 - r

  Term expM1() const { return r + tail; }
};
} // namespace

static Reduced reduce(Term x) {
  Term sum = fma(x, log2OfE, magic);
  Term n = sum - magic;
  Term rest = fma(n, -ln2High, x); // exact
  Term r = fma(n, -ln2Low, rest);
  return {shiftLeft(bitsOf(sum), 52), r, fma(n, -ln2Low, rest - r), polynomial(expTail64, r) * (r * r)};
}

/// 2^n times 2^shift.
static Term scaleOf(Term exponent, int64_t shift) {
  return fromBits(exponent + exponent.literal((1023 + shift) * exponentOne));
}

/// y 2^n, where n may lie outside the exponents that a double has: in two steps, of which only the last rounds. `low`:
/// the result may be subnormal.
static Term scale(Term y, Term exponent, Term low) {
  Term bias = select(low, exponent.literal((1023 + 512) * exponentOne), exponent.literal(1022 * exponentOne));
  return y * fromBits(exponent + bias) * select(low, y.literal(0x1p-512), 2.0);
}

Term expand64::exp(Term x) {
  Term c = atMost(atLeast(x, -746), 710);
  Reduced reduced = reduce(c);
  return scale(reduced.expM1() + 1, reduced.exponent, less(c, -600));
}

Term expand64::exp2(Term x) {
  Term c = atMost(atLeast(x, -1080), 1024.4);
  Term sum = c + magic;
  Term r = c - (sum - magic);
  return scale(fma(polynomial(exp2Tail64, r), r, 1), shiftLeft(bitsOf(sum), 52), less(c, -900));
}

Term expand64::expM1(Term x) {
  auto [exponent, r, lost, tail] = reduce(atMost(atLeast(x, -40), 710));
  Term half = scaleOf(exponent, -1); // 2^1024 would not fit
  // Where the first sum cancels digits it is exact.
  Term y = fma(half, r, half - 0.5) + half * (tail + lost);
  return select(less(magnitude(x), 0x1p-54), x, y + y);
}

Term expand64::tanh(Term x) {
  Term a = magnitude(x), square = x * x;
  Term near = fma(polynomial(tanhSmall64, square), square * a, a);
  // From 5/8 on, 1 - 2 / (e^(2|x|) + 1); at 20, tanh is 1.
  Reduced reduced = reduce(atMost(a + a, 40));
  Term power = scaleOf(reduced.exponent, 0);
  Term below = fma(power, reduced.expM1(), power + 1);
  return withSign(select(less(a, 0.625), near, 1 - 2 / below), x);
}

Term expand64::sigmoid(Term x) {
  // The exponential of -|x| cannot overflow.
  Term decay = exp(fromBits(bitOr(bitsOf(x), bitsOf(x).literal(int64_t(INT64_MIN)))));
  // What rounding takes from 1 + decay is given back, nearly: where the sum is not near 1, it matters less.
  Term below = decay + 1;
  Term lost = decay - (below - 1);
  Term y = select(less(x, 0), decay, 1.0) / below;
  return fma(y, y.literal(0.0) - lost, y);
}

/// e^a / 2 for a >= 0. It overflows later than e^a.
static Term halfExp(Term a) {
  Reduced reduced = reduce(atMost(a, 711));
  return (reduced.expM1() + 1) * scaleOf(reduced.exponent, -2) * 2.0;
}

Term expand64::sinh(Term x) {
  Term a = magnitude(x), square = x * x;
  Term near = fma(polynomial(sinhSmall64, square), square * a, a);
  Term half = halfExp(a);
  return withSign(select(less(a, 1), near, half - 0.25 / half), x);
}

Term expand64::cosh(Term x) {
  Term half = halfExp(magnitude(x));
  return half + 0.25 / half;
}

Term expand64::erf(Term x) {
  Term a = magnitude(x);
  // From 1 on, 1 - erfc, with the logarithm of erfc a polynomial; at 6, erfc is below half an ULP of 1.
  Term exponent = polynomial(erfcLog2Far64, atMost(a, 6) - 1);
  Term sum = exponent + magic;
  Term r = exponent - (sum - magic);
  Term erfc = fma(polynomial(exp2Tail64, r), r, 1) * scaleOf(shiftLeft(bitsOf(sum), 52), 0);
  Term near = fma(polynomial(erfSmall64, x * x), a, a);
  return withSign(select(less(a, 1), near, 1 - erfc), x);
}
