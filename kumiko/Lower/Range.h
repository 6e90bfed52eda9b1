//===- Range.h - what an index may be, from its text alone -----------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include <cstdint>
#include <limits>

namespace kumiko::lower {

/// From `low` to `high`, both included.
struct Range {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();

  bool within(int64_t extent) const { return low >= 0 && high < extent; }
};

/// Of an integer expression over loops of these extents, none of them empty. Elements of tensors may be anything, so
/// what is inside a tensor by this is inside for all data: clamp(index(i), 0, n - 1), mod(start(b) + j, n).
Range rangeOf(const eq::Expr &expr, llvm::ArrayRef<Extent> extents);

} // namespace kumiko::lower
