//===- ArithmeticTest.cpp - versions of arithmetic that the suite leaves open -----===//
#include "Computed.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<double>;
using Shape = std::vector<int64_t>;

// An f16 cannot count past 2048; with stash_type 1 the sum is made in f32 and rounded once.
TEST(Range, CountsInF32) {
  auto range = [](double start, double limit) {
    auto half = [](double value) { return Given{DataType::Float16, {}, {value}}; };
    return Computed("Range", {half(start), half(limit), half(1)}, {}, 27).values.at(0);
  };
  List list = range(2046, 2054);
  EXPECT_EQ(list, List({2046, 2047, 2048, 2048, 2050, 2052, 2052, 2052}));
}

TEST(BitShift, SignedFromOpset28) {
  auto shift = [](const char *direction, List numbers, List amounts, int64_t opset = 28) {
    Shape shape{int64_t(numbers.size())};
    return Computed("BitShift", {{DataType::Int8, shape, numbers}, {DataType::Int8, shape, amounts}},
                    {attribute("direction", direction)}, opset);
  };
  EXPECT_EQ(shift("RIGHT", {-8, -8, -8, 8, 8}, {1, 8, -1, 9, 2}).values.at(0), List({-4, -1, -1, 0, 2}));
  EXPECT_EQ(shift("LEFT", {1, 1, -1, 64}, {7, 8, -1, 1}).values.at(0), List({-128, 0, 0, -128}));
  EXPECT_NE(shift("LEFT", {1}, {1}, 27).problems.find("K0410"), std::string::npos);
}

// The table of opset 28, which is NumPy's; the sign of a zero counts.
TEST(Mod, FloatsOfAllKinds) {
  double inf = INFINITY, nan = NAN;
  List a{-0.0, 0.0, inf, -inf, 2, -2, 2, -2, 2, 5.5, -5.5, nan, 2};
  List b{3, -3, 2, 2, 0.0, -0.0, inf, inf, -inf, -2, 2, 2, nan};
  List wanted{0.0, -0.0, nan, nan, nan, nan, 2, inf, -inf, -0.5, 0.5, nan, nan};
  Shape shape{int64_t(a.size())};
  for (DataType type : {DataType::Float, DataType::Double, DataType::Float16, DataType::BFloat16}) {
    List got = Computed("Mod", {{type, shape, a}, {type, shape, b}}, {}, 28).values.at(0);
    for (auto [found, expected] : llvm::zip_equal(got, wanted)) {
      EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected))) << found << " " << expected;
      EXPECT_TRUE(std::isnan(expected) || std::signbit(found) == std::signbit(expected)) << found << " " << expected;
    }
  }
  EXPECT_NE(Computed("Mod", {f32({1}, {1}), f32({1}, {1})}, {}, 13).problems.find("K0405"), std::string::npos);
}

} // namespace
