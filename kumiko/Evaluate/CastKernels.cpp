//===- CastKernels.cpp - conversions between registers --------------------------------===//
#include "kumiko/Evaluate/LaneLoops.h"
#include "kumiko/Support/Convert.h"

using namespace kumiko;
using namespace kumiko::eval;
using E = ElementType;

/// Float registers to float registers, rounded to a type of 16 bits or fewer.
template <typename From, typename To> static LaneKernel pickRounding(E type) {
  switch (type) {
#define ROUND(TYPE)                                                                                                    \
  case E::TYPE:                                                                                                        \
    return unaryLoop<To, From, [](From x) { return roundToFloatType(E::TYPE, double(x)); }>
    ROUND(F16);
    ROUND(BF16);
    ROUND(F8E4M3FN);
    ROUND(F8E4M3FNUZ);
    ROUND(F8E5M2);
    ROUND(F8E5M2FNUZ);
    ROUND(F8E8M0);
    ROUND(F6E2M3);
    ROUND(F6E3M2);
    ROUND(F4E2M1);
#undef ROUND
  default:
    return unaryLoop<To, From, [](From x) { return x; }>;
  }
}

template <typename From> static LaneKernel pickToInteger(E type) {
  switch (type) {
#define CUT(TYPE)                                                                                                      \
  case E::TYPE:                                                                                                        \
    return unaryLoop<int64_t, From, [](From x) {                                                                       \
      if constexpr (std::is_floating_point_v<From>)                                                                    \
        return floatToInteger(E::TYPE, double(x));                                                                     \
      else                                                                                                             \
        return wrapInteger(E::TYPE, x);                                                                                \
    }>
    CUT(B1);
    CUT(I8);
    CUT(I16);
    CUT(I32);
    CUT(U8);
    CUT(U16);
    CUT(U32);
    CUT(U64);
    CUT(I4);
    CUT(U4);
    CUT(I2);
    CUT(U2);
#undef CUT
  default:
    if constexpr (std::is_floating_point_v<From>)
      return unaryLoop<int64_t, From, [](From x) { return floatToInteger(E::I64, double(x)); }>;
    return nullptr;
  }
}

/// To f32 and f64 the machine rounds correctly in one step; to narrower types a double goes between.
template <typename To, bool unsigned64> static LaneKernel pickFromInteger(E type) {
  using From = std::conditional_t<unsigned64, uint64_t, int64_t>;
  constexpr E from = unsigned64 ? E::U64 : E::I64;
  switch (type) {
#define ROUND(TYPE)                                                                                                    \
  case E::TYPE:                                                                                                        \
    return unaryLoop<To, From,                                                                                         \
                     [](From x) { return roundToFloatType(E::TYPE, integerToDoubleForRounding(from, int64_t(x))); }>
    ROUND(F16);
    ROUND(BF16);
    ROUND(F8E4M3FN);
    ROUND(F8E4M3FNUZ);
    ROUND(F8E5M2);
    ROUND(F8E5M2FNUZ);
    ROUND(F8E8M0);
    ROUND(F6E2M3);
    ROUND(F6E3M2);
    ROUND(F4E2M1);
#undef ROUND
  default:
    return unaryLoop<To, From, [](From x) { return To(x); }>;
  }
}

/// The type that a float register is rounded to on arrival.
static E roundedTo(E type, Precision precision) {
  return precision == Precision::Double && !isSmallFloat(type) ? E::F64 : type;
}

static LaneKernel floatToFloat(E from, E to, Precision precision) {
  Carrier source = carrierOf(from, precision), target = carrierOf(to, precision);
  E rounded = roundedTo(to, precision);
  if (from == to || (source == target && (rounded == E::F32 || rounded == E::F64)))
    return nullptr;
  if (source == Carrier::F32)
    return target == Carrier::F32 ? pickRounding<float, float>(rounded) : pickRounding<float, double>(rounded);
  return target == Carrier::F32 ? pickRounding<double, float>(rounded) : pickRounding<double, double>(rounded);
}

LaneKernel eval::castKernel(E from, E to, Precision precision) {
  if (isFloat(from) && isFloat(to))
    return floatToFloat(from, to, precision);
  if (isFloat(from))
    return carrierOf(from, precision) == Carrier::F32 ? pickToInteger<float>(to) : pickToInteger<double>(to);
  if (!isFloat(to))
    return from == to || to == E::U64 || from == E::B1 ? nullptr : pickToInteger<int64_t>(to);
  E rounded = roundedTo(to, precision);
  if (carrierOf(to, precision) == Carrier::F32)
    return from == E::U64 ? pickFromInteger<float, true>(rounded) : pickFromInteger<float, false>(rounded);
  return from == E::U64 ? pickFromInteger<double, true>(rounded) : pickFromInteger<double, false>(rounded);
}
