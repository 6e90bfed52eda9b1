// Whole functions: order, views, constants, kernels, lifetimes.
#include "kumiko/Evaluate/Graph.h"
#include "InstanceMaker.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/Parser/Parser.h"

using namespace kumiko;
using namespace kumiko::test;
using namespace mlir;
using Values = std::vector<double>;

namespace {

class Graph : public ::testing::Test {
protected:
  Graph() { context.loadDialect<nn::NnDialect, func::FuncDialect>(); }

  func::FuncOp parse(const char *text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module));
    return module ? module->lookupSymbol<func::FuncOp>("main") : func::FuncOp();
  }

  std::vector<Values> evaluated(const char *text, llvm::ArrayRef<const Tensor *> arguments,
                                const GraphOptions &options = {}) {
    auto results = evaluateGraph(parse(text), arguments, options);
    if (!results) {
      ADD_FAILURE() << llvm::toString(results.takeError());
      return {};
    }
    std::vector<Values> values;
    for (const Tensor &result : *results)
      values.push_back(valuesOf(result));
    return values;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(Graph, OpsInOrder) {
  Tensor x = tensorOf(E::F32, {2}, {1, -2});
  auto results = evaluated(R"(
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %c = nn.constant dense<[10.0, 20.0]> : tensor<2xf32>
      %0 = nn.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %1 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      %2 = nn.mul %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %2, %0 : tensor<2xf32>, tensor<2xf32>
    })",
                           {&x});
  EXPECT_EQ(results, (std::vector<Values>{{11, 0}, {11, 18}}));
}

TEST_F(Graph, Constants) {
  auto results = evaluated(R"(
    func.func @main() -> (tensor<3xi1>, tensor<2xi8>, tensor<2x2xf64>, tensor<2xf16>) {
      %0 = nn.constant dense<[true, false, true]> : tensor<3xi1>
      %1 = nn.constant dense<[-1, 5]> : tensor<2xi8>
      %2 = nn.constant dense<2.5> : tensor<2x2xf64>
      %3 = nn.constant dense_resource<half> : tensor<2xf16>
      return %0, %1, %2, %3 : tensor<3xi1>, tensor<2xi8>, tensor<2x2xf64>, tensor<2xf16>
    }
    {-# dialect_resources: { builtin: { half: "0x02000000003C0040" } } #-})",
                           {});
  EXPECT_EQ(results, (std::vector<Values>{{1, 0, 1}, {-1, 5}, {2.5, 2.5, 2.5, 2.5}, {1, 2}}));
}

// A view of a value that dies stays alive, and a result that is an argument is a copy.
TEST_F(Graph, Views) {
  Tensor x = tensorOf(E::F32, {2, 2}, {1, 2, 3, 4});
  auto results = evaluated(R"(
    func.func @main(%x: tensor<2x2xf32>) -> (tensor<4xi32>, tensor<2x2xf32>) {
      %0 = nn.neg %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %1 = nn.reshape %0 : tensor<2x2xf32> -> tensor<4xf32>
      %2 = nn.bitcast %1 : tensor<4xf32> -> tensor<4xi32>
      return %2, %x : tensor<4xi32>, tensor<2x2xf32>
    })",
                           {&x});
  EXPECT_EQ(results[0][0], double(int32_t(0xbf800000)));
  EXPECT_EQ(results[1], (Values{1, 2, 3, 4}));
}

TEST_F(Graph, DoubleStaysDouble) {
  const char *text = R"(
    func.func @main(%x: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xi32>) {
      %c = nn.constant dense<1.0> : tensor<1xf32>
      %0 = nn.add %x, %c : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      %1 = nn.sub %0, %c : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      %2 = nn.bitcast %0 : tensor<1xf32> -> tensor<1xi32>
      return %1, %2 : tensor<1xf32>, tensor<1xi32>
    })";
  Tensor x = tensorOf(E::F32, {1}, {0x1p-40});
  EXPECT_EQ(evaluated(text, {&x})[0], Values{0});
  GraphOptions options;
  options.precision = Precision::Double;
  auto results = evaluated(text, {&x}, options);
  EXPECT_EQ(results[0], Values{0x1p-40});
  EXPECT_EQ(results[1], Values{double(0x3f800000)}); // the bits of the declared type
}

TEST_F(Graph, Kernels) {
  Tensor x = tensorOf(E::F32, {2}, {1, -2});
  auto results = evaluated(R"(
    nn.kernel @k(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      %1 = nn.neg %0 : (tensor<2xf32>) -> tensor<2xf32>
      nn.yield %1 : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = nn.call @k(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = nn.call @k(%0) : (tensor<2xf32>) -> tensor<2xf32>
      %2 = nn.add %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %2 : tensor<2xf32>
    })",
                           {&x});
  EXPECT_EQ(results[0], (Values{-1, 0}));
}

TEST_F(Graph, TellsAfterEachOp) {
  Tensor x = tensorOf(E::F32, {1}, {3});
  std::vector<std::string> seen;
  GraphOptions options;
  options.afterOp = [&](Operation *op, llvm::ArrayRef<const Tensor *> operands,
                        llvm::ArrayRef<const Tensor *> results) {
    std::string line = op->getName().getStringRef().str();
    for (const Tensor *operand : operands)
      line += " " + std::to_string(int(valuesOf(*operand)[0]));
    seen.push_back(line + " -> " + std::to_string(int(valuesOf(*results[0])[0])));
    return seen.size() < 3 ? llvm::Error::success() : llvm::createStringError("enough");
  };
  auto results = evaluateGraph(parse(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
      %0 = nn.neg %x : (tensor<1xf32>) -> tensor<1xf32>
      %1 = nn.mul %0, %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      %2 = nn.abs %1 : (tensor<1xf32>) -> tensor<1xf32>
      %3 = nn.neg %2 : (tensor<1xf32>) -> tensor<1xf32>
      return %3 : tensor<1xf32>
    })"),
                               {&x}, options);
  EXPECT_EQ(llvm::toString(results.takeError()), "enough");
  EXPECT_EQ(seen, (std::vector<std::string>{"nn.neg 3 -> -3", "nn.mul -3 3 -> -9", "nn.abs -9 -> 9"}));
}

TEST_F(Graph, Errors) {
  const char *text = R"(
    func.func @main(%x: tensor<3xf32>, %i: tensor<1xi64>) -> tensor<1xf32> {
      %0 = nn.gather %x, %i {axis = 0 : i64} : (tensor<3xf32>, tensor<1xi64>) -> tensor<1xf32> loc("node 7")
      return %0 : tensor<1xf32>
    })";
  Tensor x = sequence(E::F32, {3}), bad = tensorOf(E::I64, {1}, {5}), wrong = sequence(E::F32, {4});
  auto message = [&](llvm::ArrayRef<const Tensor *> arguments) {
    auto results = evaluateGraph(parse(text), arguments);
    return results ? "" : llvm::toString(results.takeError());
  };
  EXPECT_NE(message({&x, &bad}).find("nn.gather 'node 7': "), std::string::npos) << message({&x, &bad});
  EXPECT_NE(message({&x, &bad}).find("index 5 of dimension 0 of 'x'"), std::string::npos) << message({&x, &bad});
  EXPECT_EQ(message({&x}), "1 arguments are given, 2 expected");
  EXPECT_EQ(message({&wrong, &bad}), "argument 0 is f32[4], expected f32[3]");
  EXPECT_EQ(message({&x, nullptr}), "argument 1 is not given");
}

// A view shares the bytes of its operand, which live as long as it does.
TEST_F(Graph, OneOpSharesWhatItLooksAt) {
  auto main = parse(R"(
    func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
      %0 = nn.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
      return %0 : tensor<6xf32>
    })");
  SharedTensor x = SharedTensor::own(tensorOf(E::F32, {2, 3}, {1, 2, 3, 4, 5, 6}));
  const uint8_t *bytes = x.tensor.data();
  auto results =
      evaluateOp(&main.getBody().front().front(), [&](Value) -> const SharedTensor & { return x; }, GraphOptions{});
  ASSERT_TRUE(bool(results));
  x = {};
  EXPECT_EQ((*results)[0].tensor.data(), bytes);
  EXPECT_EQ(valuesOf((*results)[0].tensor), (Values{1, 2, 3, 4, 5, 6}));
}

// With a common sum the limit on points holds for all ops together.
TEST_F(Graph, PointsAreSummedUp) {
  constexpr const char *text = R"(
    func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
      %0 = nn.relu %x : (tensor<100xf32>) -> tensor<100xf32>
      %1 = nn.relu %0 : (tensor<100xf32>) -> tensor<100xf32>
      return %1 : tensor<100xf32>
    })";
  Tensor x = tensorOf(E::F32, {100}, Values(100, 1));
  const Tensor *arguments[] = {&x};
  GraphOptions options;
  options.limits.points = 150;
  ASSERT_TRUE(bool(evaluateGraph(parse(text), arguments, options)));
  uint64_t spent = 0;
  options.limits.spent = &spent;
  auto results = evaluateGraph(parse(text), arguments, options);
  ASSERT_FALSE(bool(results));
  EXPECT_NE(llvm::toString(results.takeError()).find("200 points together, above the limit of 150"), std::string::npos);
}
