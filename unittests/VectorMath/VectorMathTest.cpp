#include "kumiko/Codegen/Common/Math/VectorMath.h"
#include "unittests/VectorMath/Jit.h"
#include "unittests/VectorMath/Judge.h"
#include "gtest/gtest.h"
#include <bit>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

using namespace kumiko;

namespace {

constexpr unsigned block = CompiledMath::count;

/// One function of the list, compiled.
class VectorMath : public testing::TestWithParam<Judged<float>> {
protected:
  CompiledMath compiled(LoopShape shape = {}) {
    auto result = CompiledMath::create(GetParam().name, shape);
    if (!result)
      llvm::report_fatal_error(result.takeError());
    return std::move(*result);
  }
};

/// Values where formulas change or break.
std::vector<float> corners() {
  std::vector<float> values;
  for (float size : {0.0f,
                     1e-45f,
                     3e-45f,
                     1e-40f,
                     1.17549435e-38f,
                     1e-30f,
                     0x1p-26f,
                     0x1p-25f,
                     0x1p-24f,
                     0x1p-20f,
                     0.25f,
                     0.5f,
                     0.66666669f,
                     1.0f,
                     1.3333334f,
                     1.5f,
                     2.0f,
                     3.0f,
                     3.5f,
                     4.0f,
                     9.0f,
                     20.0f,
                     80.0f,
                     87.33655f,
                     88.3f,
                     88.722839f,
                     89.0f,
                     89.4f,
                     103.97208f,
                     104.0f,
                     128.0f,
                     149.0f,
                     1e5f,
                     0x1p20f,
                     8388607.5f,
                     16777215.0f,
                     16777216.0f,
                     1e10f,
                     0x1p48f,
                     0x1p72f,
                     1e30f,
                     0x1p100f,
                     0x1p120f,
                     3.4028235e38f,
                     1.57079637f,
                     3.14159274f,
                     0.785398185f,
                     std::numeric_limits<float>::infinity()})
    for (float near : {size, std::nextafter(size, 0.0f), std::nextafter(size, 3.4028235e38f)})
      values.insert(values.end(), {near, -near});
  // Quiet NaNs of either sign, with and without a payload.
  for (uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7fc00001u, 0xffd54321u, 0x7fffffffu})
    values.push_back(std::bit_cast<float>(bits));
  return values;
}

TEST_P(VectorMath, CornersAreRight) {
  CompiledMath function = compiled();
  std::vector<float> values = corners();
  std::vector<float> a, b;
  for (float x : values)
    for (float y : values)
      if (GetParam().binary || y == values[0]) {
        a.push_back(x);
        b.push_back(y);
      }
  a.resize((a.size() + block - 1) / block * block, 0.5f);
  b.resize(a.size(), 0.5f);
  std::vector<float> y(block);
  Worst<float> worst;
  for (size_t at = 0; at < a.size(); at += block) {
    function(&a[at], &b[at], y.data());
    judge<float>(GetParam(), &a[at], &b[at], y.data(), block, worst);
  }
  EXPECT_LE(worst.ulp, GetParam().ulpLimit) << worst.describe();
}

TEST_P(VectorMath, SampleOfAllFloatsIsWithinTheLimit) {
  CompiledMath function = compiled();
  std::vector<float> a(block), b(block), y(block);
  std::mt19937 random(1);
  Worst<float> worst;
  double seconds = 0;
  constexpr uint32_t blocks = 1500;
  for (uint32_t round = 0; round < blocks; ++round) {
    for (uint32_t i = 0; i < block; ++i) {
      // Every stretch of all 2^32 patterns, at a random place in it; for two arguments, also ones of similar size.
      a[i] = std::bit_cast<float>(
          uint32_t((uint64_t(round) * block + i) * ((uint64_t(1) << 32) / (blocks * block)) + random() % 2796));
      b[i] = std::bit_cast<float>(uint32_t(random()));
      if (GetParam().binary && round % 2)
        b[i] = float(int32_t(random())) * 0x1p-26f, a[i] = float(random()) * 0x1p-28f;
    }
    auto start = std::chrono::steady_clock::now();
    function(a.data(), b.data(), y.data());
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    judge<float>(GetParam(), a.data(), b.data(), y.data(), block, worst);
  }
  EXPECT_LE(worst.ulp, GetParam().ulpLimit) << worst.describe();
  printf("%-8s %s, %.2f ns each\n", GetParam().name, worst.describe().c_str(), seconds / blocks / block * 1e9);
}

// Scalars and vectors of every shape give the same bits, so that a tail equals the body.
TEST_P(VectorMath, ShapeDoesNotMatter) {
  CompiledMath vector = compiled();
  std::vector<float> a(block), b(block), expected(block), got(block);
  std::mt19937 random(2);
  for (unsigned i = 0; i < block; ++i) {
    a[i] = std::bit_cast<float>(uint32_t(random()));
    b[i] = i % 2 ? std::bit_cast<float>(uint32_t(random())) : float(i % 37) - 18;
  }
  vector(a.data(), b.data(), expected.data());
  for (const LoopShape &shape :
       {LoopShape{"f32", 1}, LoopShape{"vector<4xf32>", 4}, LoopShape{"vector<2x8xf32>", 16}}) {
    compiled(shape)(a.data(), b.data(), got.data());
    for (unsigned i = 0; i < block; ++i)
      ASSERT_TRUE(std::bit_cast<uint32_t>(got[i]) == std::bit_cast<uint32_t>(expected[i]) ||
                  (std::isnan(got[i]) && std::isnan(expected[i])))
          << shape.type << ": " << a[i] << ", " << b[i] << " gives " << got[i] << " and " << expected[i];
  }
}

INSTANTIATE_TEST_SUITE_P(, VectorMath,
                         testing::ValuesIn(judgedFunctions<float>().begin(), judgedFunctions<float>().end()),
                         [](const testing::TestParamInfo<Judged<float>> &info) {
                           return std::string(info.param.name);
                         });

// Where a quotient that is rounded is a whole number, or half of one, and the true one is not.
TEST(Remainder, NearMultiplesIsExact) {
  auto function = CompiledMath::create("rem", {});
  if (!function)
    llvm::report_fatal_error(function.takeError());
  std::vector<float> a(block), b(block), y(block);
  std::mt19937 random(3);
  for (unsigned round = 0; round < 500; ++round) {
    for (unsigned i = 0; i < block; ++i) {
      b[i] = std::bit_cast<float>(uint32_t(random() % 0x5f800000 + 1)); // up to 2^64, also subnormal
      uint32_t number = random() >> (7 + random() % 25);
      float multiple = b[i] * (float(number) + (random() % 2 ? 0.5f : 0.0f));
      a[i] = std::bit_cast<float>(uint32_t(std::bit_cast<uint32_t>(multiple) + random() % 4));
    }
    (*function)(a.data(), b.data(), y.data());
    for (unsigned i = 0; i < block; ++i)
      ASSERT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(std::fmod(a[i], b[i]))) << a[i] << ", " << b[i];
  }
}

/// y = x^exponent, as vectors and as scalars, for corners and for floats of any bits.
void judgePower(float exponent) {
  std::vector<float> a = corners(), b(block, exponent), y(block);
  std::mt19937 random(4);
  while (a.size() < 300 * block)
    a.push_back(std::bit_cast<float>(uint32_t(random())));
  Judged<float> power{"pow", nullptr, std::pow, 2};
  for (LoopShape shape : {LoopShape{}, LoopShape{"f32", 1}}) {
    shape.second = exponent;
    auto function = CompiledMath::create("pow", shape);
    if (!function)
      llvm::report_fatal_error(function.takeError());
    Worst<float> worst;
    for (size_t at = 0; at < a.size(); at += block) {
      (*function)(&a[at], b.data(), y.data());
      judge<float>(power, &a[at], b.data(), y.data(), block, worst);
    }
    EXPECT_LE(worst.ulp, 2) << worst.describe();
  }
}

// Those that have formulas of their own, and some that look like them.
TEST(ConstantPower, IsWithinTheLimit) {
  for (float exponent : {-1.0f, 0.25f, 0.5f, 0.75f, 1.25f, 1.5f, 2.0f, 2.5f, 3.0f, -0.5f, 0.0f, 1.0f, 1.75f, 4.0f})
    judgePower(exponent);
}

TEST(VectorMathNames, AreKnown) {
  for (const Judged<float> &function : judgedFunctions<float>()) {
    auto found = mathFunctionNamed(function.name);
    ASSERT_TRUE(found) << function.name;
    EXPECT_EQ(argumentCount(*found), function.binary ? 2u : 1u);
  }
  EXPECT_FALSE(mathFunctionNamed("gamma"));
}

} // namespace
