//===- IntegerKernels.cpp - functions of integers, predicates, selection -------------===//
//
// Narrower types are exact in 64 bits; their results are cut to width afterwards. So only u64 needs loops of its own.
// Division by zero gives zero: the notation has no way to fail there, and a judge must not crash.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Evaluate/LaneLoops.h"

using namespace kumiko;
using namespace kumiko::eval;
using eq::Function;

/// Arithmetic that wraps is done on the bits.
template <typename T> static T wrapped(uint64_t value) { return T(value); }

template <typename T> static T divide(T a, T b) {
  if (b == 0)
    return 0;
  return b == T(-1) && std::is_signed_v<T> ? wrapped<T>(-uint64_t(a)) : a / b;
}
template <typename T> static T remainder(T a, T b) {
  if (b == 0 || (b == T(-1) && std::is_signed_v<T>))
    return 0;
  return a % b;
}
template <typename T> static T floorRemainder(T a, T b) {
  T rest = remainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
template <typename T> static T floorDivide(T a, T b) {
  T rest = remainder(a, b);
  return divide(a, b) - T(rest != 0 && (rest < 0) != (b < 0));
}
template <typename T> static T ceilDivide(T a, T b) {
  T rest = remainder(a, b);
  return divide(a, b) + T(rest != 0 && (rest < 0) == (b < 0));
}
template <typename T> static T power(T base, T exponent) {
  if (std::is_signed_v<T> && exponent < 0)
    return base == 1 ? T(1) : base == T(-1) ? (exponent % 2 ? T(-1) : T(1)) : T(0);
  uint64_t result = 1, factor = uint64_t(base);
  for (uint64_t rest = uint64_t(exponent); rest; rest >>= 1, factor *= factor)
    if (rest & 1)
      result *= factor;
  return wrapped<T>(result);
}
template <typename T> static T shiftLeft(T a, T b) { return uint64_t(b) > 63 ? T(0) : wrapped<T>(uint64_t(a) << b); }
template <typename T> static T shiftRight(T a, T b) { return uint64_t(b) > 63 ? T(a < 0 ? -1 : 0) : T(a >> b); }

template <typename T, auto rule> static constexpr LaneKernel unary = unaryLoop<T, T, rule>;
template <typename T, auto rule> static constexpr LaneKernel binary = binaryLoop<T, T, rule>;

template <typename T> static LaneKernel pickUnary(Function function) {
  switch (function) {
  case Function::Neg:
    return unary<T, [](T x) { return wrapped<T>(-uint64_t(x)); }>;
  case Function::Not:
    return unary<T, [](T x) { return T(x == 0); }>;
  case Function::BitNot:
    return unary<T, [](T x) { return T(~x); }>;
  case Function::Abs:
    return unary<T, [](T x) { return x < 0 ? wrapped<T>(-uint64_t(x)) : x; }>;
  case Function::Sign:
    return unary<T, [](T x) { return T((x > 0) - (x < 0)); }>;
  case Function::Floor:
  case Function::Ceil:
  case Function::Round:
    return unary<T, [](T x) { return x; }>;
  default:
    return nullptr;
  }
}

template <typename T> static LaneKernel pickBinary(Function function) {
  switch (function) {
  case Function::Add:
    return binary<T, [](T a, T b) { return wrapped<T>(uint64_t(a) + uint64_t(b)); }>;
  case Function::Sub:
    return binary<T, [](T a, T b) { return wrapped<T>(uint64_t(a) - uint64_t(b)); }>;
  case Function::Mul:
    return binary<T, [](T a, T b) { return wrapped<T>(uint64_t(a) * uint64_t(b)); }>;
  case Function::Div:
    return binary<T, divide<T>>;
  case Function::Mod:
    return binary<T, floorRemainder<T>>;
  case Function::Rem:
    return binary<T, remainder<T>>;
  case Function::FloorDiv:
    return binary<T, floorDivide<T>>;
  case Function::CeilDiv:
    return binary<T, ceilDivide<T>>;
  case Function::Pow:
    return binary<T, power<T>>;
  case Function::Max:
    return binary<T, [](T a, T b) { return a > b ? a : b; }>;
  case Function::Min:
    return binary<T, [](T a, T b) { return a < b ? a : b; }>;
  case Function::And:
    return binary<T, [](T a, T b) { return T(a & b); }>;
  case Function::Or:
    return binary<T, [](T a, T b) { return T(a | b); }>;
  case Function::Xor:
    return binary<T, [](T a, T b) { return T(a ^ b); }>;
  case Function::Shl:
    return binary<T, shiftLeft<T>>;
  case Function::Shr:
    return binary<T, shiftRight<T>>;
  default:
    return nullptr;
  }
}

template <typename T> static LaneKernel pickPredicate(Function function) {
  switch (function) {
  case Function::Eq:
    return binaryLoop<int64_t, T, [](T a, T b) { return a == b; }>;
  case Function::Ne:
    return binaryLoop<int64_t, T, [](T a, T b) { return a != b; }>;
  case Function::Lt:
    return binaryLoop<int64_t, T, [](T a, T b) { return a < b; }>;
  case Function::Le:
    return binaryLoop<int64_t, T, [](T a, T b) { return a <= b; }>;
  case Function::Gt:
    return binaryLoop<int64_t, T, [](T a, T b) { return a > b; }>;
  case Function::Ge:
    return binaryLoop<int64_t, T, [](T a, T b) { return a >= b; }>;
  case Function::IsNan:
    return unaryLoop<int64_t, T, [](T x) { return x != x; }>;
  case Function::IsInf:
    if constexpr (std::is_floating_point_v<T>)
      return unaryLoop<int64_t, T, [](T x) { return std::fabs(x) == T(INFINITY); }>;
    return unaryLoop<int64_t, T, [](T) { return false; }>;
  default:
    return nullptr;
  }
}

template <typename T>
static void selectLoop(void *__restrict to, const void *__restrict a, const void *__restrict b,
                       const void *__restrict c, int64_t lanes) {
  auto *condition = static_cast<const int64_t *>(a);
  auto *yes = static_cast<const T *>(b);
  auto *no = static_cast<const T *>(c);
  for (int64_t i = 0; i < lanes; ++i)
    static_cast<T *>(to)[i] = condition[i] != 0 ? yes[i] : no[i];
}

LaneKernel eval::integerKernel(Function function, bool unsigned64) {
  LaneKernel kernel = unsigned64 ? pickUnary<uint64_t>(function) : pickUnary<int64_t>(function);
  if (kernel)
    return kernel;
  return unsigned64 ? pickBinary<uint64_t>(function) : pickBinary<int64_t>(function);
}

LaneKernel eval::predicateKernel(Function function, Carrier carrier, bool unsigned64) {
  if (carrier == Carrier::F32)
    return pickPredicate<float>(function);
  if (carrier == Carrier::F64)
    return pickPredicate<double>(function);
  return unsigned64 ? pickPredicate<uint64_t>(function) : pickPredicate<int64_t>(function);
}

LaneKernel eval::selectKernel(Carrier carrier) {
  return carrier == Carrier::F32   ? selectLoop<float>
         : carrier == Carrier::F64 ? selectLoop<double>
                                   : selectLoop<int64_t>;
}
