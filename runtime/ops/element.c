#include "element.h"

/* Floats of 16 bits are taken apart by hand: the compiler's own conversions call functions that not every C library
 * has. */

static double from_half(uint16_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  uint64_t sign = (uint64_t)(bits >> 15) << 63, wide;
  double value;
  if (exponent == 0) { /* zero, or below the normal numbers: exact in a double */
    value = (double)fraction * 0x1p-24;
    return sign ? -value : value;
  }
  wide = exponent == 31 ? sign | 0x7ffull << 52 | (uint64_t)fraction << 42
                        : sign | (uint64_t)(exponent + 1023 - 15) << 52 | (uint64_t)fraction << 42;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static double from_bfloat(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/** Rounds to a format of 16 bits with `fraction` bits behind the point and the given exponent bias. */
static uint16_t to_small(double value, int fraction, int bias) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 63 << 15), infinity = (uint16_t)((2 * bias + 1) << fraction);
  int64_t exponent = (int64_t)(bits >> 52 & 2047);
  uint64_t mantissa = bits & ((1ull << 52) - 1);
  if (exponent == 2047)
    return (uint16_t)(sign | infinity | (mantissa ? 1u << (fraction - 1) : 0));
  int64_t target = exponent - 1023 + bias;
  int shift = 52 - fraction;
  mantissa |= exponent ? 1ull << 52 : 0;
  if (target <= 0) { /* below the normal numbers: the point moves, the exponent stays */
    shift += (int)(target < -60 ? 61 : 1 - target);
    target = 0;
  } else
    mantissa &= (1ull << 52) - 1;
  if (shift > 62)
    return sign;
  uint64_t kept = mantissa >> shift, rest = mantissa & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  uint64_t result = ((uint64_t)target << fraction) + kept + (rest > half || (rest == half && (kept & 1)));
  return (uint16_t)(sign | (result < infinity ? result : infinity)); /* a carry moves into the exponent as it should */
}

int64_t kumiko_element_bytes(int64_t type) {
  switch (type) {
  case KUMIKO_B1:
  case KUMIKO_I8:
  case KUMIKO_U8:
    return 1;
  case KUMIKO_I16:
  case KUMIKO_U16:
  case KUMIKO_F16:
  case KUMIKO_BF16:
    return 2;
  case KUMIKO_I32:
  case KUMIKO_U32:
  case KUMIKO_F32:
    return 4;
  case KUMIKO_I64:
  case KUMIKO_U64:
  case KUMIKO_F64:
    return 8;
  default:
    return 0;
  }
}

double kumiko_element_real(int64_t type, const void *data, int64_t index) {
  switch (type) {
  case KUMIKO_F16:
    return from_half(((const uint16_t *)data)[index]);
  case KUMIKO_BF16:
    return from_bfloat(((const uint16_t *)data)[index]);
  case KUMIKO_F32:
    return ((const float *)data)[index];
  case KUMIKO_F64:
    return ((const double *)data)[index];
  case KUMIKO_U64:
    return (double)((const uint64_t *)data)[index];
  default:
    return (double)kumiko_element_integer(type, data, index);
  }
}

int64_t kumiko_element_integer(int64_t type, const void *data, int64_t index) {
  switch (type) {
  case KUMIKO_B1: /* any byte but 0 is set */
    return ((const uint8_t *)data)[index] != 0;
  case KUMIKO_I8:
    return ((const int8_t *)data)[index];
  case KUMIKO_I16:
    return ((const int16_t *)data)[index];
  case KUMIKO_U16:
    return ((const uint16_t *)data)[index];
  case KUMIKO_I32:
    return ((const int32_t *)data)[index];
  case KUMIKO_U32:
    return ((const uint32_t *)data)[index];
  case KUMIKO_I64:
  case KUMIKO_U64:
    return ((const int64_t *)data)[index];
  default:
    return ((const uint8_t *)data)[index];
  }
}

void kumiko_element_store(int64_t type, void *data, int64_t index, double value) {
  switch (type) {
  case KUMIKO_F16:
    ((uint16_t *)data)[index] = to_small(value, 10, 15);
    break;
  case KUMIKO_BF16:
    ((uint16_t *)data)[index] = to_small(value, 7, 127);
    break;
  case KUMIKO_F32:
    ((float *)data)[index] = (float)value;
    break;
  default:
    ((double *)data)[index] = value;
  }
}
