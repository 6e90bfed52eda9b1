//===- Linear.h - indices that are linear in the loops -----------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"

namespace kumiko::eval {

/// constant + sum of coefficients[l] * loop l.
struct Linear {
  int64_t constant = 0;
  llvm::SmallVector<int64_t, 6> coefficients;
};

/// Inclusive.
struct Range {
  int64_t lowest, highest;
  bool isWithin(int64_t extent) const { return lowest >= 0 && highest < extent; }
};

/// The expression as a linear function of `loops` loops. Nothing where it is not one, or its numbers overflow.
std::optional<Linear> linearForm(const eq::Expr &expr, unsigned loops);

/// The values that it takes when each loop runs over its extent; nothing on overflow. All extents are positive.
std::optional<Range> rangeOf(const Linear &form, llvm::ArrayRef<int64_t> extents);

} // namespace kumiko::eval
