//===- Functions.h - the expansions, one declaration each -------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Math/Term.h"

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

// In double precision: Trigonometric.cpp, Hyperbolic.cpp, Power.cpp
Term sin(Term x);
Term cos(Term x);
Term tan(Term x);
Term sinh(Term x);
Term cosh(Term x);
Term asinh(Term x);
Term acosh(Term x);
Term atanh(Term x);
Term pow(Term base, Term exponent);
// Remainder.cpp: exact
Term rem(Term x, Term y);

} // namespace kumiko::expand
