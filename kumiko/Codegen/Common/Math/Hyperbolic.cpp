#include "kumiko/Codegen/Common/Math/Functions.h"
#include "kumiko/Codegen/Common/Math/Wide.h"

using namespace kumiko;

static constexpr double log2OfE = 0x1.71547652b82fep+0;

// Doubles have 29 bits to spare, so plain formulas do down to 2^-20; below, these functions are x itself.

/// e^|x|; beyond 100 the result overflows a float anyway.
static PowerOfTwo expOfMagnitude(Term x) { return exp2Wide(widen(atMost(magnitude(x), 100)) * log2OfE); }

static Term ownBelow(Term x, Term y) { return select(less(magnitude(x), 0x1p-20), x, y); }

Term expand::sinh(Term x) {
  auto [scale, inverse, even, odd] = expOfMagnitude(x);
  Term y = (scale * (even + odd) - inverse * (even - odd)) * 0.5;
  return ownBelow(x, withSign(narrow(y), x));
}

Term expand::cosh(Term x) {
  auto [scale, inverse, even, odd] = expOfMagnitude(x);
  return narrow((scale * (even + odd) + inverse * (even - odd)) * 0.5);
}

Term expand::asinh(Term x) {
  Term size = widen(magnitude(x));
  Term y = logWide(size + squareRoot(fma(size, size, 1)));
  return ownBelow(x, select(equal(magnitude(x), infinity), x, withSign(narrow(y), x)));
}

Term expand::acosh(Term x) {
  Term wide = widen(x);
  Term y = narrow(logWide(wide + squareRoot(fma(wide, wide, -1))));
  return select(less(x, 1), notANumber, select(equal(x, infinity), x, y));
}

Term expand::atanh(Term x) {
  Term size = widen(magnitude(x));
  Term quotient = (size + 1) / (1 - size);
  Term y = logWide(quotient) * 0.5;
  Term inside = select(less(size, 1), y, select(equal(size, 1), y.literal(infinity), notANumber));
  return ownBelow(x, withSign(narrow(inside), x));
}
