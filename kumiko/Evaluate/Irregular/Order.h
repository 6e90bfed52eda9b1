//===- Order.h - the order of elements, for sorting -----------------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include <vector>

namespace kumiko {

/// One number per element, in the order of the elements: equal for equal elements (0 and -0 are), NaN above all.
std::vector<uint64_t> orderKeys(const Tensor &tensor);

/// A tensor as (outer, axis, inner) extents around one axis.
struct AroundAxis {
  int64_t outer = 1, size, inner = 1;
  AroundAxis(llvm::ArrayRef<int64_t> shape, int64_t axis);
  int64_t at(int64_t o, int64_t position, int64_t i) const { return (o * size + position) * inner + i; }
};

} // namespace kumiko
