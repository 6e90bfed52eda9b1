#include "kumiko/Codegen/Cpu/Math/Coefficients.h"
#include "kumiko/Codegen/Cpu/Math/Functions.h"

using namespace kumiko;

// x is a number of quarter turns, 2/pi x = 4 i + n + f. Only n mod 4 and f matter, and for x up to 2^128 they come from
// digits of 2/pi far behind the point: whole turns must cancel before anything is rounded.
//
// Scale x to at most 2^48 and put the power of two into 2/pi, whose multiples of 4 can then be dropped beforehand. Five
// powers cover all floats. With 24 bits in x and 29 bits in the first two pieces of the factor, products are exact
// doubles; multiples of 4 are taken from them exactly; the third piece is small.

namespace {
struct Quarters {
  Term number; ///< n, in the low bits of an integer
  Term f;      ///< from -1/2 to 1/2
};
} // namespace

/// The exact remainder of `product` beyond the nearest multiple of 4.
static Term dropTurns(Term product) {
  constexpr double magic = 0x1.8p54; // its neighbours are multiples of 4
  return product - ((product + magic) - magic);
}

static Quarters quartersOf(Term x) {
  Term wide = widen(x), size = magnitude(wide);
  Term scale = wide.literal(turns[0].scale), first = wide.literal(turns[0].first);
  Term second = wide.literal(turns[0].second), third = wide.literal(turns[0].third);
  double limit = 0x1p48;
  for (const Turns &next : llvm::ArrayRef(turns).drop_front()) {
    Term beyond = less(limit, size);
    scale = select(beyond, next.scale, scale);
    first = select(beyond, next.first, first);
    second = select(beyond, next.second, second);
    third = select(beyond, next.third, third);
    limit *= 0x1p24;
  }
  Term scaled = wide * scale;
  Term high = dropTurns(scaled * first), low = dropTurns(scaled * second);
  constexpr double magic = 0x1.8p52;
  Term sum = (high + low) + magic;
  Term n = sum - magic;
  // high - n is exact, and where low cancels it, so is that: the digits that are left are right.
  return {bitsOf(sum), ((high - n) + low) + scaled * third};
}

static Term sineOf(Term f) { return polynomial(sineTurn, f * f) * f; }

static Term cosineOf(Term f) { return polynomial(cosineTurn, f * f); }

/// The sine `shift` quarter turns ahead.
static Term sineAhead(Term x, int64_t shift) {
  Quarters quarters = quartersOf(x);
  Term number = shift ? quarters.number + quarters.number.literal(shift) : quarters.number;
  Term odd = sameBits(bitAnd(number, number.literal(int64_t(1))), 1);
  Term y = select(odd, cosineOf(quarters.f), sineOf(quarters.f));
  Term sign = shiftLeft(bitAnd(number, number.literal(int64_t(2))), 62);
  return narrow(fromBits(bitXor(bitsOf(y), sign)));
}

Term expand::sin(Term x) { return sineAhead(x, 0); }

Term expand::cos(Term x) { return sineAhead(x, 1); }

Term expand::tan(Term x) {
  Quarters quarters = quartersOf(x);
  Term sine = sineOf(quarters.f), cosine = cosineOf(quarters.f);
  Term odd = bitAnd(quarters.number, quarters.number.literal(int64_t(1)));
  Term swap = sameBits(odd, 1);
  Term y = select(swap, cosine, sine) / select(swap, sine, cosine);
  return narrow(fromBits(bitXor(bitsOf(y), shiftLeft(odd, 63))));
}
