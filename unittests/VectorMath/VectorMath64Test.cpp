#include "kumiko/Codegen/Common/Math/VectorMath.h"
#include "unittests/VectorMath/Arguments64.h"
#include "unittests/VectorMath/Jit.h"
#include "unittests/VectorMath/Judge.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cmath>

using namespace kumiko;

namespace {

constexpr unsigned block = CompiledMath::count;

/// One function of the list, compiled for f64.
class VectorMath64 : public testing::TestWithParam<Judged<double>> {
protected:
  CompiledMath compiled(LoopShape shape = {"vector<8xf64>", 8}) {
    auto result = CompiledMath::create(GetParam().name, shape);
    if (!result)
      llvm::report_fatal_error(result.takeError());
    return std::move(*result);
  }

  /// The worst of the arguments, whole blocks of them, and the time that they took.
  Worst<double> judged(const CompiledMath &function, const std::vector<double> &a, const std::vector<double> &b,
                       double &seconds) {
    std::vector<double> y(block);
    Worst<double> worst;
    for (size_t at = 0; at < a.size(); at += block) {
      auto start = std::chrono::steady_clock::now();
      function(&a[at], &b[at], y.data());
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      judge<double>(GetParam(), &a[at], &b[at], y.data(), block, worst);
    }
    return worst;
  }
};

TEST_P(VectorMath64, CornersAreRight) {
  std::vector<double> values = corners64(), a, b;
  for (const double &x : values)
    for (const double &y : values)
      if (GetParam().binary || &y == &values[0]) {
        a.push_back(x);
        b.push_back(y);
      }
  a.resize((a.size() + block - 1) / block * block, 0.5);
  b.resize(a.size(), 0.5);
  double seconds = 0;
  Worst<double> worst = judged(compiled(), a, b, seconds);
  EXPECT_LE(worst.ulp, GetParam().ulpLimit) << worst.describe();
}

/// Arguments number [first, first + count), those of sine, cosine and tangent mostly without what goes to the C
/// library.
void takeArguments(std::vector<double> &a, std::vector<double> &b, uint64_t first, unsigned count) {
  static const std::vector<double> corners = corners64();
  for (unsigned i = 0; i < count; ++i) {
    a.push_back(argument64(2 * (first + i / 4 * 4) + i % 4, corners));
    b.push_back(argument64(2 * (first + i / 4 * 4) + 4 + i % 4, corners));
  }
}

TEST_P(VectorMath64, SampleOfAllDoublesIsWithinTheLimit) {
  std::vector<double> a, b;
  takeArguments(a, b, 0, 300 * block);
  double seconds = 0;
  Worst<double> worst = judged(compiled(), a, b, seconds);
  EXPECT_LE(worst.ulp, GetParam().ulpLimit) << worst.describe();
  // Time is taken where functions are used.
  for (double &x : a)
    x = doubleOf(std::bit_cast<uint64_t>(x), true);
  for (double &x : b)
    x = doubleOf(std::bit_cast<uint64_t>(x), true);
  seconds = 0;
  Worst<double> near = judged(compiled(), a, b, seconds);
  EXPECT_LE(near.ulp, GetParam().ulpLimit) << near.describe();
  printf("%-8s %s, %.2f ns each\n", GetParam().name, (near.ulp > worst.ulp ? near : worst).describe().c_str(),
         seconds / double(a.size()) * 1e9);
}

// Expansions that count on one rounding have none in machines without the instruction.
TEST_P(VectorMath64, WithoutFusedMultiplyAdd) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  if (!hasVectorMath(*mathFunctionNamed(GetParam().name), mlir::Float64Type::get(&context), /*fma=*/false))
    GTEST_SKIP() << "calls the C library there";
  std::vector<double> a, b;
  takeArguments(a, b, 1000000, 100 * block);
  double seconds = 0;
  Worst<double> worst = judged(compiled({"vector<2xf64>", 2, /*fma=*/false}), a, b, seconds);
  EXPECT_LE(worst.ulp, GetParam().ulpLimit) << worst.describe();
}

// Scalars and vectors of every shape give the same bits, so that a tail equals the body.
TEST_P(VectorMath64, ShapeDoesNotMatter) {
  CompiledMath vector = compiled();
  std::vector<double> a, b, expected(block), got(block);
  takeArguments(a, b, 2000000, block);
  vector(a.data(), b.data(), expected.data());
  for (const LoopShape &shape :
       {LoopShape{"f64", 1}, LoopShape{"vector<2xf64>", 2}, LoopShape{"vector<2x8xf64>", 16}}) {
    compiled(shape)(a.data(), b.data(), got.data());
    for (unsigned i = 0; i < block; ++i)
      ASSERT_TRUE(std::bit_cast<uint64_t>(got[i]) == std::bit_cast<uint64_t>(expected[i]) ||
                  (std::isnan(got[i]) && std::isnan(expected[i])))
          << shape.type << ": " << a[i] << ", " << b[i] << " gives " << got[i] << " and " << expected[i];
  }
}

INSTANTIATE_TEST_SUITE_P(, VectorMath64,
                         testing::ValuesIn(judgedFunctions<double>().begin(), judgedFunctions<double>().end()),
                         [](const testing::TestParamInfo<Judged<double>> &info) {
                           return std::string(info.param.name);
                         });

} // namespace
