#include "kumiko/Codegen/Common/Math/Quarters.h"

using namespace kumiko;

Pair kumiko::exactDifference(Term a, Term b) {
  Term high = a - b;
  Term back = high - a;
  return {high, (a - (high - back)) - (b + back)};
}

/// What must be added to r.high.
template <typename Number> static Term sineRest(Pair r, Tails<Number> tails) {
  Term u = r.high * r.high;
  return fma(polynomial(tails.sine, u), u * r.high, fma(r.low, u * -0.5, r.low));
}

/// 1 - r^2 / 2 rounded, and what must be added to it.
template <typename Number> static Pair cosine(Pair r, Tails<Number> tails) {
  Term u = r.high * r.high, half = u * 0.5;
  Term near = 1 - half;
  Term lost = (1 - near) - half;
  return {near, lost + fma(polynomial(tails.cosine, u), u * u, (r.high * r.low) * -1.0)};
}

static Term oddBit(Term number) { return bitAnd(number, number.literal(int64_t(1))); }

Term kumiko::turned(Term y, Term integer, int64_t bit) {
  int64_t top = y.elementType().getIntOrFloatBitWidth() - 1;
  Term sign = shiftLeft(bitAnd(integer, integer.literal(int64_t(1) << bit)), top - bit);
  return fromBits(bitXor(bitsOf(y), sign));
}

template <typename Number> Term kumiko::sineOf(const Quarters &x, Tails<Number> tails, int64_t shift) {
  Term number = shift ? x.number + x.number.literal(shift) : x.number;
  Term odd = sameBits(oddBit(number), 1);
  auto [near, rest] = cosine(x.r, tails);
  Term y = select(odd, near, x.r.high) + select(odd, rest, sineRest(x.r, tails));
  return turned(y, number, 1);
}

template <typename Number> Term kumiko::tangentOf(const Quarters &x, Tails<Number> tails) {
  Pair cos = cosine(x.r, tails), sin{x.r.high, sineRest(x.r, tails)};
  Term swap = sameBits(oddBit(x.number), 1);
  Term above = select(swap, cos.high, sin.high), aboveLow = select(swap, cos.low, sin.low);
  Term below = select(swap, sin.high, cos.high), belowLow = select(swap, sin.low, cos.low);
  // The quotient of the high parts, and the first order of what the low ones change.
  Term divisor = below + belowLow;
  Term quotient = (above + aboveLow) / divisor;
  Term lostAbove = (above - (above + aboveLow)) + aboveLow, lostBelow = (below - divisor) + belowLow;
  return turned(quotient + (lostAbove - quotient * lostBelow) / divisor, x.number, 0);
}

template Term kumiko::sineOf(const Quarters &, Tails<float>, int64_t);
template Term kumiko::sineOf(const Quarters &, Tails<double>, int64_t);
template Term kumiko::tangentOf(const Quarters &, Tails<float>);
template Term kumiko::tangentOf(const Quarters &, Tails<double>);
