#include "kumiko/Verify/Ulp.h"
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <limits>

using namespace kumiko;

static const llvm::fltSemantics &semanticsOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return llvm::APFloat::IEEEhalf();
  case ElementType::BF16:
    return llvm::APFloat::BFloat();
  case ElementType::F32:
    return llvm::APFloat::IEEEsingle();
  case ElementType::F64:
    return llvm::APFloat::IEEEdouble();
  case ElementType::F8E4M3FN:
    return llvm::APFloat::Float8E4M3FN();
  case ElementType::F8E4M3FNUZ:
    return llvm::APFloat::Float8E4M3FNUZ();
  case ElementType::F8E5M2:
    return llvm::APFloat::Float8E5M2();
  case ElementType::F8E5M2FNUZ:
    return llvm::APFloat::Float8E5M2FNUZ();
  case ElementType::F8E8M0:
    return llvm::APFloat::Float8E8M0FNU();
  case ElementType::F6E2M3:
    return llvm::APFloat::Float6E2M3FN();
  case ElementType::F6E3M2:
    return llvm::APFloat::Float6E3M2FN();
  case ElementType::F4E2M1:
    return llvm::APFloat::Float4E2M1FN();
  default:
    llvm_unreachable("not a float type");
  }
}

double kumiko::ulpOf(ElementType type, double magnitude) {
  const llvm::fltSemantics &semantics = semanticsOf(type);
  int exponent = llvm::APFloat::semanticsMinExponent(semantics);
  if (magnitude > 0)
    exponent = std::max(exponent, std::ilogb(magnitude));
  return std::ldexp(1.0, exponent - int(llvm::APFloat::semanticsPrecision(semantics)) + 1);
}

static void note(Distance &distance, double ulp, int64_t index, double got, double reference) {
  // Negated, so that a NaN cannot hide.
  if (!(ulp > distance.ulp) && distance.worst >= 0)
    return;
  if (ulp == 0)
    return;
  distance.ulp = ulp;
  distance.absolute = std::fabs(got - reference);
  distance.worst = index;
  distance.got = got;
  distance.reference = reference;
}

static Distance compareFloats(const Tensor &got, const Tensor &reference) {
  double largest = 0, furthest = 0;
  for (int64_t i = 0; i < reference.count(); ++i) {
    double value = std::fabs(roundToFloatType(got.element(), valueAt(reference, i)));
    if (std::isfinite(value))
      largest = std::max(largest, value);
  }
  Distance distance;
  for (int64_t i = 0; i < got.count(); ++i) {
    double g = valueAt(got, i), r = roundToFloatType(got.element(), valueAt(reference, i));
    if (g == r || (std::isnan(g) && std::isnan(r)))
      continue;
    if (!std::isfinite(g) || !std::isfinite(r)) {
      note(distance, std::numeric_limits<double>::infinity(), i, g, r);
      furthest = std::numeric_limits<double>::infinity();
      continue;
    }
    furthest = std::max(furthest, std::fabs(g - r));
    note(distance, std::fabs(g - r) / ulpOf(got.element(), std::max(std::fabs(r), largest * 0x1p-10)), i, g, r);
  }
  distance.relativeToLargest = furthest == 0 ? 0 : furthest / largest;
  return distance;
}

static Distance compareIntegers(const Tensor &got, const Tensor &reference) {
  Distance distance;
  for (int64_t i = 0; i < got.count(); ++i) {
    int64_t g = integerAt(got, i), r = integerAt(reference, i);
    if (g != r) // the difference of two 64-bit integers needs 65 bits
      note(distance, std::max(1.0, std::fabs(double(g) - double(r))), i, double(g), double(r));
  }
  distance.relativeToLargest = distance.ulp;
  return distance;
}

Distance kumiko::compare(const Tensor &got, const Tensor &reference) {
  if (got.shape() != reference.shape()) {
    Distance different;
    different.ulp = different.relativeToLargest = std::numeric_limits<double>::infinity();
    return different;
  }
  return isFloat(got.element()) ? compareFloats(got, reference) : compareIntegers(got, reference);
}
