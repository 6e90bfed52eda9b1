//===- DepartureTest.cpp - where ONNX Runtime departs from the standard ----------===//
//
// test/Import/compare_ort.py leaves these out. Results are worked out by hand from the text of the standard.
//
//===----------------------------------------------------------------------===//
#include "Computed.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<double>;
using Shape = std::vector<int64_t>;
using Ints = std::vector<int64_t>;

// SAME with strides beyond the kernel: no element is skipped in front. ONNX Runtime makes the padding negative.
TEST(Departure, PoolWithGaps) {
  Computed pool(
      "AveragePool", {counting({1, 1, 6})},
      {attribute("kernel_shape", Ints{1}), attribute("strides", Ints{3}), attribute("auto_pad", "SAME_UPPER")});
  EXPECT_EQ(pool.problems, "");
  EXPECT_EQ(pool.values.at(0), List({0, 3}));
}

// SAME makes the result as large as input times stride, also where no window reaches.
TEST(Departure, TransposedConvolutionWithGaps) {
  Computed conv("ConvTranspose", {f32({1, 1, 2}, {3, 5}), f32({1, 1, 1}, {2})},
                {attribute("strides", Ints{3}), attribute("auto_pad", "SAME_UPPER")});
  EXPECT_EQ(conv.problems, "");
  EXPECT_EQ(conv.values.at(0), List({6, 0, 0, 10, 0, 0}));
}

// Positions count in the image without the rows and columns that `output_shape` adds.
TEST(Departure, UnpoolIntoALargerImage) {
  Computed unpool("MaxUnpool", {f32({1, 1, 1, 2}, {7, 8}), i64({1, 1, 1, 2}, {1, 6}), i64({4}, {1, 1, 3, 5})},
                  {attribute("kernel_shape", Ints{2, 2}), attribute("strides", Ints{2, 2})});
  EXPECT_EQ(unpool.problems, "");
  EXPECT_EQ(unpool.shapes.at(0), Shape({1, 1, 3, 5}));
  EXPECT_EQ(unpool.values.at(0), List({0, 7, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}));
}

// A bound that is not given does not bind.
TEST(Departure, ClipLeavesInfinity) {
  List values{-INFINITY, 3, INFINITY};
  EXPECT_EQ(Computed("Clip", {f32({3}, values)}).values.at(0), values);
  EXPECT_EQ(Computed("Clip", {f32({3}, values), none(), f32({}, {2})}).values.at(0), List({-INFINITY, 2, 2}));
}

// One dimension with dilation: column k of window o lies at o + 2k.
TEST(Departure, DilatedColumns) {
  Computed image("Col2Im", {counting({1, 2, 3}, 1), i64({1}, {5}), i64({1}, {2})}, {attribute("dilations", Ints{2})});
  EXPECT_EQ(image.problems, "");
  EXPECT_EQ(image.values.at(0), List({1, 2, 3 + 4, 5, 6}));
}

// A fractional length counts before it is made whole: 2.25 rows are 2, and the second lies at 1 * 4 / 1.25 = 3.2.
TEST(Departure, AlignedCornersOfAFraction) {
  Computed resized("Resize", {counting({5}), none(), f32({1}, {0.45})},
                   {attribute("mode", "linear"), attribute("coordinate_transformation_mode", "align_corners")});
  EXPECT_EQ(resized.problems, "");
  ASSERT_EQ(resized.values.at(0).size(), 2u);
  EXPECT_NEAR(resized.values[0][1], 3.2, 1e-6);
}

} // namespace
