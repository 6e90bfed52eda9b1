// The functions of the notation for one element, as C: what the loops of bench-ops are compared with is written in
// these (ScalarLoops.h). Overloads need clang.
#include <math.h>
#include <stdint.h>

/// An index that data say, of a dimension of length n. As it is, unless the loops are to do what compiled ops do: then
/// one that is out of range is noticed, and nothing is read there.
#ifdef EQ_CHECKED
int eq_failed;
static inline int64_t eq_at(int64_t i, int64_t n) {
  if ((uint64_t)i < (uint64_t)n)
    return i;
  eq_failed = 1;
  return 0;
}
#else
#define eq_at(i, n) (i)
#endif

#define EQ static inline __attribute__((overloadable))
#define ONE(T, name, value)                                                                                            \
  EQ T eq_##name(T a) { return (T)(value); }
#define TWO(T, name, value)                                                                                            \
  EQ T eq_##name(T a, T b) { return (T)(value); }
#define TEST(T, name, value)                                                                                           \
  EQ uint8_t eq_##name(T a, T b) { return value; }

#define EVERY(T)                                                                                                       \
  ONE(T, neg, -a)                                                                                                      \
  ONE(T, sign, a > 0 ? 1 : a < 0 ? -1 : a)                                                                             \
  TWO(T, add, a + b)                                                                                                   \
  TWO(T, sub, a - b)                                                                                                   \
  TWO(T, mul, a *b)                                                                                                    \
  TWO(T, div, a / b)                                                                                                   \
  TWO(T, max, b > a || b != b ? b : a)                                                                                 \
  TWO(T, min, b < a || b != b ? b : a)                                                                                 \
  TEST(T, eq, a == b)                                                                                                  \
  TEST(T, ne, a != b)                                                                                                  \
  TEST(T, lt, a < b)                                                                                                   \
  TEST(T, le, a <= b)                                                                                                  \
  TEST(T, gt, a > b)                                                                                                   \
  TEST(T, ge, a >= b)

/// Wraps as the notation does.
static inline uint64_t eq_power(uint64_t a, uint64_t b) {
  uint64_t product = 1;
  for (; b != 0; b >>= 1, a *= a)
    if (b & 1)
      product *= a;
  return product;
}

#define INTEGER(T)                                                                                                     \
  EVERY(T)                                                                                                             \
  ONE(T, bitnot, ~a)                                                                                                   \
  ONE(T, abs, a < 0 ? -a : a)                                                                                          \
  ONE(T, floor, a)                                                                                                     \
  ONE(T, ceil, a)                                                                                                      \
  ONE(T, round, a)                                                                                                     \
  TWO(T, pow, eq_power(a, b))                                                                                          \
  TWO(T, rem, a % b)                                                                                                   \
  TWO(T, mod, a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b)                                                \
  TWO(T, floordiv, a / b - (a % b != 0 && (a < 0) != (b < 0)))                                                         \
  TWO(T, ceildiv, a / b + (a % b != 0 && (a < 0) == (b < 0)))                                                          \
  TWO(T, and, a &b)                                                                                                    \
  TWO(T, or, a | b)                                                                                                    \
  TWO(T, xor, a ^ b)                                                                                                   \
  TWO(T, shl, (uint64_t)b < 8 * sizeof(T) ? a << b : 0)                                                                \
  TWO(T, shr, (uint64_t)b < 8 * sizeof(T) ? a >> b : 0)

#define FLOAT(T, f)                                                                                                    \
  EVERY(T)                                                                                                             \
  ONE(T, abs, fabs##f(a))                                                                                              \
  ONE(T, floor, floor##f(a))                                                                                           \
  ONE(T, ceil, ceil##f(a))                                                                                             \
  ONE(T, round, rint##f(a))                                                                                            \
  ONE(T, sqrt, sqrt##f(a))                                                                                             \
  ONE(T, exp, exp##f(a))                                                                                               \
  ONE(T, log, log##f(a))                                                                                               \
  ONE(T, log1p, log1p##f(a))                                                                                           \
  ONE(T, expm1, expm1##f(a))                                                                                           \
  ONE(T, sin, sin##f(a))                                                                                               \
  ONE(T, cos, cos##f(a))                                                                                               \
  ONE(T, tan, tan##f(a))                                                                                               \
  ONE(T, asin, asin##f(a))                                                                                             \
  ONE(T, acos, acos##f(a))                                                                                             \
  ONE(T, atan, atan##f(a))                                                                                             \
  ONE(T, sinh, sinh##f(a))                                                                                             \
  ONE(T, cosh, cosh##f(a))                                                                                             \
  ONE(T, tanh, tanh##f(a))                                                                                             \
  ONE(T, asinh, asinh##f(a))                                                                                           \
  ONE(T, acosh, acosh##f(a))                                                                                           \
  ONE(T, atanh, atanh##f(a))                                                                                           \
  ONE(T, erf, erf##f(a))                                                                                               \
  ONE(T, sigmoid, 1 / (1 + exp##f(-a)))                                                                                \
  EQ uint8_t eq_isnan(T a) { return a != a; }                                                                          \
  EQ uint8_t eq_isinf(T a) { return fabs##f(a) == (T)INFINITY; }                                                       \
  TWO(T, rem, fmod##f(a, b))                                                                                           \
  EQ T eq_mod(T a, T b) {                                                                                              \
    T r = fmod##f(a, b);                                                                                               \
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;                                                                   \
  }                                                                                                                    \
  TWO(T, floordiv, floor##f(a / b))                                                                                    \
  TWO(T, ceildiv, ceil##f(a / b))                                                                                      \
  TWO(T, pow, pow##f(a, b))                                                                                            \
  TWO(T, atan2, atan2##f(a, b))

INTEGER(int8_t)
INTEGER(int16_t)
INTEGER(int32_t)
INTEGER(int64_t)
INTEGER(uint8_t)
INTEGER(uint16_t)
INTEGER(uint32_t)
INTEGER(uint64_t)
FLOAT(float, f)
FLOAT(double, )
EQ uint8_t eq_not(uint8_t a) { return !a; }
