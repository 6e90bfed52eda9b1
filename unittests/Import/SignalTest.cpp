//===- SignalTest.cpp - transforms, sampling and columns that do not fit ---------===//
//
// Good values are the suite's; here stand forms that it does not have (numbers from NumPy) and what is refused.
//
//===----------------------------------------------------------------------===//
#include "Computed.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<double>;
using Shape = std::vector<int64_t>;
constexpr int64_t one = 1;

#define EXPECT_PROBLEM(computed, code)                                                                                 \
  EXPECT_NE((computed).problems.find(code), std::string::npos) << (computed).problems
void expectNear(const List &got, const List &wanted, double error = 1e-6) {
  ASSERT_EQ(got.size(), wanted.size());
  for (auto [a, b] : llvm::zip_equal(got, wanted))
    EXPECT_NEAR(a, b, error);
}

// np.fft.irfft([4, 1-1j, 2], n) for an even and an odd length, and one that is longer than the spectrum.
TEST(Dft, RealInverse) {
  auto inverse = [](int64_t length) {
    return Computed("DFT", {f32({1, 3, 2}, {4, 0, 1, -1, 2, 0}), i64({}, {double(length)})},
                    {attribute("inverse", one), attribute("onesided", one)}, 20);
  };
  expectNear(inverse(4).values.at(0), {2, 1, 1, 0});
  expectNear(inverse(5).values.at(0), {2, 0.65681581, 0.9587209, 0.4884927, -0.1040294});
  expectNear(inverse(6).values.at(0), {1.66666667, 0.78867513, 0.4553418, 1, -0.12200847, 0.21132487});
  EXPECT_EQ(inverse(6).shapes.at(0), Shape({1, 6, 1}));
}

TEST(Dft, Refuses) {
  Given x = counting({1, 4, 1});
  EXPECT_PROBLEM(Computed("DFT", {x, i64({}, {0})}, {}, 20), "K0413");
  EXPECT_PROBLEM(Computed("DFT", {x, i64({}, {1e15})}, {}, 20), "K0413");
  EXPECT_PROBLEM(Computed("DFT", {x, none(), i64({}, {2})}, {}, 20), "K0412");
  EXPECT_PROBLEM(Computed("DFT", {x, none(), i64({}, {7})}, {}, 20), "K0405");
  EXPECT_PROBLEM(Computed("DFT", {counting({1, 4, 3})}, {}, 20), "K0412");
  EXPECT_PROBLEM(Computed("DFT", {counting({1, 4, 2})}, {attribute("onesided", one)}, 20), "K0412");
  EXPECT_PROBLEM(Computed("DFT", {counting({1, 0, 1})}, {}, 20), "K0412");
}

TEST(Stft, Refuses) {
  Given x = counting({1, 8, 1}), hop = i64({}, {2});
  EXPECT_PROBLEM(Computed("STFT", {x, i64({}, {0}), none(), i64({}, {4})}), "K0413");
  EXPECT_PROBLEM(Computed("STFT", {x, hop, none(), i64({}, {9})}), "K0412");
  EXPECT_PROBLEM(Computed("STFT", {x, hop, counting({3}), i64({}, {4})}), "K0412");
  EXPECT_PROBLEM(Computed("STFT", {counting({1, 8, 2}), hop, none(), i64({}, {4})}), "K0412");
}

TEST(Windows, SizesOfAllKinds) {
  expectNear(Computed("HannWindow", {i64({}, {4})}).values.at(0), {0, 0.5, 1, 0.5});
  EXPECT_EQ(Computed("HannWindow", {i64({}, {0})}).shapes.at(0), Shape({0}));
  EXPECT_EQ(Computed("BlackmanWindow", {i64({}, {1})}, {attribute("periodic", int64_t(0))}).values.at(0).size(), 1u);
  EXPECT_PROBLEM(Computed("HannWindow", {i64({}, {-1})}), "K0413");
  EXPECT_PROBLEM(Computed("HannWindow", {i64({}, {4})}, {attribute("output_datatype", int64_t(8))}), "K0504");
}

TEST(GridSample, OldNamesAndRefusals) {
  Given x = f32({1, 1, 2, 2}, {1, 2, 3, 4}), middle = f32({1, 1, 1, 2}, {0, 0});
  EXPECT_EQ(Computed("GridSample", {x, middle}, {attribute("mode", "bilinear")}, 16).values.at(0), List({2.5}));
  EXPECT_EQ(Computed("GridSample", {x, middle}, {}, 20).values.at(0), List({2.5}));
  EXPECT_PROBLEM(Computed("GridSample", {x, middle}, {attribute("mode", "lanczos")}, 20), "K0405");
  EXPECT_PROBLEM(Computed("GridSample", {x, middle}, {attribute("padding_mode", "mirror")}, 20), "K0405");
  EXPECT_PROBLEM(Computed("GridSample", {x, f32({1, 1, 1, 3}, {0, 0, 0})}, {}, 20), "K0412");
  EXPECT_PROBLEM(Computed("GridSample", {counting({1, 2, 2}), counting({1, 1, 1})}, {}, 20), "K0411");
  EXPECT_PROBLEM(Computed("GridSample", {counting({1, 1, 0, 2}), middle}, {}, 20), "K0412");
  // Positions that are no numbers or far away must not lead outside the image.
  Given wild = f32({1, 1, 4, 2}, {NAN, NAN, INFINITY, 0, -1e30, 1e30, 1e18, 0});
  Computed far("GridSample", {x, wild}, {attribute("padding_mode", "border")}, 20);
  ASSERT_EQ(far.values.at(0).size(), 4u);
  for (double value : far.values[0])
    EXPECT_TRUE(std::isnan(value) || (value >= 1 && value <= 4)) << value;
}

TEST(AffineGrid, Refuses) {
  Given theta = counting({1, 2, 3});
  EXPECT_PROBLEM(Computed("AffineGrid", {theta, i64({3}, {1, 1, 2})}), "K0412");
  EXPECT_PROBLEM(Computed("AffineGrid", {theta, i64({5}, {1, 1, 2, 2, 2})}), "K0412");
  EXPECT_PROBLEM(Computed("AffineGrid", {theta, i64({4}, {1, 1, -2, 2})}), "K0413");
  EXPECT_PROBLEM(Computed("AffineGrid", {theta, i64({4}, {1, 1, 1e9, 1e9})}), "K0507");
}

TEST(Col2Im, Refuses) {
  Given x = counting({1, 4, 4});
  Given image = i64({2}, {3, 3}), block = i64({2}, {2, 2});
  EXPECT_EQ(Computed("Col2Im", {x, image, block}).shapes.at(0), Shape({1, 1, 3, 3}));
  EXPECT_PROBLEM(Computed("Col2Im", {x, image, i64({2}, {3, 3})}), "K0412");
  EXPECT_PROBLEM(Computed("Col2Im", {x, image, i64({2}, {0, 2})}), "K0413");
  EXPECT_PROBLEM(Computed("Col2Im", {x, i64({2}, {-3, 3}), block}), "K0413");
  EXPECT_PROBLEM(Computed("Col2Im", {x, image, block}, {attribute("strides", std::vector<int64_t>{0, 1})}), "K0405");
}

TEST(DeformConv, Refuses) {
  Given x = counting({1, 1, 3, 3}), w = counting({1, 1, 2, 2}), offset = counting({1, 8, 2, 2});
  EXPECT_EQ(Computed("DeformConv", {x, w, offset}).problems, "");
  EXPECT_PROBLEM(Computed("DeformConv", {x, w, counting({1, 8, 3, 2})}), "K0412");
  EXPECT_PROBLEM(Computed("DeformConv", {x, w, offset}, {attribute("group", int64_t(2))}), "K0412");
  EXPECT_PROBLEM(Computed("DeformConv", {x, w, offset}, {attribute("offset_group", int64_t(0))}), "K0412");
  EXPECT_PROBLEM(Computed("DeformConv", {x, counting({1, 1, 4, 4}), offset}), "K0412");
}

TEST(MaxUnpool, Refuses) {
  Given x = counting({1, 1, 2, 2}), index = i64({1, 1, 2, 2}, {0, 1, 2, 3});
  Message kernel = attribute("kernel_shape", std::vector<int64_t>{2, 2});
  EXPECT_EQ(Computed("MaxUnpool", {x, index}, {kernel}).shapes.at(0), Shape({1, 1, 3, 3}));
  EXPECT_PROBLEM(Computed("MaxUnpool", {x, index}), "K0403");
  EXPECT_PROBLEM(Computed("MaxUnpool", {x, i64({1, 1, 1, 2}, {0, 1})}, {kernel}), "K0412");
  EXPECT_PROBLEM(Computed("MaxUnpool", {x, index, i64({2}, {3, 3})}, {kernel}), "K0412");
}

TEST(TensorScatter, Refuses) {
  Given cache = counting({2, 4, 3}), update = counting({2, 1, 3});
  EXPECT_EQ(Computed("TensorScatter", {cache, update, i64({2}, {0, 3})}, {}, 24).problems, "");
  EXPECT_PROBLEM(Computed("TensorScatter", {cache, counting({2, 5, 3})}, {}, 24), "K0412");
  EXPECT_PROBLEM(Computed("TensorScatter", {cache, update, i64({1}, {0})}, {}, 24), "K0412");
  EXPECT_PROBLEM(Computed("TensorScatter", {cache, update}, {attribute("axis", int64_t(0))}, 24), "K0405");
  EXPECT_PROBLEM(Computed("TensorScatter", {cache, update}, {attribute("mode", "ring")}, 24), "K0405");
}

TEST(CausalConvWithState, Refuses) {
  Given x = counting({1, 2, 4}), w = counting({2, 1, 3});
  EXPECT_EQ(Computed("CausalConvWithState", {x, w}, {}, 27, 2).shapes.at(1), Shape({1, 2, 2}));
  EXPECT_PROBLEM(Computed("CausalConvWithState", {x, counting({3, 1, 3})}, {}, 27), "K0412");
  EXPECT_PROBLEM(Computed("CausalConvWithState", {x, w, none(), counting({1, 2, 3})}, {}, 27), "K0412");
  EXPECT_PROBLEM(Computed("CausalConvWithState", {x, w}, {attribute("activation", "relu")}, 27), "K0405");
}

// Opset 1 gives the scales of an image by name.
TEST(Upsample, OfOpset1) {
  Computed up("Upsample", {counting({1, 1, 1, 2})}, {attribute("height_scale", 2.0f), attribute("width_scale", 1.0f)},
              1);
  EXPECT_EQ(up.values.at(0), List({0, 1, 0, 1}));
  EXPECT_PROBLEM(Computed("Upsample", {counting({1, 2})}, {}, 1), "K0412");
}

} // namespace
