// Ops without an equation: what the importer's tests do not reach.
#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "InstanceMaker.h"
#include "kumiko/Evaluate/Irregular/Philox.h"
#include "mlir/Parser/Parser.h"

using namespace kumiko;
using namespace kumiko::test;
using namespace mlir;
using Values = std::vector<double>;

// The vectors that its authors publish with the generator.
TEST(Philox, KnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

namespace {
class Irregular : public ::testing::Test {
protected:
  Irregular() { context.loadDialect<nn::NnDialect, func::FuncDialect>(); }

  llvm::Expected<llvm::SmallVector<Tensor, 2>> run(const char *text, llvm::ArrayRef<const Tensor *> arguments,
                                                   const GraphOptions &options = {}) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return llvm::createStringError("the test does not parse");
    return evaluateGraph(module->lookupSymbol<func::FuncOp>("main"), arguments, options);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

// Element i is word i mod 4 of block i / 4.
TEST_F(Irregular, BitsByPosition) {
  auto bits = run(R"(func.func @main() -> tensor<2x3xui32> {
    %0 = nn.random_bits {shape = array<i64: 2, 3>, key = 0} : () -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  })",
                  {});
  ASSERT_TRUE(bool(bits)) << llvm::toString(bits.takeError());
  Values values = valuesOf(bits->front());
  EXPECT_EQ(values[0], double(0x6627e8d5));
  EXPECT_EQ(values[3], double(0x9b00dbd8));
  EXPECT_EQ(values[4], double(philox({1, 0, 0, 0}, {0, 0})[0]));
}

// In double precision values stay what they are, and the result is f64.
TEST_F(Irregular, DoublePrecision) {
  Tensor x = tensorOf(E::F64, {2, 2}, {1, 1e-12, 0, 1});
  GraphOptions options;
  options.precision = Precision::Double;
  auto y = run(R"(func.func @main(%x: tensor<2x2xf32>) -> (tensor<f32>, tensor<2x1xf32>) {
    %0 = nn.det %x : (tensor<2x2xf32>) -> tensor<f32>
    %1, %2 = nn.topk %x {axis = 1, k = 1, largest = false} : (tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
    return %0, %1 : tensor<f32>, tensor<2x1xf32>
  })",
               {&x}, options);
  ASSERT_TRUE(bool(y)) << llvm::toString(y.takeError());
  EXPECT_EQ((*y)[0].element(), E::F64);
  EXPECT_EQ(valuesOf((*y)[1]), Values({1e-12, 0}));
}

// Work that values decide is bounded, and results have a limit.
TEST_F(Irregular, Limits) {
  Tensor x = tensorOf(E::F32, {1, 1, 2, 2}, {1, 2, 3, 4}), roi = tensorOf(E::F32, {1, 4}, {0, 0, 1e6, 1e6}),
         batch = tensorOf(E::I64, {1}, {0});
  GraphOptions options;
  options.limits.points = 1000;
  const char *text =
      R"(func.func @main(%x: tensor<1x1x2x2xf32>, %r: tensor<1x4xf32>, %b: tensor<1xi64>) -> tensor<1x1x1x1xf32> {
    %0 = nn.roi_align %x, %r, %b {height = 1, width = 1, sampling = 0, scale = 1.0, half_pixel = true, mode = "avg"}
      : (tensor<1x1x2x2xf32>, tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x1x1xf32>
    return %0 : tensor<1x1x1x1xf32>
  })";
  auto y = run(text, {&x, &roi, &batch}, options);
  ASSERT_FALSE(bool(y));
  EXPECT_NE(llvm::toString(y.takeError()).find("limit"), std::string::npos);
  // Steps of all ops count together where the caller says so.
  uint64_t spent = 990;
  options.limits.spent = &spent;
  Tensor near = tensorOf(E::F32, {1, 4}, {0, 0, 3, 3});
  auto once = run(text, {&x, &near, &batch}, options);
  EXPECT_TRUE(bool(once)) << llvm::toString(once.takeError());
  EXPECT_EQ(spent, 999u);
  auto twice = run(text, {&x, &near, &batch}, options);
  EXPECT_FALSE(bool(twice));
  llvm::consumeError(twice.takeError());
  GraphOptions small;
  small.limits.bytes = 16;
  auto bits = run(R"(func.func @main() -> tensor<5xui32> {
    %0 = nn.random_bits {shape = array<i64: 5>, key = 0} : () -> tensor<5xui32>
    return %0 : tensor<5xui32>
  })",
                  {}, small);
  EXPECT_FALSE(bool(bits));
  llvm::consumeError(bits.takeError());
}
