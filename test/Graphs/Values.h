//===- Values.h - data for the tensors of random graphs ---------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include "test/Graphs/Random.h"

namespace kumiko::graphs {

enum class Flavour : uint8_t {
  /// Around zero: multiples of 1/8, whose sums are exact, or full mantissas; small integers, now and then the extremes.
  Plain,
  /// Above zero and not tiny: variances, scales.
  Positive,
  /// Numbers of elements of a dimension: 0 to `limit` - 1, some counted from the end.
  Index,
  /// Also NaN, infinities, -0.0, the largest and smallest numbers.
  Wild,
};

/// An extent at which code likes to be wrong.
int64_t randomExtent(Random &random);
/// Up to `mostElements`, rank 0 to 5.
llvm::SmallVector<int64_t> randomShape(Random &random, int64_t mostElements);
ElementType randomElement(Random &random);

Tensor randomTensor(ElementType element, llvm::ArrayRef<int64_t> shape, Flavour flavour, Random &random,
                    int64_t limit = 1);
Tensor splat(ElementType element, llvm::ArrayRef<int64_t> shape, double value);

} // namespace kumiko::graphs
