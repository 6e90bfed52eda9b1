//===- Convert.cpp - scalar rules of conversion -----------------------------===//
#include "kumiko/Support/Convert.h"
#include <array>
#include <bit>
#include <cmath>
#include <limits>

using namespace kumiko;

namespace {

/// What the codes beyond the ordinary numbers mean.
enum class Special : uint8_t {
  Ieee,         ///< infinities and NaNs in the highest exponent
  OneNan,       ///< no infinities; all ones is NaN
  UnsignedZero, ///< no infinities, no negative zero: that code is NaN
  None,         ///< neither infinities nor NaN
};

struct Format {
  unsigned exponentBits, mantissaBits;
  int bias;
  Special special;
  unsigned signBit() const { return 1u << (exponentBits + mantissaBits); }
  unsigned highestFinite() const {
    switch (special) {
    case Special::Ieee:
      return signBit() - (1u << mantissaBits) - 1;
    case Special::OneNan:
      return signBit() - 2;
    case Special::UnsignedZero:
    case Special::None:
      return signBit() - 1;
    }
    return 0;
  }
};

} // namespace

/// f8e8m0 is not in this list: it has neither sign nor zero.
static Format formatOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return {5, 10, 15, Special::Ieee};
  case ElementType::BF16:
    return {8, 7, 127, Special::Ieee};
  case ElementType::F8E4M3FN:
    return {4, 3, 7, Special::OneNan};
  case ElementType::F8E4M3FNUZ:
    return {4, 3, 8, Special::UnsignedZero};
  case ElementType::F8E5M2:
    return {5, 2, 15, Special::Ieee};
  case ElementType::F8E5M2FNUZ:
    return {5, 2, 16, Special::UnsignedZero};
  case ElementType::F6E2M3:
    return {2, 3, 1, Special::None};
  case ElementType::F6E3M2:
    return {3, 2, 3, Special::None};
  default:
    assert(type == ElementType::F4E2M1 && "not a float of 16 bits or fewer");
    return {2, 1, 1, Special::None};
  }
}

/// The code of the nearest value without regard to the format's range: exponent and mantissa run on as one number.
static uint64_t nearestCode(double magnitude, const Format &format) {
  uint64_t bits = std::bit_cast<uint64_t>(magnitude);
  int exponent = int(bits >> 52) - 1023 + format.bias;
  if ((bits >> 52) == 0)
    return 0; // below 2^-1022: nothing in any narrower format
  uint64_t significand = (bits & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
  int shift = 52 - int(format.mantissaBits);
  uint64_t above = 0;
  if (exponent >= 1)
    above = uint64_t(exponent - 1) << format.mantissaBits;
  else
    shift += 1 - exponent;
  if (shift > 53)
    return 0; // less than half of the smallest number
  uint64_t code = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  code += rest > half || (rest == half && (code & 1));
  return above + code;
}

static unsigned encode(double value, const Format &format, bool saturate) {
  unsigned sign = std::signbit(value) ? format.signBit() : 0;
  unsigned nan = format.signBit() - 1;
  if (format.special == Special::UnsignedZero || format.special == Special::None)
    nan = format.signBit();
  if (std::isnan(value))
    return nan;
  unsigned highest = format.highestFinite();
  uint64_t code = std::isinf(value) ? UINT64_MAX : nearestCode(std::fabs(value), format);
  if (code <= highest) {
    if (format.special == Special::UnsignedZero && code == 0)
      return 0;
    return unsigned(code) | sign;
  }
  if (saturate || format.special == Special::None)
    return highest | sign;
  switch (format.special) {
  case Special::Ieee:
    return (highest + 1) | sign;
  case Special::OneNan:
    return nan | sign;
  default:
    return nan;
  }
}

static float decode(unsigned code, const Format &format) {
  code &= 2 * format.signBit() - 1;
  unsigned magnitude = code & (format.signBit() - 1);
  float sign = code & format.signBit() ? -1.0f : 1.0f;
  if (format.special == Special::UnsignedZero && code == format.signBit())
    return std::numeric_limits<float>::quiet_NaN();
  if (magnitude > format.highestFinite()) {
    if (format.special == Special::Ieee && magnitude == format.highestFinite() + 1)
      return sign * std::numeric_limits<float>::infinity();
    return std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
  }
  unsigned exponent = magnitude >> format.mantissaBits;
  unsigned mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  int scale = 1 - format.bias - int(format.mantissaBits);
  if (exponent) {
    mantissa |= 1u << format.mantissaBits;
    scale += int(exponent) - 1;
  }
  return sign * std::ldexp(float(mantissa), scale);
}

bool kumiko::isSmallFloat(ElementType type) { return type >= ElementType::F8E4M3FN && type <= ElementType::F4E2M1; }

static uint8_t encodeScale(float value, ConvertOptions options) {
  if (!std::isfinite(value))
    return 255;
  uint32_t bits = std::bit_cast<uint32_t>(value);
  unsigned exponent = (bits >> 23) & 255;
  uint32_t fraction = bits & 0x7fffff;
  constexpr uint32_t half = 0x400000;
  // Among the subnormals of f32, `half` is 2^-127 itself, the smallest scale: above it means above that.
  uint32_t exact = exponent > 0 ? 0 : half;
  bool up = options.scale == ConvertOptions::Scale::Up && fraction > exact;
  if (options.scale == ConvertOptions::Scale::Nearest) // ties go up
    up = fraction >= half && fraction > exact;
  if (options.saturate && exponent == 254)
    up = false;
  return uint8_t(exponent + up);
}

using DecodeTable = std::array<float, 256>;

static DecodeTable makeDecodeTable(ElementType type) {
  DecodeTable table;
  for (unsigned code = 0; code < 256; ++code)
    if (type == ElementType::F8E8M0)
      table[code] = code == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, int(code) - 127);
    else
      table[code] = decode(code, formatOf(type));
  return table;
}

float kumiko::decodeSmallFloat(ElementType type, uint8_t code) {
  assert(isSmallFloat(type) && "not a small float");
  constexpr unsigned first = unsigned(ElementType::F8E4M3FN), last = unsigned(ElementType::F4E2M1);
  static const auto tables = [] {
    std::array<DecodeTable, last - first + 1> all;
    for (unsigned type = first; type <= last; ++type)
      all[type - first] = makeDecodeTable(ElementType(type));
    return all;
  }();
  return tables[unsigned(type) - first][code];
}

uint8_t kumiko::encodeSmallFloat(ElementType type, double value, ConvertOptions options) {
  assert(isSmallFloat(type) && "not a small float");
  if (type == ElementType::F8E8M0)
    return encodeScale(float(value), options);
  return uint8_t(encode(value, formatOf(type), options.saturate));
}

float kumiko::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) // infinity and NaN keep their mantissa
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x400)
    return std::bit_cast<float>(sign | ((magnitude << 13) + ((127 - 15) << 23)));
  float value = float(magnitude) * 0x1p-24f;
  return sign ? -value : value;
}

uint16_t kumiko::doubleToHalf(double value) {
  if (std::isnan(value))
    return 0x7e00 | (std::signbit(value) ? 0x8000 : 0);
  return uint16_t(encode(value, formatOf(ElementType::F16), /*saturate=*/false));
}

float kumiko::bfloatToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

uint16_t kumiko::doubleToBfloat(double value) {
  if (std::isnan(value))
    return 0x7fc0 | (std::signbit(value) ? 0x8000 : 0);
  return uint16_t(encode(value, formatOf(ElementType::BF16), /*saturate=*/false));
}

double kumiko::roundToFloatType(ElementType type, double value, ConvertOptions options) {
  switch (type) {
  case ElementType::F64:
    return value;
  case ElementType::F32:
    return float(value);
  case ElementType::F16:
    return halfToFloat(doubleToHalf(value));
  case ElementType::BF16:
    return bfloatToFloat(doubleToBfloat(value));
  default:
    return decodeSmallFloat(type, encodeSmallFloat(type, value, options));
  }
}

/// Bits of an integer type; b1 counts as one.
static unsigned widthOf(ElementType type) {
  switch (type) {
  case ElementType::B1:
    return 1;
  case ElementType::I2:
  case ElementType::U2:
    return 2;
  case ElementType::I4:
  case ElementType::U4:
    return 4;
  case ElementType::Index:
    return 64;
  default:
    return 8 * bytesOf(type);
  }
}

static bool zeroExtends(ElementType type) { return type == ElementType::B1 || isUnsigned(type); }

int64_t kumiko::wrapInteger(ElementType type, int64_t value) {
  if (type == ElementType::B1)
    return value != 0;
  unsigned drop = 64 - widthOf(type);
  uint64_t high = uint64_t(value) << drop;
  return zeroExtends(type) ? int64_t(high >> drop) : int64_t(high) >> drop;
}

int64_t kumiko::floatToInteger(ElementType type, double value) {
  if (type == ElementType::B1)
    return value != 0;
  if (!std::isfinite(value))
    return 0;
  constexpr double limit = 0x1p63;
  if (type == ElementType::U64 && value >= limit && value < 2 * limit)
    return int64_t(uint64_t(value));
  if (value >= limit || value < -limit)
    return wrapInteger(type, INT64_MIN);
  return wrapInteger(type, int64_t(value));
}

double kumiko::integerToDoubleForRounding(ElementType type, int64_t value) {
  bool negative = !zeroExtends(type) && value < 0;
  uint64_t magnitude = negative ? -uint64_t(value) : uint64_t(value);
  // Rounding twice goes wrong only where the first rounding makes a tie; a sticky bit instead of rounding prevents it.
  if (magnitude >> 53)
    magnitude = (magnitude & ~uint64_t(0x7ff)) | (magnitude & 0x7ff ? 0x800 : 0);
  return negative ? -double(magnitude) : double(magnitude);
}

int64_t kumiko::lowestInteger(ElementType type) {
  return zeroExtends(type) ? 0 : int64_t(UINT64_MAX << (widthOf(type) - 1));
}

int64_t kumiko::highestInteger(ElementType type) {
  if (zeroExtends(type))
    return int64_t(UINT64_MAX >> (64 - widthOf(type)));
  return int64_t(UINT64_MAX >> (65 - widthOf(type)));
}
