#include "kumiko/Codegen/Common/Math/Functions.h"
#include "kumiko/Codegen/Common/Math/Wide.h"

using namespace kumiko;

namespace {
struct Parity {
  Term whole, odd;
};
} // namespace

/// Is y an integer, and an odd one? From 2^24 on every float is even; infinities count as even, NaN as no integer.
static Parity parityOf(Term y) {
  // Adding 1.5 * 2^52 to the double rounds to an integer, whose low bits are then the low bits of the sum.
  constexpr double magic = 0x1.8p52;
  Term size = atMost(widen(magnitude(y)), 0x1p24);
  Term sum = size + magic;
  Term low = bitAnd(bitsOf(sum), bitsOf(sum).literal(int64_t(1)));
  Term whole = equal(sum - magic, size);
  return {whole, bitAnd(whole, sameBits(low, 1))};
}

/// The base-2 logarithm of |x|, -inf for 0 and inf for inf.
static Term log2OfMagnitude(Term x) {
  Term size = widen(magnitude(x));
  Term y = logWide(size) * 0x1.71547652b82fep+0;
  return select(equal(size, 0), -infinity, select(equal(size, infinity), infinity, y));
}

Term expand::pow(Term base, Term exponent) {
  Term logarithm = log2OfMagnitude(base);
  // |base| = 1 with an infinite exponent is 1, and so is 1 with NaN.
  Term product = select(equal(logarithm, 0), 0, widen(exponent) * logarithm);
  auto [scale, inverse, even, odd] = exp2Wide(atMost(atLeast(product, -200), 200));
  Term size = narrow(scale * (even + odd));
  auto [whole, odder] = parityOf(exponent);
  Term zero = bitsOf(size).literal(int64_t(0));
  Term y = fromBits(bitXor(bitsOf(size), select(odder, signBit(base), zero)));
  // A finite negative base wants a whole exponent.
  Term negative = bitAnd(less(base, 0), less(-infinity, base));
  Term result = select(whole, y, select(negative, notANumber, y));
  return select(equal(exponent, 0), 1.0, result);
}
