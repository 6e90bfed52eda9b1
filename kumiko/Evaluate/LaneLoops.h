//===- LaneLoops.h - from a scalar rule to a loop over lanes ---------------------===//
//
// The rule is a template argument, so that the compiler sees it and can vectorise the loop.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Evaluate/Kernels.h"
#include <cmath>

namespace kumiko::eval {

template <typename To, typename From, auto rule>
void unaryLoop(void *__restrict to, const void *__restrict a, const void *, const void *, int64_t lanes) {
  auto *target = static_cast<To *>(to);
  auto *source = static_cast<const From *>(a);
  for (int64_t i = 0; i < lanes; ++i)
    target[i] = To(rule(source[i]));
}

template <typename To, typename From, auto rule>
void binaryLoop(void *__restrict to, const void *__restrict a, const void *__restrict b, const void *, int64_t lanes) {
  auto *target = static_cast<To *>(to);
  auto *left = static_cast<const From *>(a);
  auto *right = static_cast<const From *>(b);
  for (int64_t i = 0; i < lanes; ++i)
    target[i] = To(rule(left[i], right[i]));
}

/// The bits of a float as an integer of its width.
template <typename T> using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

/// Maximum and minimum of floats pass a NaN on and order -0 below +0.
template <typename T> T floatMax(T a, T b) {
  T equal = std::bit_cast<T>(BitsOf<T>(std::bit_cast<BitsOf<T>>(a) & std::bit_cast<BitsOf<T>>(b)));
  T ordered = a > b ? a : b > a ? b : equal;
  return a != a ? a : b != b ? b : ordered;
}
template <typename T> T floatMin(T a, T b) {
  T equal = std::bit_cast<T>(BitsOf<T>(std::bit_cast<BitsOf<T>>(a) | std::bit_cast<BitsOf<T>>(b)));
  T ordered = a < b ? a : b < a ? b : equal;
  return a != a ? a : b != b ? b : ordered;
}

} // namespace kumiko::eval
