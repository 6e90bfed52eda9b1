#include "kumiko/Codegen/Common/Math/Coefficients.h"
#include "kumiko/Codegen/Common/Math/Functions.h"

using namespace kumiko;

static constexpr double ln2High = 0x1.62e4p-1, ln2Low = 0x1.7f7d1cp-20;

namespace {
/// x = 2^k (1 + f) with f from -1/3 to 1/3.
struct Split {
  Term exponent; ///< k, an integer
  Term f;
};
} // namespace

/// For positive normal floats.
static Split split(Term x) {
  Term bits = bitsOf(x);
  // Take the bits of 2/3 away and the exponent that remains is k.
  Term exponent = shiftRight(bits - bits.literal(int64_t(0x3F2AAAAB)), 23);
  return {exponent, fromBits(bits - shiftLeft(exponent, 23)) - 1};
}

/// log(1 + f) - f
static Term logTailOf(Term f) { return fma(polynomial(logTail, f), f, -0.5) * (f * f); }

/// Puts right what the formulas do not cover: x is where the function is asked for, y its result for finite x > 0.
static Term withSpecials(Term x, Term y) {
  Term inside = select(less(x, infinity), y, x); // also NaN
  Term outside = select(equal(x, 0), x.literal(-infinity), notANumber);
  return select(lessOrEqual(x, x.literal(0.0)), outside, inside);
}

namespace {
/// Any positive float, denormals included.
struct Parts {
  Term k; ///< as a float
  Term f;
};
} // namespace

static Parts partsOf(Term x) {
  Term tiny = less(x, 0x1p-126);
  Split parts = split(select(tiny, x * 0x1p25, x));
  return {toFloat(parts.exponent) - select(tiny, x.literal(25.0), 0), parts.f};
}

Term expand::log(Term x) {
  auto [k, f] = partsOf(x);
  Term low = fma(k, ln2Low, logTailOf(f));
  return withSpecials(x, fma(k, ln2High, f + low));
}

/// k * unit + log(1 + f) * factor, for another base; the factor has a low part.
static Term logInBase(Term x, double unit, double unitLow, double factor, double factorLow) {
  auto [k, f] = partsOf(x);
  Term tail = logTailOf(f);
  Term natural = f + tail;
  // What f + tail has lost, so that the product can be rounded once.
  Term lost = (f - natural) + tail;
  Term low = fma(natural, factorLow, fma(lost, factor, k * unitLow));
  return withSpecials(x, fma(k, unit, fma(natural, factor, low)));
}

Term expand::log2(Term x) { return logInBase(x, 1, 0, 0x1.715476p+0, 0x1.4ae0cp-26); }

Term expand::log10(Term x) {
  // The high part of log10(2) has 16 bits: exact times k.
  return logInBase(x, 0x1.3441p-2, 0x1.a84fbcp-21, 0x1.bcb7b2p-2, -0x1.5b235ep-27);
}

Term expand::log1p(Term x) {
  // 1 + x = u + lost, exactly; log(u + lost) = k ln 2 + log(1 + f + lost 2^-k).
  Term u = x + 1;
  Term back = u - 1;
  Term lost = (1 - (u - back)) + (x - back);
  auto [exponent, f0] = split(u);
  // Where 2^-k would leave the range of floats, nothing that was lost matters.
  Term bits = bitsOf(x).literal(int64_t(127) << 23) - shiftLeft(exponent, 23);
  Term f = f0 + select(less(u, 0x1p100), lost * fromBits(bits), 0);
  Term k = toFloat(exponent);
  Term y = fma(k, ln2High, f + fma(k, ln2Low, logTailOf(f)));
  return select(less(magnitude(x), 0x1p-25), x, withSpecials(u, y));
}
