//===- Convert.h - values of one element type as another -------------------===//
//
// One rule per pair of types, the same for the evaluator, constants and files:
//
//   to a float      round to nearest, ties to even, once. f16, bf16, f32 overflow to infinity.
//   to f8, f6, f4   values beyond the range, infinity included, become the largest finite number (`saturate`), or
//                   infinity/NaN of the format when it is off; types without NaN turn NaN into negative zero.
//   to f8e8m0       a power of two; sign and zero are lost; inexact values round up unless told otherwise.
//   float to int    fraction dropped; NaN and infinity are 0; then as int64 (out of its range: the lowest int64; u64
//                   also takes what fits it), of which the low bits stay.
//   int to int      the low bits stay.
//   to b1           whether it differs from zero (NaN does).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"

namespace kumiko {

struct ConvertOptions {
  bool saturate = true;
  /// How f8e8m0 rounds.
  enum class Scale : uint8_t { Up, Down, Nearest } scale = Scale::Up;
};

/// True for f8, f6 and f4: one byte per element, 256 codes at most.
bool isSmallFloat(ElementType type);
/// The value of a code of a small float. Bits above the format's width are ignored.
float decodeSmallFloat(ElementType type, uint8_t code);
uint8_t encodeSmallFloat(ElementType type, double value, ConvertOptions options = {});

float halfToFloat(uint16_t bits);
uint16_t doubleToHalf(double value);
float bfloatToFloat(uint16_t bits);
uint16_t doubleToBfloat(double value);

/// `value` rounded to float type `type` and back. f64 returns it unchanged.
double roundToFloatType(ElementType type, double value, ConvertOptions options = {});
/// The integer (or b1) that `value` becomes, sign- or zero-extended to 64 bits.
int64_t floatToInteger(ElementType type, double value);
/// The low bits of `value` that `type` keeps, sign- or zero-extended to 64 bits; b1: whether it is not 0.
int64_t wrapInteger(ElementType type, int64_t value);
/// As a double so that one more rounding to a narrower float type gives the correctly rounded value of the integer.
double integerToDoubleForRounding(ElementType type, int64_t value);

/// Lowest and highest value of an integer type or b1, as 64 bits.
int64_t lowestInteger(ElementType type);
int64_t highestInteger(ElementType type);

/// `count` elements from `from` to `to`; neither needs alignment; they must not overlap.
void convertElements(const uint8_t *from, ElementType fromType, uint8_t *to, ElementType toType, int64_t count,
                     ConvertOptions options = {});
llvm::Expected<Tensor> convert(const Tensor &tensor, ElementType type, ConvertOptions options = {},
                               uint64_t limit = defaultTensorLimit);

/// Element `index` of any tensor as a double (64-bit integers round).
double valueAt(const Tensor &tensor, int64_t index);
/// Element `index` of an integer or b1 tensor, sign- or zero-extended.
int64_t integerAt(const Tensor &tensor, int64_t index);

} // namespace kumiko
