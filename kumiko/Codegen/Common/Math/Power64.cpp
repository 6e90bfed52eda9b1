#include "kumiko/Codegen/Common/Math/Coefficients.h"
#include "kumiko/Codegen/Common/Math/Functions.h"
#include "kumiko/Codegen/Common/Math/Logarithm64.h"

using namespace kumiko;

// The result's last digit wants an exponent of 64 bits behind the point, before which there are 10: the logarithm is
// the sum of two doubles. Products are split by fused multiply-adds; where there are none, the C library is called.

namespace {
/// A number as the sum of two doubles, of which the second is below the last place of the first.
struct Pair {
  Term high, low;
};
} // namespace

static Term negated(Term x) { return fromBits(bitXor(bitsOf(x), bitsOf(x).literal(int64_t(INT64_MIN)))); }

/// a + b for |a| >= |b|, or a = 0.
static Pair sum(Term a, Term b) {
  Term high = a + b;
  return {high, (a - high) + b};
}

static Pair product(Term a, Term b) {
  Term high = a * b;
  return {high, fma(a, b, negated(high))};
}

static Pair product(Pair a, Pair b) {
  auto [high, low] = product(a.high, b.high);
  return {high, low + fma(a.high, b.low, a.low * b.high)};
}

/// The base-2 logarithm of a positive finite double.
static Pair log2Of(Term x) {
  auto [k, f, inverse] = partsOf64(x);
  // s = f / (2 + f), and log(1 + f) = 2 atanh(s).
  Pair below = sum(f.literal(2.0), f);
  Term reciprocal = 1 / below.high, quotient = f * reciprocal;
  Term rest = fma(negated(quotient), below.low, fma(negated(quotient), below.high, f));
  Pair s{quotient, rest * reciprocal};
  Pair square = product(s, s);
  // atanh(s) = s + s^3 (1/3 + s^2 (...)), whose last part is small enough to be one double.
  Pair factor = sum(f.literal(0x1.5555555555555p-2), polynomial(atanhRatio64, square.high) * square.high);
  factor.low = factor.low + 0x1.5555555555555p-56;
  Pair cubic = product(s, product(square, factor));
  Pair whole = sum(s.high, cubic.high);
  whole.low = whole.low + (cubic.low + s.low);
  Pair toBase2{f.literal(0x1.71547652b82fep+1), f.literal(0x1.777d0ffda0d24p-55)};
  Pair logarithm = product(whole, toBase2);
  Pair all = sum(k, logarithm.high);
  return {all.high, all.low + logarithm.low};
}

/// Is x an integer? From 2^52 on every double is.
static Term isWhole(Term size) {
  return bitOr(lessOrEqual(size.literal(0x1p52), size), equal((size + 0x1p52) - 0x1p52, size));
}

/// 2^z
static Term exp2Of(Pair z) {
  constexpr double magic = 0x1.8p52;
  constexpr int64_t exponentOne = int64_t(1) << 52;
  Term c = atMost(atLeast(z.high, -1080), 1025);
  // It is no number where the high part is infinite or 0.
  Term low = select(less(magnitude(z.low), 1), z.low, 0);
  Term rounded = c + magic;
  Pair r = sum(c - (rounded - magic), low);
  // Where the high part cancels the first digits of the low one, it is small enough for both to be one double.
  Term y = fma(polynomial(exp2Tail64, r.high), r.high, r.low * 0x1.62e42fefa39efp-1) + 1;
  Term exponent = shiftLeft(bitsOf(rounded), 52), tiny = less(c, -900);
  Term bias = select(tiny, exponent.literal((1023 + 512) * exponentOne), exponent.literal(1021 * exponentOne));
  return y * fromBits(exponent + bias) * select(tiny, y.literal(0x1p-512), 4.0);
}

Term expand64::pow(Term base, Term exponent) {
  Term size = magnitude(base);
  Pair logarithm = log2Of(size);
  // 0 and infinity have infinite ones; |base| = 1 with an infinite exponent is 1, and so is 1 with NaN.
  Term edge = select(equal(size, 0), size.literal(-infinity), size);
  Term isEdge = bitOr(equal(size, 0), lessOrEqual(size.literal(infinity), size));
  Term high = select(unordered(size, size), size, select(isEdge, edge, logarithm.high));
  Term first = select(equal(high, 0), 0, exponent * high);
  Term second = fma(exponent, high, negated(first)) + exponent * logarithm.low;
  Term y = exp2Of({first, second});
  Term length = magnitude(exponent), whole = isWhole(length);
  Term even = isWhole(length * 0.5), zero = bitsOf(y).literal(int64_t(0));
  Term sign = select(whole, select(even, zero, signBit(base)), zero);
  Term result = fromBits(bitXor(bitsOf(y), sign));
  // A finite negative base wants a whole exponent.
  Term negative = bitAnd(less(base, 0), less(-infinity, base));
  result = select(whole, result, select(negative, notANumber, result));
  return select(equal(exponent, 0), 1.0, result);
}
