#include "kumiko/Codegen/Common/Math/Coefficients.h"
#include "kumiko/Codegen/Common/Math/Functions.h"
#include "kumiko/Codegen/Common/Math/Quarters.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kumiko;

// Up to 2^20, n has as many bits, and pi/2 comes in three pieces of 33 bits, so that products are exact, and a fourth.
// Larger arguments are rare: vectors that have one go to the C library with it.

static constexpr double nearest = 0x1p20;
static constexpr double quarter[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                                     0x1.b839a252049c1p-104};
static constexpr Tails<double> tails{sineTail64, cosineTail64};

static Quarters quartersOf(Term x) {
  // Adding it rounds to an integer, whose low bits are then the low bits of the sum.
  constexpr double magic = 0x1.8p52;
  Term sum = fma(x, 0x1.45f306dc9c883p-1, magic);
  Term n = sum - magic;
  Term rest = x - n * quarter[0]; // exact
  auto [first, lost] = exactDifference(rest, n * quarter[1]);
  auto [second, lostToo] = exactDifference(first, n * quarter[2]);
  return {bitsOf(sum), {second, (lost + lostToo) - n * quarter[3]}};
}

/// The function of the C library, for vectors of which a lane is beyond the reduction.
template <typename Function> static Term orLibrary(Term x, Term y) {
  TermEmitter &emitter = x.getEmitter();
  return unlessAny(less(nearest, magnitude(x)), y,
                   [&] { return Term(emitter, Function::create(emitter.builder, emitter.loc, x.get())); });
}

Term expand64::sin(Term x) {
  return orLibrary<math::SinOp>(x, select(equal(x, 0), x, sineOf(quartersOf(x), tails, 0)));
}

Term expand64::cos(Term x) { return orLibrary<math::CosOp>(x, sineOf(quartersOf(x), tails, 1)); }

Term expand64::tan(Term x) {
  return orLibrary<math::TanOp>(x, select(equal(x, 0), x, tangentOf(quartersOf(x), tails)));
}
