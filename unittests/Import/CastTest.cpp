//===- CastTest.cpp - conversions; codes of small floats are those of ml_dtypes ---===//
#include "Computed.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<double>;

/// The codes that a list of f32 becomes: Cast is one node, so its result is compared by value; NaN as 1000.
List cast(DataType to, int64_t saturate, List numbers, const char *rounding = "up") {
  Computed got("Cast", {f32({int64_t(numbers.size())}, numbers)},
               {attribute("to", int64_t(to)), attribute("saturate", saturate), attribute("round_mode", rounding)}, 24);
  EXPECT_EQ(got.problems, "");
  if (got.values.empty())
    return {};
  for (double &value : got.values[0])
    value = std::isnan(value) ? 1000 : value;
  return got.values[0];
}

constexpr double nan = 1000;

TEST(Cast, BeyondTheRangeWithoutSaturation) {
  List numbers{1, 448, 464, 464.1, 480, INFINITY, -464.1, -448, NAN};
  EXPECT_EQ(cast(DataType::Float8E4M3FN, 0, numbers), List({1, 448, 448, nan, nan, nan, nan, -448, nan}));
  EXPECT_EQ(cast(DataType::Float8E4M3FN, 1, numbers), List({1, 448, 448, 448, 448, 448, -448, -448, nan}));
  // 240 has an odd code, so the tie at 248 goes out of the range.
  EXPECT_EQ(cast(DataType::Float8E4M3FNUZ, 0, {240, 247.9, 248, -248, -INFINITY}), List({240, 240, nan, nan, nan}));
  EXPECT_EQ(cast(DataType::Float8E5M2, 0, {57344, 61439, 61440, -1e6, INFINITY, NAN}),
            List({57344, 57344, INFINITY, -INFINITY, INFINITY, nan}));
  EXPECT_EQ(cast(DataType::Float8E5M2FNUZ, 0, {57344, 61439, 61440, -INFINITY}), List({57344, 57344, nan, nan}));
}

TEST(Cast, PowersOfTwo) {
  List numbers{1, 1.25, 1.5, 1.75, 2, 3, 5};
  EXPECT_EQ(cast(DataType::Float8E8M0, 1, numbers, "up"), List({1, 2, 2, 2, 2, 4, 8}));
  EXPECT_EQ(cast(DataType::Float8E8M0, 1, numbers, "down"), List({1, 1, 1, 1, 2, 2, 4}));
  EXPECT_EQ(cast(DataType::Float8E8M0, 1, numbers, "nearest"), List({1, 1, 2, 2, 2, 4, 4}));
  double top = std::ldexp(1, 127), bottom = std::ldexp(1, -127);
  EXPECT_EQ(cast(DataType::Float8E8M0, 1, {1.6 * top, 0, INFINITY, NAN}, "nearest"), List({top, bottom, nan, nan}));
  EXPECT_EQ(cast(DataType::Float8E8M0, 0, {1.6 * top, 1.4 * top, 0, INFINITY, NAN}, "nearest"),
            List({nan, top, nan, nan, nan}));
}

TEST(Cast, BadAttributes) {
  auto problems = [](std::vector<Message> attributes) {
    return Computed("Cast", {counting({2})}, attributes, 24).problems;
  };
  EXPECT_NE(problems({}).find("K0403"), std::string::npos);
  EXPECT_NE(problems({attribute("to", int64_t(99))}).find("K0405"), std::string::npos);
  EXPECT_NE(problems({attribute("to", int64_t(DataType::String))}).find("K0504"), std::string::npos);
  EXPECT_NE(problems({attribute("to", int64_t(DataType::Float8E8M0)), attribute("round_mode", "away")}).find("K0405"),
            std::string::npos);
}

List bitCast(DataType from, List numbers, DataType to) {
  Computed got("BitCast", {{from, {int64_t(numbers.size())}, numbers}}, {attribute("to", int64_t(to))}, 26);
  EXPECT_EQ(got.problems, "");
  return got.values.empty() ? List() : got.values[0];
}

TEST(BitCast, KeepsBits) {
  EXPECT_EQ(bitCast(DataType::Float, {1, -2}, DataType::Int32), List({0x3f800000, -0x40000000}));
  EXPECT_EQ(bitCast(DataType::Int4, {-1, 7}, DataType::Uint4), List({15, 7}));
  EXPECT_EQ(bitCast(DataType::Uint4, {15, 7}, DataType::Int4), List({-1, 7}));
  EXPECT_EQ(bitCast(DataType::Uint4, {2, 15}, DataType::Float4E2M1), List({1, -6}));
  EXPECT_EQ(bitCast(DataType::Float4E2M1, {1, -6}, DataType::Int4), List({2, -1}));
  EXPECT_EQ(bitCast(DataType::Bool, {1, 0}, DataType::Int8), List({1, 0}));
  EXPECT_EQ(bitCast(DataType::BFloat16, {1}, DataType::Uint16), List({0x3f80}));
  Computed wide("BitCast", {counting({2})}, {attribute("to", int64_t(DataType::Int64))}, 26);
  EXPECT_NE(wide.problems.find("K0405"), std::string::npos);
}

} // namespace
