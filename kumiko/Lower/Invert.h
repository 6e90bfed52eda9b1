//===- Invert.h - from "who writes where" to "who is written by whom" ------===//
//
// A statement with a computed left side, y(e) += v, visits the points that write. linalg visits the points that are
// written. So the statement is turned around: each dimension of y gets a loop of its own, the loops of the left side
// are reduced, and a condition keeps the points that meet:
//
//   y(e(j)) += u(j)                  y(o) += u(j)                                where e(j) == o
//   y(i*s + k - lo) += x(i) * w(k)   y(o) += (x((o + lo - k) / s) else 0) * w(k) where (o + lo - k) mod s == 0
//
// An index that is linear is solved for one of its loops, which then needs no loop at all. One that comes from data
// costs a comparison for each pair of an element and a write: right for a few updates, slow for many.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "llvm/Support/Error.h"

namespace kumiko::lower {

/// An index that comes from data and must be one of `extent`.
struct RequiredIndex {
  const eq::Expr *index;
  Extent extent;
};

struct Inverted {
  /// With `=` it combines by overwriting: at points where its conditions hold, the value replaces what was there.
  eq::Statement statement;
  llvm::SmallVector<RequiredIndex, 2> required;
};

/// Where new expressions live.
struct ExprStorage {
  llvm::BumpPtrAllocator arena;
  /// The arena runs no destructors.
  std::vector<std::unique_ptr<Extent>> extents;
};

/// The statement turned around; its new expressions live in `storage`.
llvm::Expected<Inverted> invert(const eq::Instance &instance, const eq::Statement &statement, ExprStorage &storage);

} // namespace kumiko::lower
