// Recurrences: order of steps, what is carried, what is stacked.
#include "InstanceMaker.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/Parser/Parser.h"

using namespace kumiko;
using namespace kumiko::test;
using namespace mlir;
using Values = std::vector<double>;

namespace {

/// The results of @main, or the error in the only "result".
std::vector<Values> evaluated(const std::string &text, llvm::ArrayRef<const Tensor *> arguments,
                              std::string *why = nullptr, Precision precision = Precision::Declared) {
  MLIRContext context;
  context.loadDialect<nn::NnDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "the test's module is wrong";
    return {};
  }
  GraphOptions options;
  options.precision = precision;
  auto results = evaluateGraph(module->lookupSymbol<func::FuncOp>("main"), arguments, options);
  if (!results) {
    std::string text = llvm::toString(results.takeError());
    if (why)
      *why = text;
    else
      ADD_FAILURE() << text;
    return {};
  }
  std::vector<Values> values;
  for (const Tensor &result : *results)
    values.push_back(valuesOf(result));
  return values;
}

/// h = h * w + x(t), stacked before the step: what the state was.
std::string horner(const char *direction, const char *steps) {
  std::string type = std::string("tensor<") + steps + "xf32>";
  return "func.func @main(%h: tensor<f32>, %x: " + type + ", %w: tensor<f32>) -> (tensor<f32>, " + type + ") {\n" +
         "%a, %b = nn.scan states(%h) over(%x) shared(%w) " + direction + " : (tensor<f32>, " + type +
         ", tensor<f32>) -> (tensor<f32>, " + type + R"() {
      ^bb0(%s: tensor<f32>, %i: tensor<f32>, %v: tensor<f32>):
        %0 = nn.mul %s, %v : tensor<f32>
        %1 = nn.add %0, %i : tensor<f32>
        nn.yield %1, %s : tensor<f32>, tensor<f32>
      }
      return %a, %b : tensor<f32>, )" +
         type + "\n}";
}

} // namespace

TEST(Scan, Forward) {
  Tensor h = tensorOf(E::F32, {}, {1}), x = tensorOf(E::F32, {3}, {2, 3, 4}), w = tensorOf(E::F32, {}, {10});
  EXPECT_EQ(evaluated(horner("", "3"), {&h, &x, &w}), (std::vector<Values>{{1234}, {1, 12, 123}}));
}

// Slices are read and written where they stand; only the order is the other one.
TEST(Scan, Reverse) {
  Tensor h = tensorOf(E::F32, {}, {1}), x = tensorOf(E::F32, {3}, {2, 3, 4}), w = tensorOf(E::F32, {}, {10});
  EXPECT_EQ(evaluated(horner("reverse", "3"), {&h, &x, &w}), (std::vector<Values>{{1432}, {143, 14, 1}}));
}

TEST(Scan, NoStepsKeepTheState) {
  Tensor h = tensorOf(E::F32, {}, {7}), x = tensorOf(E::F32, {0}, {}), w = tensorOf(E::F32, {}, {10});
  EXPECT_EQ(evaluated(horner("", "0"), {&h, &x, &w}), (std::vector<Values>{{7}, {}}));
}

TEST(Scan, DoublePrecision) {
  Tensor h = tensorOf(E::F64, {}, {1}), x = tensorOf(E::F64, {2}, {0.1, 0.2}), w = tensorOf(E::F64, {}, {10});
  auto results = evaluated(horner("", "2"), {&h, &x, &w}, nullptr, Precision::Double);
  EXPECT_EQ(results, (std::vector<Values>{{(1 * 10 + 0.1) * 10 + 0.2}, {1, 1 * 10 + 0.1}}));
}

// Two states that change places, and slices that are more than numbers.
TEST(Scan, StatesChangePlaces) {
  Tensor a = tensorOf(E::I32, {}, {1}), b = tensorOf(E::I32, {}, {2}), x = tensorOf(E::I32, {3, 2}, {1, 2, 3, 4, 5, 6});
  auto results = evaluated(R"(
    func.func @main(%a: tensor<i32>, %b: tensor<i32>, %x: tensor<3x2xi32>) -> (tensor<i32>, tensor<i32>, tensor<3x2xi32>) {
      %0:3 = nn.scan states(%a, %b) over(%x) : (tensor<i32>, tensor<i32>, tensor<3x2xi32>)
                                            -> (tensor<i32>, tensor<i32>, tensor<3x2xi32>) {
      ^bb0(%s: tensor<i32>, %t: tensor<i32>, %i: tensor<2xi32>):
        %1 = nn.mul %i, %s : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
        nn.yield %t, %s, %1 : tensor<i32>, tensor<i32>, tensor<2xi32>
      }
      return %0#0, %0#1, %0#2 : tensor<i32>, tensor<i32>, tensor<3x2xi32>
    })",
                           {&a, &b, &x});
  EXPECT_EQ(results, (std::vector<Values>{{2}, {1}, {1, 2, 6, 8, 5, 6}}));
}

// Slices without elements: nothing else bounds the number of steps.
TEST(Scan, TooManySteps) {
  auto x = Tensor::zeros(E::F32, {int64_t(1) << 40, 0});
  ASSERT_TRUE(bool(x));
  std::string why;
  evaluated(R"(
    func.func @main(%x: tensor<1099511627776x0xf32>) -> tensor<1099511627776x0xf32> {
      %0 = nn.scan states() over(%x) : (tensor<1099511627776x0xf32>) -> tensor<1099511627776x0xf32> {
      ^bb0(%i: tensor<0xf32>):
        nn.yield %i : tensor<0xf32>
      }
      return %0 : tensor<1099511627776x0xf32>
    })",
            {&*x}, &why);
  EXPECT_NE(why.find("1099511627776 steps are more than 16777216"), std::string::npos) << why;
}

TEST(Choice, OneBranch) {
  const char *text = R"(
    func.func @main(%c: tensor<1xi1>, %x: tensor<f32>) -> tensor<f32> {
      %y = nn.if %c shared(%x) : (tensor<1xi1>, tensor<f32>) -> tensor<f32> {
      ^bb0(%a: tensor<f32>):
        %0 = nn.neg %a : tensor<f32>
        nn.yield %0 : tensor<f32>
      } else {
      ^bb0(%a: tensor<f32>):
        nn.yield %a : tensor<f32>
      }
      return %y : tensor<f32>
    })";
  Tensor yes = tensorOf(E::B1, {1}, {1}), no = tensorOf(E::B1, {1}, {0}), x = tensorOf(E::F32, {}, {3});
  EXPECT_EQ(evaluated(text, {&yes, &x}), (std::vector<Values>{{-3}}));
  EXPECT_EQ(evaluated(text, {&no, &x}), (std::vector<Values>{{3}}));
}

/// Adds the number of the turn as long as the sum is below x, at most five times.
static const char *whileBelow = R"(
  func.func @main(%c: tensor<i1>, %x: tensor<i64>) -> tensor<i64> {
    %z = nn.constant dense<0> : tensor<i64>
    %y = nn.loop while(%c) most 5 states(%z) shared(%x) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64> {
    ^bb0(%turn: tensor<i64>, %s: tensor<i64>, %a: tensor<i64>):
      %0 = nn.add %s, %turn : tensor<i64>
      %1 = nn.lt %0, %a : (tensor<i64>, tensor<i64>) -> tensor<i1>
      nn.yield %1, %0 : tensor<i1>, tensor<i64>
    }
    return %y : tensor<i64>
  })";

TEST(Loop, EndsByItsConditionOrItsBound) {
  Tensor yes = tensorOf(E::B1, {}, {1}), no = tensorOf(E::B1, {}, {0});
  Tensor four = tensorOf(E::I64, {}, {4}), many = tensorOf(E::I64, {}, {100});
  EXPECT_EQ(evaluated(whileBelow, {&yes, &four}), (std::vector<Values>{{6}}));
  EXPECT_EQ(evaluated(whileBelow, {&yes, &many}), (std::vector<Values>{{10}}));
  EXPECT_EQ(evaluated(whileBelow, {&no, &many}), (std::vector<Values>{{0}}));
}
