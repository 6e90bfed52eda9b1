// What rounding explains and what it does not, and how far a network can be cut down.
#include "kumiko/Verify/Stability.h"
#include "kumiko/Pipeline/Session.h"
#include "kumiko/Verify/Shrink.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace kumiko;

namespace {

Tensor floats(llvm::ArrayRef<float> values) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(ElementType::F32, int64_t(values.size())));
  std::memcpy(tensor.mutableData(), values.data(), values.size() * sizeof(float));
  return tensor;
}

struct Network {
  explicit Network(llvm::StringRef body, std::vector<Tensor> inputs) : session(1) {
    test.module = mlir::parseSourceString<mlir::ModuleOp>(body, mlir::ParserConfig(&session.context()));
    test.inputs = std::move(inputs);
  }
  mlir::func::FuncOp main() { return test.module->lookupSymbol<mlir::func::FuncOp>("main"); }
  RoundingJudge::Answer judge(llvm::ArrayRef<float> got) {
    std::vector<Tensor> results;
    results.push_back(floats(got));
    return llvm::cantFail(RoundingJudge(main(), test.inputs).judge(results));
  }

  Session session;
  TestCase test;
};

constexpr llvm::StringLiteral difference = R"(
  func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = nn.sub %a, %b : tensor<2xf32>
    return %0 : tensor<2xf32>
  })";

std::vector<Tensor> inputs(llvm::ArrayRef<float> a, llvm::ArrayRef<float> b) {
  std::vector<Tensor> list;
  list.push_back(floats(a));
  list.push_back(floats(b));
  return list;
}

TEST(Stability, LastPlacesAreExplained) {
  Network network(difference, inputs({3, 5}, {1, 1}));
  EXPECT_FALSE(network.judge({2, 4}).outlier);
  EXPECT_FALSE(network.judge({2.0000005f, 4}).outlier);
}

TEST(Stability, AnotherValueIsNot) {
  Network network(difference, inputs({3, 5}, {1, 1}));
  auto answer = network.judge({2, 4.001f});
  ASSERT_TRUE(answer.outlier);
  EXPECT_EQ(answer.outlier->element, 1);
  EXPECT_FALSE(answer.unstable);
}

// 4097 - 4096 carries the roundings of both, which 1 alone would not.
TEST(Stability, CancellationIsExplained) {
  Network network(difference, inputs({4097, 4097}, {4096, 4096}));
  EXPECT_FALSE(network.judge({1.002f, 1}).outlier);
  Network small(difference, inputs({3, 3}, {2, 2}));
  EXPECT_TRUE(small.judge({1.002f, 1}).outlier);
}

TEST(Stability, AJumpIsExplainedOnlyWhereItIsNear) {
  constexpr llvm::StringLiteral text = R"(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = nn.floor %a : tensor<2xf32>
      return %0 : tensor<2xf32>
    })";
  std::vector<Tensor> at;
  at.push_back(floats({2, 2.5}));
  Network network(text, std::move(at));
  EXPECT_FALSE(network.judge({1, 2}).outlier);
  EXPECT_TRUE(network.judge({2, 1}).outlier);
}

TEST(Shrink, LeavesTheOpThatShowsIt) {
  constexpr llvm::StringLiteral text = R"(
    func.func @main(%a: tensor<7x4xf32>, %b: tensor<4xf32>) -> (tensor<7x4xf32>, tensor<4xf32>) {
      %0 = nn.exp %a : tensor<7x4xf32>
      %1 = nn.tanh %0 : tensor<7x4xf32>
      %2 = nn.neg %1 : tensor<7x4xf32>
      %3 = nn.abs %b : tensor<4xf32>
      return %2, %3 : tensor<7x4xf32>, tensor<4xf32>
    })";
  std::vector<Tensor> given;
  given.push_back(llvm::cantFail(Tensor::zeros(ElementType::F32, {7, 4})));
  given.push_back(floats({1, 2, 3, 4}));
  Network network(text, std::move(given));
  auto hasTanh = [](TestCase &candidate) {
    bool found = false;
    candidate.module->walk([&](mlir::Operation *op) { found |= op->getName().getStringRef() == "nn.tanh"; });
    return found;
  };
  shrink(network.test, hasTanh, 100);
  mlir::Block &body = network.main().getBody().front();
  EXPECT_EQ(body.getOperations().size(), 2u);
  ASSERT_EQ(network.test.inputs.size(), 1u);
  EXPECT_EQ(network.test.inputs[0].count(), 1);
  EXPECT_EQ(network.test.inputs[0].at<float>(0), 1.0f); // exp(0)
}

} // namespace
