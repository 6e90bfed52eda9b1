#include "kumiko/Codegen/Common/Math/Functions.h"
#include <cmath>

using namespace kumiko;

// A quotient of floats has up to 277 bits before the point. They are taken 28 at a time, from the top: each step takes
// the nearest whole multiple of y from what is left of x, which is then at most y / 2. A multiple of 28 bits by 24 bits
// is an exact double, and so is the difference: it is a multiple of the last place of y.

static constexpr unsigned stepBits = 28, steps = 10;

/// For all floats, of which only the magnitude counts; NaN where there is no remainder.
static Term inSteps(Term x, Term y) {
  constexpr double magic = 0x1.8p52; // to the nearest integer
  Term divisor = widen(y), size = widen(x);
  Term inverse = 1 / divisor, negated = 0 - divisor;
  // 2^-252, so that the first quotient has no more bits than the others.
  Term rest = size * 0x1p-252;
  for (unsigned step = 0; step < steps; ++step) {
    if (step != 0)
      rest = rest * 0x1p28;
    // Without an instruction that rounds once these round as they like: the first need not be exact, the second is.
    Term quotient = fma(rest, inverse, magic) - magic;
    rest = fma(quotient, negated, rest);
  }
  static_assert(stepBits * (steps - 1) == 252);
  rest = select(less(rest, 0), rest + divisor, rest);
  // x is smaller than an infinite y; nothing is left of infinity, and by 0 there is no remainder.
  rest = select(equal(divisor, infinity), size, rest);
  Term none = bitOr(bitOr(unordered(x, y), equal(divisor, 0)), equal(size, infinity));
  return select(none, notANumber, narrow(rest));
}

// Most quotients are small. Below 2^22 a rounded one is at most 1/8 off, and the nearest integer of it is less than 1
// from the quotient: what is left is less than y, and exact, as it is a multiple of the last place of y or, where x is
// the smaller one, x itself or a difference of neighbours.

// For doubles the same holds below 2^51.

/// In one step where quotients are below 2^(`bits` - 2), for numbers of so many bits; with `others` elsewhere.
static Term inOneStep(Term x, Term y, unsigned bits, llvm::function_ref<Term(Term, Term)> others) {
  double magic = std::ldexp(1.5, int(bits) - 1); // to the nearest integer
  Term divisor = magnitude(y), size = magnitude(x);
  Term quotient = size / divisor;
  Term rest = fma((quotient + magic) - magic, 0 - divisor, size);
  rest = select(less(rest, 0), rest + divisor, rest);
  Term large = bitOr(notLess(quotient, std::ldexp(1, int(bits) - 2)), equal(divisor, infinity));
  rest = unlessAny(large, rest, [&] { return others(size, divisor); });
  return withSign(rest, signBit(x));
}

Term expand::rem(Term x, Term y) { return inOneStep(x, y, 24, inSteps); }

// Larger quotients of doubles are rare: vectors that have one go to the C library with it.

Term expand64::rem(Term x, Term y) {
  return inOneStep(x, y, 53, [](Term size, Term divisor) {
    TermEmitter &emitter = size.getEmitter();
    return Term(emitter, mlir::arith::RemFOp::create(emitter.builder, emitter.loc, size.get(), divisor.get()));
  });
}
