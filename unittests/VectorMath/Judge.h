//===- Judge.h - how far a result is from the truth -------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace kumiko {

/// A function, its exact value (in double, good to far below an ULP of float) and the error it is allowed.
struct Judged {
  const char *name;
  double (*unary)(double);
  double (*binary)(double, double);
  double ulpLimit;
};

llvm::ArrayRef<Judged> judgedFunctions();

/// |got - exact| in units of the last place of the exact value as a float; infinite when one is NaN, or infinite, and
/// the other is not, and when a zero has the wrong sign.
double ulpError(float got, double exact);

struct Worst {
  double ulp = 0;
  float a = 0, b = 0, got = 0;
  double exact = 0;

  std::string describe() const;
};

/// The worst of `count` elements.
void judge(const Judged &function, const float *a, const float *b, const float *y, unsigned count, Worst &worst);

} // namespace kumiko
