// Conversions against LLVM's APFloat, which shares no code with ours: every code of the small types, and for rounding
// every representable value, every midpoint between neighbours, and the doubles next to both.
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace kumiko;
using llvm::APFloat;
using E = ElementType;

namespace {

struct Format {
  E type;
  const llvm::fltSemantics &semantics;
  unsigned bits;
};

const Format formats[] = {
    {E::F16, APFloat::IEEEhalf(), 16},         {E::BF16, APFloat::BFloat(), 16},
    {E::F8E4M3FN, APFloat::Float8E4M3FN(), 8}, {E::F8E4M3FNUZ, APFloat::Float8E4M3FNUZ(), 8},
    {E::F8E5M2, APFloat::Float8E5M2(), 8},     {E::F8E5M2FNUZ, APFloat::Float8E5M2FNUZ(), 8},
    {E::F8E8M0, APFloat::Float8E8M0FNU(), 8},  {E::F6E2M3, APFloat::Float6E2M3FN(), 6},
    {E::F6E3M2, APFloat::Float6E3M2FN(), 6},   {E::F4E2M1, APFloat::Float4E2M1FN(), 4},
};

double judgeDecode(const Format &format, unsigned code) {
  APFloat value(format.semantics, llvm::APInt(format.bits, code));
  if (value.isNaN()) // LLVM 22 converts the NaN of f8e8m0 to infinity
    return value.isNegative() ? -std::nan("") : std::nan("");
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

double ourDecode(E type, unsigned code) {
  if (type == E::F16)
    return halfToFloat(uint16_t(code));
  if (type == E::BF16)
    return bfloatToFloat(uint16_t(code));
  return decodeSmallFloat(type, uint8_t(code));
}

unsigned ourEncode(E type, double value, ConvertOptions options = {}) {
  if (type == E::F16)
    return doubleToHalf(value);
  if (type == E::BF16)
    return doubleToBfloat(value);
  return encodeSmallFloat(type, value, options);
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

} // namespace

TEST(Convert, DecodesEveryCode) {
  for (const Format &format : formats)
    for (unsigned code = 0; code < 1u << format.bits; ++code)
      ASSERT_TRUE(same(ourDecode(format.type, code), judgeDecode(format, code)))
          << nameOf(format.type).str() << " code " << code << ": " << ourDecode(format.type, code) << " and "
          << judgeDecode(format, code);
}

TEST(Convert, EncodesWhatItDecodes) {
  for (const Format &format : formats)
    for (unsigned code = 0; code < 1u << format.bits; ++code) {
      double value = ourDecode(format.type, code);
      if (std::isfinite(value))
        ASSERT_EQ(ourEncode(format.type, value), code) << nameOf(format.type).str();
    }
}

/// Representable values, midpoints of neighbours, the doubles beside them, and random ones.
static std::vector<double> interesting(const Format &format) {
  std::vector<double> finite;
  for (unsigned code = 0; code < 1u << format.bits; ++code)
    if (double value = judgeDecode(format, code); std::isfinite(value))
      finite.push_back(value);
  std::sort(finite.begin(), finite.end());
  std::vector<double> values;
  auto add = [&](double value) {
    values.push_back(value);
    values.push_back(std::nextafter(value, -HUGE_VAL));
    values.push_back(std::nextafter(value, HUGE_VAL));
  };
  for (size_t i = 0; i < finite.size(); ++i) {
    add(finite[i]);
    if (i)
      add((finite[i - 1] + finite[i]) / 2);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 30000; ++i)
    add(std::bit_cast<double>(uint64_t(random())));
  std::normal_distribution<double> normal(0, finite.back());
  for (int i = 0; i < 30000; ++i)
    add(normal(random));
  return values;
}

// Rounds to nearest, ties to even, once, also from double; APFloat decides.
TEST(Convert, RoundsAsApfloat) {
  for (const Format &format : formats) {
    if (format.type == E::F8E8M0)
      continue; // rounds up by default, below
    for (double value : interesting(format)) {
      if (std::isnan(value))
        continue;
      APFloat judge(value);
      bool lost;
      APFloat::opStatus status = judge.convert(format.semantics, APFloat::rmNearestTiesToEven, &lost);
      double ours = ourDecode(format.type, ourEncode(format.type, value));
      bool overflows = (status & APFloat::opOverflow) || std::isinf(value);
      double largest =
          judgeDecode(format, unsigned(APFloat::getLargest(format.semantics).bitcastToAPInt().getZExtValue()));
      if (format.bits < 16 && (overflows || !judge.isFinite()))
        ASSERT_EQ(ours, std::copysign(largest, value)) << nameOf(format.type).str() << " saturates " << value;
      else {
        judge.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
        ASSERT_TRUE(same(ours, judge.convertToDouble()))
            << nameOf(format.type).str() << " of " << value << ": " << ours << " and " << judge.convertToDouble();
      }
    }
  }
}

TEST(Convert, WithoutSaturationOverflowIsVisible) {
  ConvertOptions off{/*saturate=*/false};
  EXPECT_EQ(ourEncode(E::F8E5M2, 1e9, off), 0x7cu);
  EXPECT_EQ(ourEncode(E::F8E5M2, -HUGE_VAL, off), 0xfcu);
  EXPECT_TRUE(std::isnan(ourDecode(E::F8E4M3FN, ourEncode(E::F8E4M3FN, 1e9, off))));
  EXPECT_TRUE(std::isnan(ourDecode(E::F8E4M3FNUZ, ourEncode(E::F8E4M3FNUZ, -1e9, off))));
  EXPECT_EQ(ourDecode(E::F4E2M1, ourEncode(E::F4E2M1, 1e9, off)), 6.0); // has nothing else
}

TEST(Convert, NanStaysNanWhereItCan) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Format &format : formats) {
    double result = ourDecode(format.type, ourEncode(format.type, nan));
    bool hasNan = format.type != E::F6E2M3 && format.type != E::F6E3M2 && format.type != E::F4E2M1;
    EXPECT_EQ(std::isnan(result), hasNan) << nameOf(format.type).str();
    if (!hasNan)
      EXPECT_TRUE(same(result, -0.0));
  }
}

TEST(Convert, ScaleRoundsUp) {
  EXPECT_EQ(encodeSmallFloat(E::F8E8M0, 1.0), 127);
  EXPECT_EQ(encodeSmallFloat(E::F8E8M0, 1.001), 128);
  EXPECT_EQ(encodeSmallFloat(E::F8E8M0, 1.999, {true, ConvertOptions::Scale::Down}), 127);
  EXPECT_EQ(encodeSmallFloat(E::F8E8M0, 1.4, {true, ConvertOptions::Scale::Nearest}), 127);
  EXPECT_EQ(encodeSmallFloat(E::F8E8M0, 1.5, {true, ConvertOptions::Scale::Nearest}), 128);
  EXPECT_EQ(encodeSmallFloat(E::F8E8M0, 3e38), 254); // saturates
  EXPECT_EQ(encodeSmallFloat(E::F8E8M0, 3e38, {false}), 255);
  EXPECT_EQ(encodeSmallFloat(E::F8E8M0, 0.0), 0);
  EXPECT_EQ(encodeSmallFloat(E::F8E8M0, HUGE_VAL), 255);
}

TEST(Convert, IntegersWrap) {
  EXPECT_EQ(wrapInteger(E::I8, 200), -56);
  EXPECT_EQ(wrapInteger(E::U8, -1), 255);
  EXPECT_EQ(wrapInteger(E::I4, 8), -8);
  EXPECT_EQ(wrapInteger(E::U4, 17), 1);
  EXPECT_EQ(wrapInteger(E::I2, 2), -2);
  EXPECT_EQ(wrapInteger(E::U2, 7), 3);
  EXPECT_EQ(wrapInteger(E::B1, 6), 1);
  EXPECT_EQ(wrapInteger(E::I64, INT64_MIN), INT64_MIN);
  EXPECT_EQ(lowestInteger(E::I4), -8);
  EXPECT_EQ(highestInteger(E::I4), 7);
  EXPECT_EQ(lowestInteger(E::I64), INT64_MIN);
  EXPECT_EQ(highestInteger(E::I64), INT64_MAX);
  EXPECT_EQ(highestInteger(E::U64), -1); // all bits
  EXPECT_EQ(highestInteger(E::U32), 0xffffffff);
  EXPECT_EQ(highestInteger(E::B1), 1);
}

TEST(Convert, FloatsBecomeIntegers) {
  EXPECT_EQ(floatToInteger(E::I32, -1.9), -1);
  EXPECT_EQ(floatToInteger(E::I32, 1.9), 1);
  EXPECT_EQ(floatToInteger(E::I8, 300.0), 44);
  EXPECT_EQ(floatToInteger(E::U8, -1.0), 255);
  EXPECT_EQ(floatToInteger(E::I32, std::nan("")), 0);
  EXPECT_EQ(floatToInteger(E::I32, HUGE_VAL), 0);
  EXPECT_EQ(floatToInteger(E::I64, 0x1p63), INT64_MIN);
  EXPECT_EQ(floatToInteger(E::I64, -0x1p63), INT64_MIN);
  EXPECT_EQ(uint64_t(floatToInteger(E::U64, 0x1p63)), uint64_t(1) << 63);
  EXPECT_EQ(floatToInteger(E::I16, 1e30), 0);
  EXPECT_EQ(floatToInteger(E::B1, 0.25), 1);
  EXPECT_EQ(floatToInteger(E::B1, std::nan("")), 1);
}

// 2^24 + 1 + 2^-30ths: a double between would make a tie of what is not one.
TEST(Convert, LargeIntegersRoundOnce) {
  for (int64_t value : {(int64_t(1) << 62) + (int64_t(1) << 38) + 1, -(int64_t(1) << 62) - (int64_t(1) << 38) - 1,
                        INT64_MAX, INT64_MIN, (int64_t(1) << 54) + 1, int64_t(16777217)}) {
    Tensor tensor = llvm::cantFail(Tensor::zeros(E::I64, {1}));
    std::memcpy(tensor.mutableData(), &value, 8);
    EXPECT_EQ(llvm::cantFail(convert(tensor, E::F32)).at<float>(0), float(value)) << value;
    EXPECT_EQ(llvm::cantFail(convert(tensor, E::F64)).at<double>(0), double(value)) << value;
    APFloat judge(APFloat::BFloat());
    judge.convertFromAPInt(llvm::APInt(64, uint64_t(value)), /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    EXPECT_EQ(llvm::cantFail(convert(tensor, E::BF16)).at<uint16_t>(0), judge.bitcastToAPInt().getZExtValue()) << value;
  }
  Tensor big = llvm::cantFail(Tensor::zeros(E::U64, {1}));
  std::memset(big.mutableData(), 0xff, 8);
  EXPECT_EQ(llvm::cantFail(convert(big, E::F64)).at<double>(0), 0x1p64);
  EXPECT_EQ(llvm::cantFail(convert(big, E::F32)).at<float>(0), 0x1p64f);
}

// Every pair of types, through a value that all of them have.
TEST(Convert, AllPairs) {
  for (unsigned from = 1; from <= unsigned(E::F4E2M1); ++from)
    for (unsigned to = 1; to <= unsigned(E::F4E2M1); ++to) {
      Tensor one = llvm::cantFail(Tensor::zeros(E::I32, {300}));
      for (int i = 0; i < 300; ++i)
        one.mutableData()[4 * i] = 1;
      Tensor source = llvm::cantFail(convert(one, E(from)));
      Tensor target = llvm::cantFail(convert(source, E(to)));
      for (int i : {0, 255, 256, 299})
        EXPECT_EQ(valueAt(target, i), 1.0) << nameOf(E(from)).str() << " to " << nameOf(E(to)).str();
      if (!isFloat(E(to)))
        EXPECT_EQ(integerAt(target, 299), 1);
    }
}

// A byte of a foreign file may hold more than four bits.
TEST(Convert, SubByteReadsItsBits) {
  uint8_t bytes[2] = {0x1f, 0x88};
  Tensor nibbles = llvm::cantFail(Tensor::view(E::I4, {2}, bytes));
  EXPECT_EQ(integerAt(nibbles, 0), -1);
  EXPECT_EQ(integerAt(nibbles, 1), -8);
}
