//===- Logarithm64.h - parts of logarithms in double precision --------------===//
#pragma once
#include "kumiko/Codegen/Common/Math/Term.h"

namespace kumiko {

/// x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2).
struct Parts64 {
  Term k, f;
  Term inverse; ///< 2^-k, of the x that was taken apart, which is at least 2^-1022
};

/// For positive normal doubles.
Parts64 partsOfNormal64(Term x);
/// For any positive double.
Parts64 partsOf64(Term x);

/// powers ln 2 + log(1 + x + low), where `low` is far below x.
Term logOnePlus64(Term x, Term low, Term powers);

} // namespace kumiko
