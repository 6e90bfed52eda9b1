#include "unittests/VectorMath/Judge.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdio>
#include <limits>

using namespace kumiko;

template <typename Real> static Real sigmoid(Real x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

// What is allowed was chosen from the analysis of each expansion, not from what is measured: 2 where the precision of
// the result is used, 0.51 where a wider one leaves only the last rounding.

template <> llvm::ArrayRef<Judged<float>> kumiko::judgedFunctions<float>() {
  static const Judged<float> functions[] = {
      {"exp", std::exp, nullptr, 2},        {"exp2", std::exp2, nullptr, 2},      {"expm1", std::expm1, nullptr, 2},
      {"log", std::log, nullptr, 2},        {"log2", std::log2, nullptr, 2},      {"log10", std::log10, nullptr, 2},
      {"log1p", std::log1p, nullptr, 2},    {"sqrt", std::sqrt, nullptr, 0.5},    {"sin", std::sin, nullptr, 2},
      {"cos", std::cos, nullptr, 2},        {"tan", std::tan, nullptr, 2},        {"asin", std::asin, nullptr, 0.51},
      {"acos", std::acos, nullptr, 0.51},   {"atan", std::atan, nullptr, 2},      {"sinh", std::sinh, nullptr, 0.51},
      {"cosh", std::cosh, nullptr, 0.51},   {"tanh", std::tanh, nullptr, 2},      {"asinh", std::asinh, nullptr, 0.51},
      {"acosh", std::acosh, nullptr, 0.51}, {"atanh", std::atanh, nullptr, 0.51}, {"erf", std::erf, nullptr, 2},
      {"sigmoid", sigmoid, nullptr, 2},     {"atan2", nullptr, std::atan2, 2},    {"pow", nullptr, std::pow, 0.51},
      {"rem", nullptr, std::fmod, 0},
  };
  return functions;
}

template <> llvm::ArrayRef<Judged<double>> kumiko::judgedFunctions<double>() {
  static const Judged<double> functions[] = {
      {"exp", std::exp, nullptr, 2},     {"exp2", std::exp2, nullptr, 2},     {"expm1", std::expm1, nullptr, 2},
      {"log", std::log, nullptr, 2},     {"log2", std::log2, nullptr, 2},     {"log10", std::log10, nullptr, 2},
      {"log1p", std::log1p, nullptr, 2}, {"sqrt", std::sqrt, nullptr, 0.501}, {"sin", std::sin, nullptr, 2},
      {"cos", std::cos, nullptr, 2},     {"tan", std::tan, nullptr, 2},       {"asin", std::asin, nullptr, 2},
      {"acos", std::acos, nullptr, 2},   {"atan", std::atan, nullptr, 2},     {"sinh", std::sinh, nullptr, 2},
      {"cosh", std::cosh, nullptr, 2},   {"tanh", std::tanh, nullptr, 2},     {"asinh", std::asinh, nullptr, 2},
      {"acosh", std::acosh, nullptr, 2}, {"atanh", std::atanh, nullptr, 2},   {"erf", std::erf, nullptr, 2},
      {"sigmoid", sigmoid, nullptr, 2},  {"atan2", nullptr, std::atan2, 2},   {"pow", nullptr, std::pow, 2},
      {"rem", nullptr, std::fmod, 0},
  };
  return functions;
}

template <typename Real> double kumiko::ulpError(Real got, Wider<Real> exact) {
  using Exact = Wider<Real>;
  using Limits = std::numeric_limits<Real>;
  constexpr double never = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : never;
  if (exact == 0 || std::isinf(exact))
    return got == exact && std::signbit(got) == std::signbit(exact) ? 0 : never;
  // Infinity stands for the power of two behind the largest number: the error of an overflow is counted as if exponents
  // went on.
  int last = Limits::max_exponent - 1, digits = Limits::digits - 1;
  Exact beyond = std::ldexp(Exact(1), last + 1);
  if (std::isinf(got) && std::abs(exact) > beyond)
    return std::signbit(got) == std::signbit(exact) ? 0 : never;
  Exact value = std::isinf(got) ? std::copysign(beyond, Exact(got)) : Exact(got);
  int exponent = std::clamp(std::ilogb(exact), Limits::min_exponent - 1, last);
  return double(std::abs(value - exact) / std::ldexp(Exact(1), exponent - digits));
}

template <typename Real> std::string Worst<Real>::describe() const {
  int digits = std::numeric_limits<Real>::max_digits10;
  char text[200];
  snprintf(text, sizeof text, "%.3f ULP at (%.*g, %.*g): got %.*g, exact %.21Lg", ulp, digits, double(a), digits,
           double(b), digits, double(got), static_cast<long double>(exact));
  return text;
}

template <typename Real>
void kumiko::judge(const Judged<Real> &function, const Real *a, const Real *b, const Real *y, unsigned count,
                   Worst<Real> &worst) {
  for (unsigned i = 0; i < count; ++i) {
    Wider<Real> exact = function.unary ? function.unary(a[i]) : function.binary(a[i], b[i]);
    double ulp = ulpError<Real>(y[i], exact);
    if (ulp > worst.ulp)
      worst = {ulp, a[i], b[i], y[i], exact};
  }
}

template struct kumiko::Worst<float>;
template struct kumiko::Worst<double>;
template void kumiko::judge(const Judged<float> &, const float *, const float *, const float *, unsigned,
                            Worst<float> &);
template void kumiko::judge(const Judged<double> &, const double *, const double *, const double *, unsigned,
                            Worst<double> &);
