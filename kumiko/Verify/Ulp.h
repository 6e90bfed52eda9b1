//===- Ulp.h - how far a result is from the reference -----------------------===//
//
// The distance of one element, in units in the last place of the output's type:
//
//   |got - ref| / ulp(max(|ref|, 2^-10 * max|ref|))
//
// where max|ref| runs over the whole tensor: an element that is tiny beside its neighbours comes out of cancellation,
// and its own last place would measure nothing. `ref` is the fp64 evaluator's value rounded to the output's type.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"

namespace kumiko {

/// The spacing of numbers of float type `type` around `magnitude` (not negative, finite).
double ulpOf(ElementType type, double magnitude);

struct Distance {
  /// Largest over the elements; infinite when one side is NaN or infinite and the other is not the same.
  double ulp = 0;
  /// |got - ref| and where; -1 when nothing differs.
  double absolute = 0;
  int64_t worst = -1;
  double got = 0, reference = 0;
  /// max|got - ref| / max|ref|
  double relativeToLargest = 0;
};

/// `reference` has f64 elements where `got` has floats, else the type of `got`. Integers and booleans count as one unit
/// apart for each unit of difference.
Distance compare(const Tensor &got, const Tensor &reference);

} // namespace kumiko
