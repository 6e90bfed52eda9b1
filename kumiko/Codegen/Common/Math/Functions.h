//===- Functions.h - the expansions, one declaration each -------------------===//
#pragma once
#include "kumiko/Codegen/Common/Math/Term.h"
#include <optional>

namespace kumiko {

// ConstantPower.cpp
/// The power by roots and products, for exponents where these are within 2 ULP together: some constants.
std::optional<Term> constantPower(Term base, Term exponent);

} // namespace kumiko

namespace kumiko::expand {

// Exponential.cpp, in single precision
Term exp(Term x);
Term exp2(Term x);
Term expM1(Term x);
Term tanh(Term x);
Term erf(Term x);
Term sigmoid(Term x);

// Logarithm.cpp, in single precision
Term log(Term x);
Term log2(Term x);
Term log10(Term x);
Term log1p(Term x);

// InverseTrigonometric.cpp: atan in single precision, asin and acos in double
Term asin(Term x);
Term acos(Term x);
Term atan(Term x);
Term atan2(Term y, Term x);

// Trigonometric.cpp, in single precision; in double for arguments beyond 2^20
Term sin(Term x);
Term cos(Term x);
Term tan(Term x);

// In double precision: Hyperbolic.cpp, Power.cpp
Term sinh(Term x);
Term cosh(Term x);
Term asinh(Term x);
Term acosh(Term x);
Term atanh(Term x);
Term pow(Term base, Term exponent);
// Remainder.cpp: exact
Term rem(Term x, Term y);

} // namespace kumiko::expand

/// The same functions of f64.
namespace kumiko::expand64 {

// Exponential64.cpp
Term exp(Term x);
Term exp2(Term x);
Term expM1(Term x);
Term tanh(Term x);
Term erf(Term x);
Term sigmoid(Term x);
Term sinh(Term x);
Term cosh(Term x);

// Logarithm64.cpp
Term log(Term x);
Term log2(Term x);
Term log10(Term x);
Term log1p(Term x);
Term asinh(Term x);
Term acosh(Term x);
Term atanh(Term x);

// InverseTrigonometric64.cpp
Term asin(Term x);
Term acos(Term x);
Term atan(Term x);
Term atan2(Term y, Term x);

// Trigonometric64.cpp: with a call of libm for arguments beyond 2^20
Term sin(Term x);
Term cos(Term x);
Term tan(Term x);

// Power64.cpp: needs a fused multiply-add
Term pow(Term base, Term exponent);
// Remainder.cpp: exact, with a fused multiply-add; with a call of libm for quotients from 2^51 on
Term rem(Term x, Term y);

} // namespace kumiko::expand64
