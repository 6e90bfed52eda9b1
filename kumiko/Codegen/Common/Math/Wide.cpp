#include "kumiko/Codegen/Common/Math/Wide.h"
#include "kumiko/Codegen/Common/Math/Coefficients.h"

using namespace kumiko;

static constexpr int64_t exponentOne = int64_t(1) << 52;

PowerAndRest kumiko::splitPower(Term x, int64_t lowest) {
  // Take the bits of the lowest m away and the exponent that remains is k. There is neither an arithmetic shift nor a
  // conversion of 64-bit integers in AVX2; an offset and the bits of 2^52 stand in for them.
  constexpr int64_t offset = 1024 * exponentOne;
  Term bits = bitsOf(x);
  Term lifted = bits + bits.literal(offset - lowest);
  Term exponent = bitAnd(lifted, bits.literal(-exponentOne));
  Term m = fromBits(bits - exponent + bits.literal(offset));
  Term k = fromBits(bitOr(shiftRightUnsigned(lifted, 52), bits.literal(int64_t(0x4330000000000000)))) - (0x1p52 + 1024);
  return {k, m, exponent};
}

Term kumiko::logWide(Term x) {
  constexpr int64_t twoThirds = 0x3FE5555555555555;
  auto [k, m, exponent] = splitPower(x, twoThirds);
  Term s = (m - 1) / (m + 1);
  Term u = s * s;
  return fma(k, 0x1.62e42fefa39efp-1, fma(polynomial(logRatio, u), s * u, s + s)) + select(equal(x, x), 0, x);
}

PowerOfTwo kumiko::exp2Wide(Term z) {
  // Adding 1.5 * 2^52 rounds to an integer, whose low bits are then the low bits of the sum.
  constexpr double magic = 0x1.8p52;
  Term sum = z + magic;
  Term r = z - (sum - magic);
  Term exponent = shiftLeft(bitsOf(sum), 52);
  Term one = exponent.literal(1023 * exponentOne);
  Term u = r * r;
  return {fromBits(one + exponent), fromBits(one - exponent), polynomial(exp2Even, u), polynomial(exp2Odd, u) * r};
}
