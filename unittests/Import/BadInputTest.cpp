//===- BadInputTest.cpp - losses, quantisation and resizing that do not fit -------===//
#include "Computed.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<double>;

#define EXPECT_REFUSED(computed) EXPECT_NE((computed).problems, "")
#define EXPECT_PROBLEM(computed, code)                                                                                 \
  EXPECT_NE((computed).problems.find(code), std::string::npos) << (computed).problems

TEST(BadInput, Losses) {
  for (const char *op : {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}) {
    Given x = counting({2, 3}), t = i64({2}, {0, 2}), w = counting({3});
    EXPECT_EQ(Computed(op, {x, t, w}, {}, 13).problems, "");
    EXPECT_REFUSED(Computed(op, {x, i64({3}, {0, 1, 2})}, {}, 13));
    EXPECT_REFUSED(Computed(op, {x, counting({2})}, {}, 13));
    EXPECT_REFUSED(Computed(op, {x, t, counting({3, 1})}, {}, 13));
    EXPECT_REFUSED(Computed(op, {counting({3}), t}, {}, 13));
    EXPECT_REFUSED(Computed(op, {x, t}, {attribute("reduction", "median")}, 13));
    EXPECT_REFUSED(Computed(op, {x}, {}, 13));
    // A class that is not there is no way out of the tensor.
    EXPECT_EQ(Computed(op, {x, i64({2}, {0, 99})}, {attribute("reduction", "none")}, 13).values.at(0).size(), 2u);
  }
}

TEST(BadInput, Quantize) {
  Given x = counting({2, 4}), scale = f32({}, {0.5}), zero{DataType::Uint8, {}, {3}};
  EXPECT_EQ(Computed("QuantizeLinear", {x, scale, zero}, {}, 21).problems, "");
  EXPECT_REFUSED(Computed("QuantizeLinear", {x, counting({3}), zero}, {}, 21));
  EXPECT_REFUSED(Computed("QuantizeLinear", {x, counting({4})}, {attribute("axis", int64_t(2))}, 21));
  EXPECT_REFUSED(Computed("QuantizeLinear", {x, counting({2, 3})}, {attribute("block_size", int64_t(2))}, 21));
  EXPECT_REFUSED(Computed("QuantizeLinear", {x, counting({2, 2})}, {attribute("block_size", int64_t(-2))}, 21));
  EXPECT_REFUSED(Computed("QuantizeLinear", {x, scale}, {attribute("output_dtype", int64_t(99))}, 21));
  Given codes{DataType::Uint8, {2, 4}, List(8, 7)};
  EXPECT_EQ(Computed("DequantizeLinear", {codes, scale, zero}, {}, 21).problems, "");
  EXPECT_REFUSED(Computed("DequantizeLinear", {codes, scale, Given{DataType::Int8, {}, {3}}}, {}, 21));
  EXPECT_REFUSED(Computed("DequantizeLinear", {codes, counting({5})}, {}, 21));
}

TEST(BadInput, Resize) {
  Given x = counting({1, 1, 2, 2});
  auto scales = [&](List list) { return Computed("Resize", {x, none(), f32({int64_t(list.size())}, list)}, {}, 13); };
  EXPECT_EQ(scales({1, 1, 2, 2}).problems, "");
  EXPECT_PROBLEM(scales({1, 1, 2}), "K0412");
  for (double bad : {0.0, -1.0, double(NAN), double(INFINITY), 1e300})
    EXPECT_REFUSED(scales({1, 1, bad, 2}));
  EXPECT_PROBLEM(Computed("Resize", {x, none(), none(), i64({4}, {1, 1, -1, 2})}, {}, 13), "K0413");
  EXPECT_REFUSED(Computed("Resize", {x}, {}, 13));
  EXPECT_PROBLEM(Computed("Resize", {x, none(), f32({4}, {1, 1, 2, 2})}, {attribute("mode", "lanczos")}, 13), "K0405");
  EXPECT_PROBLEM(Computed("Resize", {x, none(), f32({4}, {1, 1, 2, 2})},
                          {attribute("coordinate_transformation_mode", "tf_crop_and_resize")}, 13),
                 "K0412");
  EXPECT_REFUSED(Computed("Resize", {x, none(), f32({1}, {2})}, {attribute("axes", std::vector<int64_t>{7})}, 18));
  EXPECT_REFUSED(Computed("Resize", {counting({0, 2}), none(), f32({2}, {2, 2})}, {attribute("mode", "linear")}, 13));
}

// The constants of opset 1 have five digits.
TEST(OldOpsets, Selu) {
  EXPECT_NEAR(Computed("Selu", {f32({2}, {1, -1})}, {}, 1).values.at(0)[0], 1.0507, 1e-7);
  EXPECT_NEAR(Computed("Selu", {f32({2}, {1, -1})}, {}, 6).values.at(0)[0], 1.05070102, 1e-7);
}

} // namespace
