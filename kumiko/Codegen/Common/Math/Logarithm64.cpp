#include "kumiko/Codegen/Common/Math/Logarithm64.h"
#include "kumiko/Codegen/Common/Math/Coefficients.h"
#include "kumiko/Codegen/Common/Math/Functions.h"
#include "kumiko/Codegen/Common/Math/Wide.h"

using namespace kumiko;

// The high parts have 42 bits or less: exact times an exponent.
static constexpr double ln2High = 0x1.62e42fefa3800p-1, ln2Low = 0x1.ef35793c76730p-45;
static constexpr int64_t exponentOne = int64_t(1) << 52;

Parts64 kumiko::partsOfNormal64(Term x) {
  constexpr int64_t rootOfHalf = 0x3FE6A09E667F3BCD;
  auto [k, m, exponent] = splitPower(x, rootOfHalf);
  return {k, m - 1, fromBits(exponent.literal(int64_t(2047) * exponentOne) - exponent)};
}

Parts64 kumiko::partsOf64(Term x) {
  Term tiny = less(x, 0x1p-1022);
  Parts64 parts = partsOfNormal64(select(tiny, x * 0x1p54, x));
  parts.k = parts.k - select(tiny, x.literal(54.0), 0);
  return parts;
}

namespace {
/// log(1 + f) = f - half + rest
struct Tail {
  Term half; ///< f^2 / 2
  Term rest;
};
} // namespace

static Tail tailOf(Term f) {
  Term s = f / (f + 2), u = s * s;
  Term half = f * f * 0.5;
  return {half, s * fma(polynomial(logRatio64, u), u, half)};
}

/// k ln 2 + log(1 + f) + low
static Term logOf(Term k, Term f, Term low) {
  auto [half, rest] = tailOf(f);
  return fma(k, ln2High, f - (half - (rest + low)));
}

/// Puts right what the formulas do not cover: x is where the function is asked for, y its result for finite x > 0.
static Term withSpecials(Term x, Term y) {
  Term inside = select(less(x, infinity), y, x); // also NaN
  Term outside = select(equal(x, 0), x.literal(-infinity), notANumber);
  return select(lessOrEqual(x, x.literal(0.0)), outside, inside);
}

Term expand64::log(Term x) {
  auto [k, f, inverse] = partsOf64(x);
  return withSpecials(x, logOf(k, f, k * ln2Low));
}

namespace {
/// A number in two pieces, the first so short that products with it are exact.
struct Pair {
  double high, low;
};
} // namespace

/// k * unit + log(1 + f) * factor, for another base.
static Term logInBase(Term x, Pair unit, Pair factor) {
  auto [k, f, inverse] = partsOf64(x);
  auto [half, rest] = tailOf(f);
  // The logarithm in two pieces, the first of 21 bits.
  Term high = fromBits(bitAnd(bitsOf(f - half), bitsOf(f).literal(int64_t(-1) << 32)));
  Term low = ((f - high) - half) + rest;
  Term large = high * factor.high;
  Term small = fma(low + high, factor.low, fma(low, factor.high, k * unit.low));
  // k is 0 or larger than the other summand.
  Term whole = k * unit.high, sum = whole + large;
  return withSpecials(x, sum + (small + ((whole - sum) + large)));
}

Term expand64::log2(Term x) { return logInBase(x, {1, 0}, {0x1.7154765200000p+0, 0x1.705fc2eefa200p-33}); }

Term expand64::log10(Term x) {
  return logInBase(x, {0x1.34413509f7800p-2, 0x1.fef311f12b358p-46}, {0x1.bcb7b15200000p-2, 0x1.b9438ca9aadd5p-36});
}

Term kumiko::logOnePlus64(Term x, Term low, Term powers) {
  // 1 + x = u + lost, exactly; log(u + lost) = k ln 2 + log(1 + f) + lost 2^-k / (1 + f).
  Term u = x + 1;
  Term back = u - 1;
  Term lost = (1 - (u - back)) + (x - back) + low;
  auto [k, f, inverse] = partsOfNormal64(u);
  // Where 2^-k would leave the range of doubles, nothing that was lost matters.
  Term c = select(less(u, 0x1p100), lost * inverse, 0);
  Term correction = c * fma(f, f - 1, 1);
  Term whole = k + powers;
  return withSpecials(u, logOf(whole, f, fma(whole, ln2Low, correction)));
}

Term expand64::log1p(Term x) {
  Term none = x.literal(0.0);
  return select(less(magnitude(x), 0x1p-54), x, logOnePlus64(x, none, none));
}

// The inverse hyperbolic functions are logarithms of 1 + t, with t in two pieces. Where t is so large that its square
// would not fit, what is left of it is 2x, and the 2 is a power of its own.

static constexpr double large = 0x1p30;

static Term ownBelow(Term x, Term y) { return select(less(magnitude(x), 0x1p-28), x, y); }

/// log(1 + a + b) with b's error and all for a >= b; beyond `large`, log(2 x).
static Term logOnePlusSum(Term a, Term b, Term x) {
  Term far = less(large, x);
  Term sum = a + b;
  Term high = select(far, x - 1, sum), low = select(far, 0, (a - sum) + b);
  return logOnePlus64(high, low, select(far, x.literal(1.0), 0));
}

Term expand64::asinh(Term x) {
  Term a = magnitude(x), square = a * a;
  Term y = logOnePlusSum(a, square / (squareRoot(square + 1) + 1), a);
  return ownBelow(x, withSign(y, x));
}

Term expand64::acosh(Term x) {
  Term t = x - 1;
  return select(less(x, 1), notANumber, logOnePlusSum(squareRoot(fma(t, t, t + t)), t, x));
}

Term expand64::atanh(Term x) {
  // 2a / (1 - a) and what the division left over.
  Term a = magnitude(x), below = 1 - a;
  Term lost = (1 - below) - a, twice = a + a;
  Term t = twice / below;
  Term rest = fma(t, x.literal(0.0) - below, twice) - t * lost;
  Term y = logOnePlus64(t, select(less(t, infinity), rest / below, 0), x.literal(0.0)) * 0.5;
  Term inside = select(less(a, 1), y, select(equal(a, 1), y.literal(infinity), notANumber));
  return ownBelow(x, withSign(inside, x));
}
