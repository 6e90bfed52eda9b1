// Ops as their texts say them, with results worked out by hand.
#include "InstanceMaker.h"
#include "kumiko/Equation/Instantiate.h"
#include "kumiko/Equation/Parser.h"
#include "kumiko/Evaluate/Evaluate.h"
#include "kumiko/Nn/Equations.h"
#include <cmath>

using namespace kumiko;
using namespace kumiko::test;
using Values = std::vector<double>;
using Ints = llvm::SmallVector<int64_t, 6>;

namespace {

/// An op of the built-in files, or of a text, applied to tensors.
class Op {
public:
  static Op named(llvm::StringRef name) {
    const eq::OpDef *definition = nn::lookupEquation(name);
    EXPECT_TRUE(definition) << name.str();
    return Op(*definition);
  }

  explicit Op(const eq::OpDef &definition) : definition(definition) {}

  Op &with(llvm::StringRef name, eq::Attribute value) {
    application.attributes[name] = std::move(value);
    return *this;
  }

  std::vector<Values> operator()(llvm::ArrayRef<const Tensor *> operands) {
    llvm::SmallVector<std::optional<eq::TensorType>, 4> types;
    for (const Tensor *operand : operands) {
      if (!operand) {
        types.push_back(std::nullopt);
        continue;
      }
      eq::TensorType type;
      type.element = operand->element();
      type.shape.append(operand->shape().begin(), operand->shape().end());
      types.push_back(type);
    }
    application.operands = types;
    llvm::Expected<eq::Instance> instance = eq::instantiate(definition, application);
    if (!instance) {
      ADD_FAILURE() << llvm::toString(instance.takeError());
      return std::vector<Values>(3);
    }
    auto results = evaluate(*instance, operands);
    if (!results) {
      ADD_FAILURE() << llvm::toString(results.takeError());
      return std::vector<Values>(3);
    }
    std::vector<Values> values;
    for (const Tensor &result : *results)
      values.push_back(valuesOf(result));
    return values;
  }

private:
  const eq::OpDef &definition;
  eq::Application application;
};

} // namespace

TEST(Equation, Softmax) {
  Tensor x = tensorOf(E::F64, {2, 2}, {0, 0, 1000, 1000 + std::log(3.0)});
  Values y = Op::named("softmax").with("axis", int64_t(1))({&x})[0];
  EXPECT_EQ(y[0], 0.5);
  EXPECT_NEAR(y[2], 0.25, 1e-12);
  EXPECT_NEAR(y[3], 0.75, 1e-12);
}

TEST(Equation, Matmul) {
  Tensor a = tensorOf(E::F32, {2, 2}, {1, 2, 3, 4}), b = tensorOf(E::F32, {2, 3}, {1, 0, 2, 0, 1, 3});
  EXPECT_EQ(Op::named("matmul")({&a, &b})[0], (Values{1, 2, 8, 3, 4, 18}));
}

TEST(Equation, ArgReduce) {
  Tensor x = tensorOf(E::F32, {2, 3}, {1, 5, 5, NAN, 0, NAN});
  auto results = Op::named("argreduce").with("kind", std::string("max")).with("axis", int64_t(1))({&x});
  EXPECT_EQ(results[0], (Values{1, 0}));
  EXPECT_EQ(results[1][0], 5);
  EXPECT_TRUE(std::isnan(results[1][1]));
}

TEST(Equation, Cumulate) {
  Tensor x = tensorOf(E::I32, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto op = [&](bool exclusive, bool reverse) {
    return Op::named("cumulate")
        .with("kind", std::string("+"))
        .with("axis", int64_t(1))
        .with("exclusive", exclusive)
        .with("reverse", reverse)({&x})[0];
  };
  EXPECT_EQ(op(false, false), (Values{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(op(true, false), (Values{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(op(false, true), (Values{6, 5, 3, 15, 11, 6}));
}

TEST(Equation, Concat) {
  Tensor a = tensorOf(E::F32, {2, 1}, {1, 2}), b = tensorOf(E::F32, {2, 2}, {3, 4, 5, 6});
  EXPECT_EQ(Op::named("concat").with("axis", int64_t(1))({&a, &b})[0], (Values{1, 3, 4, 2, 5, 6}));
  EXPECT_EQ(Op::named("concat").with("axis", int64_t(0))({&a, &a, &a})[0], (Values{1, 2, 1, 2, 1, 2}));
}

TEST(Equation, PadModes) {
  Tensor x = tensorOf(E::F32, {3}, {1, 2, 3});
  auto op = [&](const char *mode) {
    return Op::named("pad").with("lo", Ints{2}).with("hi", Ints{2}).with("mode", std::string(mode))({&x, nullptr})[0];
  };
  EXPECT_EQ(op("constant"), (Values{0, 0, 1, 2, 3, 0, 0}));
  EXPECT_EQ(op("edge"), (Values{1, 1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(op("reflect"), (Values{3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(op("wrap"), (Values{2, 3, 1, 2, 3, 1, 2}));
}

TEST(Equation, GatherAndScatter) {
  Tensor x = tensorOf(E::F32, {3, 2}, {1, 2, 3, 4, 5, 6}), index = tensorOf(E::I64, {2}, {-1, 0});
  EXPECT_EQ(Op::named("gather").with("axis", int64_t(0))({&x, &index})[0], (Values{5, 6, 1, 2}));
  Tensor at = tensorOf(E::I64, {1, 2}, {2, 0}), update = tensorOf(E::F32, {1, 2}, {10, 20});
  EXPECT_EQ(
      Op::named("scatter_elements").with("axis", int64_t(0)).with("kind", std::string("+"))({&x, &at, &update})[0],
      (Values{1, 22, 3, 4, 15, 6}));
}

// Sums of several operands, one part each.
TEST(Equation, TextOfOnesOwn) {
  auto add = llvm::cantFail(eq::parseOp("op total(xs...: T) -> y: T { y(i...) += xs[v](i...) }"));
  Tensor a = tensorOf(E::F16, {2}, {2048, 1}), b = tensorOf(E::F16, {2}, {1, 2});
  EXPECT_EQ(Op(add)({&a, &b, &b})[0], (Values{2050, 5}));
}

TEST(Equation, MaxPoolWithPositions) {
  Tensor x = tensorOf(E::F32, {1, 1, 4}, {1, 4, 4, 2});
  const eq::OpDef *pool = nn::lookupEquation("max_pool");
  ASSERT_TRUE(pool);
  Op op(*pool);
  op.with("kernel", Ints{2}).with("stride", Ints{2}).with("dilation", Ints{1}).with("lo", Ints{1}).with("hi", Ints{1});
  auto results = op({&x});
  EXPECT_EQ(results[0], (Values{1, 4, 2}));
  EXPECT_EQ(results[1], (Values{0, 1, 3}));
}

TEST(Equation, ConvWithGroups) {
  Tensor x = tensorOf(E::F32, {1, 2, 3}, {1, 2, 3, 4, 5, 6}), w = tensorOf(E::F32, {2, 1, 2}, {1, 1, 1, -1});
  Tensor bias = tensorOf(E::F32, {2}, {10, 20});
  Op op = Op::named("conv");
  op.with("stride", Ints{1})
      .with("dilation", Ints{1})
      .with("lo", Ints{1})
      .with("hi", Ints{0})
      .with("group", int64_t(2));
  EXPECT_EQ(op({&x, &w, &bias})[0], (Values{11, 13, 15, 16, 19, 19}));
}

TEST(Equation, Quantize) {
  Tensor x = tensorOf(E::F32, {4}, {-1, 0.24, 0.26, 100}), scale = tensorOf(E::F32, {1}, {0.5});
  Tensor zero = tensorOf(E::U8, {1}, {3});
  Op op = Op::named("quantize");
  op.with("axis", int64_t(0)).with("block", int64_t(4)).with("lo", 0.0).with("hi", 255.0).with("whole", true);
  op.with("acc", E::F32).with("to", E::U8);
  EXPECT_EQ(op({&x, &scale, &zero})[0], (Values{1, 3, 4, 203}));
}
