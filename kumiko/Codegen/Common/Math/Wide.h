//===- Wide.h - logarithm and powers of two in double precision -------------===//
#pragma once
#include "kumiko/Codegen/Common/Math/Term.h"

namespace kumiko {

/// x = 2^k m for positive finite normal doubles, m from the double with the bits `lowest` up to twice that; `exponent`
/// is k in the place of a double's exponent, with an offset of 1024.
struct PowerAndRest {
  Term k, m, exponent;
};
PowerAndRest splitPower(Term x, int64_t lowest);

/// The natural logarithm of positive finite normal doubles, with a relative error below 2^-38; anything else gives an
/// arbitrary result, NaN excepted, which stays.
Term logWide(Term x);

/// 2^z for |z| < 1000 as scale * (even + odd), and 2^-z as (even - odd) / scale; NaN makes all of them NaN.
struct PowerOfTwo {
  Term scale, inverseScale, even, odd;
};
PowerOfTwo exp2Wide(Term z);

} // namespace kumiko
