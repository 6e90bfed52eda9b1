#include "kumiko/Codegen/Common/Math/Coefficients.h"
#include "kumiko/Codegen/Common/Math/Functions.h"
#include "kumiko/Codegen/Common/Math/Quarters.h"

using namespace kumiko;

// Up to 2^20, pi/2 comes in three pieces of 24 bits. x less n times the first is exact, as both are multiples of 2^-24
// and what is left is below 1. Taking away the second may round once, which leaves 1/2 ULP to a sine; a tangent loses
// more elsewhere and keeps what that took. The third is what is added last.
//
// Larger arguments are rare: vectors that have one compute it as below.

static constexpr double nearest = 0x1p20;
static constexpr double quarter[] = {0x1.921fb4p+0, 0x1.4442dp-24, 0x1.846988p-48};
static constexpr Tails<float> tails{sineTail, cosineTail};

static Quarters quartersOf(Term x, bool isExact) {
  // Adding it rounds to an integer, whose low bits are then the low bits of the sum.
  constexpr double magic = 0x1.8p23;
  Term sum = fma(x, 0x1.45f306p-1, magic);
  Term n = sum - magic, number = bitsOf(sum);
  Term rest = fma(n, -quarter[0], x), last = n * -quarter[2];
  if (!isExact)
    return {number, {fma(n, -quarter[1], rest), last}};
  Term product = n * quarter[1];
  auto [high, lost] = exactDifference(rest, product);
  return {number, {high, (last - fma(n, quarter[1], product * -1.0)) + lost}};
}

// Of any x the number of quarter turns is 2/pi x = 4 i + n + f. Only n mod 4 and f matter, and up to 2^128 they come
// from digits of 2/pi far behind the point: whole turns must cancel before anything is rounded.
//
// Scale x to at most 2^48 and put the power of two into 2/pi, whose multiples of 4 can then be dropped beforehand. Five
// powers cover all floats. With 24 bits in x and 29 bits in the first two pieces of the factor, products are exact
// doubles; multiples of 4 are taken from them exactly; the third piece is small.

namespace {
struct FarQuarters {
  Term number; ///< n, in the low bits of an integer
  Term f;      ///< from -1/2 to 1/2
};
} // namespace

/// The exact remainder of `product` beyond the nearest multiple of 4.
static Term dropTurns(Term product) {
  constexpr double magic = 0x1.8p54; // its neighbours are multiples of 4
  return product - ((product + magic) - magic);
}

static FarQuarters farQuartersOf(Term x) {
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

static Term farSine(Term f) { return polynomial(sineTurn, f * f) * f; }

static Term farCosine(Term f) { return polynomial(cosineTurn, f * f); }

/// The sine `shift` quarter turns ahead.
static Term farSineOf(Term x, int64_t shift) {
  FarQuarters quarters = farQuartersOf(x);
  Term number = shift ? quarters.number + quarters.number.literal(shift) : quarters.number;
  Term odd = sameBits(bitAnd(number, number.literal(int64_t(1))), 1);
  Term y = select(odd, farCosine(quarters.f), farSine(quarters.f));
  return narrow(turned(y, number, 1));
}

static Term farTangentOf(Term x) {
  FarQuarters quarters = farQuartersOf(x);
  Term sine = farSine(quarters.f), cosine = farCosine(quarters.f);
  Term swap = sameBits(bitAnd(quarters.number, quarters.number.literal(int64_t(1))), 1);
  Term y = select(swap, cosine, sine) / select(swap, sine, cosine);
  return narrow(turned(y, quarters.number, 0));
}

static Term isFar(Term x) { return less(nearest, magnitude(x)); }

Term expand::sin(Term x) {
  Term y = select(equal(x, 0), x, sineOf(quartersOf(x, /*isExact=*/false), tails, 0));
  return unlessAny(isFar(x), y, [&] { return farSineOf(x, 0); });
}

Term expand::cos(Term x) {
  return unlessAny(isFar(x), sineOf(quartersOf(x, /*isExact=*/false), tails, 1), [&] { return farSineOf(x, 1); });
}

Term expand::tan(Term x) {
  Term y = select(equal(x, 0), x, tangentOf(quartersOf(x, /*isExact=*/true), tails));
  return unlessAny(isFar(x), y, [&] { return farTangentOf(x); });
}
