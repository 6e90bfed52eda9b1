//===- Quarters.h - sines of angles that are quarter turns and a rest -------===//
//
// sin, cos and tan of x = n pi/2 + r: n says which of the two series is taken and which sign it gets. How n and r are
// found is each type's own matter; all that follows is here, for f32 and f64 alike.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Common/Math/Term.h"

namespace kumiko {

/// A number, and what rounding took from it.
struct Pair {
  Term high, low;
};

/// a - b.
Pair exactDifference(Term a, Term b);

/// x = n pi/2 + r.
struct Quarters {
  Term number; ///< n, in the low bits of an integer as wide as r
  Pair r;      ///< from -pi/4 to pi/4
};

/// y with its sign turned where the integer, as wide as y, has the bit of this index.
Term turned(Term y, Term integer, int64_t bit);

/// sin(r) = r + r^3 P(r^2) and cos(r) = 1 - r^2 / 2 + r^4 P(r^2).
template <typename Number> struct Tails {
  llvm::ArrayRef<Number> sine, cosine;
};

/// The sine `shift` quarter turns ahead. Of -0 it is +0.
template <typename Number> Term sineOf(const Quarters &x, Tails<Number> tails, int64_t shift);
/// The tangent. Of -0 it is +0.
template <typename Number> Term tangentOf(const Quarters &x, Tails<Number> tails);

} // namespace kumiko
