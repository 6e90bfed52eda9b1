//===- Judge.h - how far a result is from the truth -------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <type_traits>

namespace kumiko {

/// What exact values are computed in: good to far below an ULP of the results, which are float or double.
template <typename Real> using Wider = std::conditional_t<std::is_same_v<Real, float>, double, long double>;

/// A function, its exact value and the error it is allowed.
template <typename Real> struct Judged {
  const char *name;
  Wider<Real> (*unary)(Wider<Real>);
  Wider<Real> (*binary)(Wider<Real>, Wider<Real>);
  double ulpLimit;
};

template <typename Real> llvm::ArrayRef<Judged<Real>> judgedFunctions();

/// |got - exact| in units of the last place of the exact value as a Real; infinite when one is NaN, or infinite, and
/// the other is not, and when a zero has the wrong sign.
template <typename Real> double ulpError(Real got, Wider<Real> exact);

template <typename Real> struct Worst {
  double ulp = 0;
  Real a = 0, b = 0, got = 0;
  Wider<Real> exact = 0;

  std::string describe() const;
};

/// The worst of `count` elements.
template <typename Real>
void judge(const Judged<Real> &function, const Real *a, const Real *b, const Real *y, unsigned count,
           Worst<Real> &worst);

} // namespace kumiko
