//===- DrawTest.cpp - nodes that draw -------------------------------------------===//
//
// The bits are tested in unittests/Evaluate; here, that distributions have their moments and seeds their meaning.
//
//===----------------------------------------------------------------------===//
#include "Computed.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<double>;
using Ints = std::vector<int64_t>;
constexpr int64_t many = 20000;

#define EXPECT_PROBLEM(computed, code)                                                                                 \
  EXPECT_NE((computed).problems.find(code), std::string::npos) << (computed).problems

double mean(const List &list) { return std::accumulate(list.begin(), list.end(), 0.0) / double(list.size()); }
double deviation(const List &list) {
  double middle = mean(list), sum = 0;
  for (double value : list)
    sum += (value - middle) * (value - middle);
  return std::sqrt(sum / double(list.size()));
}

List draw(const char *op, std::vector<Message> attributes) {
  attributes.push_back(attribute("shape", Ints{many}));
  Computed drawn(op, {}, attributes);
  EXPECT_EQ(drawn.problems, "");
  return drawn.values.empty() ? List() : drawn.values[0];
}

TEST(Draw, Uniform) {
  List list = draw("RandomUniform", {attribute("low", -1.0f), attribute("high", 3.0f), attribute("seed", 1.0f)});
  ASSERT_EQ(list.size(), size_t(many));
  EXPECT_NEAR(mean(list), 1, 0.05);
  EXPECT_NEAR(deviation(list), 4 / std::sqrt(12), 0.05);
  for (double value : list)
    ASSERT_TRUE(value >= -1 && value <= 3);
}

TEST(Draw, Normal) {
  List list = draw("RandomNormal", {attribute("mean", 5.0f), attribute("scale", 2.0f), attribute("seed", 1.0f)});
  ASSERT_EQ(list.size(), size_t(many));
  EXPECT_NEAR(mean(list), 5, 0.1);
  EXPECT_NEAR(deviation(list), 2, 0.1);
  double tail = std::count_if(list.begin(), list.end(), [](double value) { return value > 9; });
  EXPECT_NEAR(tail / many, 0.02275, 0.005); // beyond two standard deviations
}

TEST(Draw, SeedsDecide) {
  List one = draw("RandomUniform", {attribute("seed", 1.0f)});
  EXPECT_EQ(one, draw("RandomUniform", {attribute("seed", 1.0f)}));
  EXPECT_NE(one, draw("RandomUniform", {attribute("seed", 2.0f)}));
  EXPECT_EQ(draw("RandomUniform", {}), draw("RandomUniform", {}));
}

TEST(Draw, LikeAnInput) {
  Computed like("RandomNormalLike", {counting({2, 3})}, {attribute("dtype", int64_t(DataType::Float16))});
  EXPECT_EQ(like.shapes.at(0), Ints({2, 3}));
  EXPECT_EQ(Computed("RandomUniformLike", {counting({2, 3})}).shapes.at(0), Ints({2, 3}));
}

TEST(Draw, Bernoulli) {
  List list = Computed("Bernoulli", {f32({many}, List(many, 0.3))}).values.at(0);
  EXPECT_NEAR(mean(list), 0.3, 0.02);
  EXPECT_EQ(Computed("Bernoulli", {f32({3}, {0, 1, 0})}).values.at(0), List({0, 1, 0}));
}

TEST(Draw, Multinomial) {
  Given logs = f32({1, 3}, {std::log(1), std::log(2), std::log(7)});
  Computed drawn("Multinomial", {logs}, {attribute("sample_size", many), attribute("seed", 3.0f)});
  ASSERT_EQ(drawn.problems, "");
  List counts(3);
  for (double chosen : drawn.values.at(0))
    ++counts.at(size_t(chosen));
  EXPECT_NEAR(counts[0] / many, 0.1, 0.02);
  EXPECT_NEAR(counts[1] / many, 0.2, 0.02);
  EXPECT_NEAR(counts[2] / many, 0.7, 0.02);
  EXPECT_PROBLEM(Computed("Multinomial", {counting({3})}), "K0411");
  EXPECT_PROBLEM(Computed("Multinomial", {logs}, {attribute("sample_size", int64_t(-1))}), "K0405");
  EXPECT_PROBLEM(Computed("Multinomial", {counting({2, 0})}), "K0412");
}

TEST(Draw, DropoutInTraining) {
  Given x = f32({many}, List(many, 3)), on{DataType::Bool, {}, {1}};
  Computed drop("Dropout", {x, f32({}, {0.25}), on}, {attribute("seed", int64_t(5))}, 13, 2);
  ASSERT_EQ(drop.problems, "");
  EXPECT_NEAR(mean(drop.values.at(1)), 0.75, 0.02);
  for (auto [value, kept] : llvm::zip_equal(drop.values[0], drop.values[1]))
    ASSERT_EQ(value, kept != 0 ? 4 : 0);
  Computed nothing("Dropout", {x, f32({}, {0}), on}, {}, 13, 2);
  EXPECT_EQ(nothing.values.at(0), x.elements);
  EXPECT_EQ(mean(nothing.values.at(1)), 1);
  EXPECT_PROBLEM(Computed("Dropout", {x, f32({}, {1}), on}, {}, 13), "K0413");
  EXPECT_EQ(Computed("Dropout", {x, f32({}, {0.5})}, {}, 13).values.at(0), x.elements);
}

TEST(Draw, Refuses) {
  EXPECT_PROBLEM(Computed("RandomNormal", {}), "K0403");
  EXPECT_PROBLEM(Computed("RandomNormal", {}, {attribute("shape", Ints{-1})}), "K0405");
  EXPECT_PROBLEM(Computed("RandomNormal", {}, {attribute("shape", Ints{1 << 30, 1 << 30})}), "K0507");
  EXPECT_PROBLEM(Computed("RandomNormal", {}, {attribute("shape", Ints{1}), attribute("dtype", int64_t(8))}), "K0504");
  EXPECT_PROBLEM(Computed("RandomUniform", {}, {attribute("shape", Ints{1}), attribute("seed", int64_t(1))}), "K0402");
}

} // namespace
