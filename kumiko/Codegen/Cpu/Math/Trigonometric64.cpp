#include "kumiko/Codegen/Cpu/Math/Coefficients.h"
#include "kumiko/Codegen/Cpu/Math/Functions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kumiko;

// x = n pi/2 + r. Up to 2^20, n has as many bits, and pi/2 comes in three pieces of 33 bits, so that products are
// exact, and a fourth. Larger arguments are rare: vectors that have one go to the C library with it.

static constexpr double nearest = 0x1p20;
static constexpr double quarter[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                                     0x1.b839a252049c1p-104};
/// Adding it rounds to an integer, whose low bits are then the low bits of the sum.
static constexpr double magic = 0x1.8p52;

namespace {
struct Pair {
  Term high, low;
};
struct Quarters {
  Term number; ///< n, in the low bits of an integer
  Pair r;      ///< from -pi/4 to pi/4
};
} // namespace

/// a - b, and what rounding took from it.
static Pair exactDifference(Term a, Term b) {
  Term high = a - b;
  Term back = high - a;
  return {high, (a - (high - back)) - (b + back)};
}

static Quarters quartersOf(Term x) {
  Term sum = fma(x, 0x1.45f306dc9c883p-1, magic);
  Term n = sum - magic;
  Term rest = x - n * quarter[0]; // exact
  auto [first, lost] = exactDifference(rest, n * quarter[1]);
  auto [second, lostToo] = exactDifference(first, n * quarter[2]);
  return {bitsOf(sum), {second, (lost + lostToo) - n * quarter[3]}};
}

/// What must be added to r.high.
static Term sineRest(Pair r) {
  Term u = r.high * r.high;
  return fma(polynomial(sineTail64, u), u * r.high, fma(r.low, u * -0.5, r.low));
}

/// 1 - r^2 / 2 as a double, and what must be added to it.
static Pair cosineOf(Pair r) {
  Term u = r.high * r.high, half = u * 0.5;
  Term near = 1 - half;
  Term lost = (1 - near) - half;
  return {near, lost + fma(polynomial(cosineTail64, u), u * u, (r.high * r.low) * -1.0)};
}

/// The function of the C library, for vectors of which a lane is beyond the reduction.
template <typename Function> static Term orLibrary(Term x, Term y) {
  TermEmitter &emitter = x.getEmitter();
  return unlessAny(less(nearest, magnitude(x)), y,
                   [&] { return Term(emitter, Function::create(emitter.builder, emitter.loc, x.get())); });
}

/// The sine `shift` quarter turns ahead.
static Term sineAhead(Term x, int64_t shift) {
  auto [n, r] = quartersOf(x);
  Term number = shift ? n + n.literal(shift) : n;
  Term odd = sameBits(bitAnd(number, number.literal(int64_t(1))), 1);
  Pair cosine = cosineOf(r);
  Term y = select(odd, cosine.high, r.high) + select(odd, cosine.low, sineRest(r));
  Term sign = shiftLeft(bitAnd(number, number.literal(int64_t(2))), 62);
  return fromBits(bitXor(bitsOf(y), sign));
}

Term expand64::sin(Term x) {
  // A zero has lost its sign.
  return orLibrary<math::SinOp>(x, select(equal(x, 0), x, sineAhead(x, 0)));
}

Term expand64::cos(Term x) { return orLibrary<math::CosOp>(x, sineAhead(x, 1)); }

Term expand64::tan(Term x) {
  auto [n, r] = quartersOf(x);
  Pair cosine = cosineOf(r), sine{r.high, sineRest(r)};
  Term odd = bitAnd(n, n.literal(int64_t(1))), swap = sameBits(odd, 1);
  Term above = select(swap, cosine.high, sine.high), aboveLow = select(swap, cosine.low, sine.low);
  Term below = select(swap, sine.high, cosine.high), belowLow = select(swap, sine.low, cosine.low);
  // The quotient of the high parts, and the first order of what the low ones change.
  Term divisor = below + belowLow;
  Term quotient = (above + aboveLow) / divisor;
  Term lostAbove = (above - (above + aboveLow)) + aboveLow, lostBelow = (below - divisor) + belowLow;
  Term y = quotient + (lostAbove - quotient * lostBelow) / divisor;
  Term signedY = select(equal(x, 0), x, fromBits(bitXor(bitsOf(y), shiftLeft(odd, 63))));
  return orLibrary<math::TanOp>(x, signedY);
}
