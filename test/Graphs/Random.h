//===- Random.h - numbers that follow from a seed on every machine ----------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include <random>

namespace kumiko::graphs {

/// Distributions of the standard library differ between its makers, so everything is made from the generator's words.
class Random {
public:
  Random(uint64_t seed, uint64_t number) {
    std::seed_seq start{seed, seed >> 32, number, number >> 32};
    words.seed(start);
  }

  /// 0 to count - 1; 0 when there is nothing to choose from.
  int64_t below(int64_t count) { return count <= 0 ? 0 : int64_t(words() % uint64_t(count)); }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  /// Even in [0, 1).
  double share() { return double(words() >> 11) * 0x1p-53; }
  template <typename T> const T &of(llvm::ArrayRef<T> list) { return list[below(list.size())]; }
  template <typename T> T of(std::initializer_list<T> list) { return list.begin()[below(list.size())]; }
  template <typename List> void shuffle(List &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }

private:
  std::mt19937_64 words;
};

} // namespace kumiko::graphs
