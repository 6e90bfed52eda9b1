//===- BuildTest.cpp - making ops from C++ ---------------------------------===//
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Definition.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Nn/Types.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include <gtest/gtest.h>
#include <thread>

using namespace mlir;
using namespace kumiko;

namespace {

class BuildTest : public testing::Test {
protected:
  BuildTest() : builder(&context) {
    context.loadDialect<nn::NnDialect, func::FuncDialect>();
    module = ModuleOp::create(builder, builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  RankedTensorType f32(ArrayRef<int64_t> shape) { return RankedTensorType::get(shape, builder.getF32Type()); }
  /// A value of that type; where it comes from does not matter here.
  Value value(RankedTensorType type) {
    return nn::ConstantOp::create(builder, builder.getUnknownLoc(), cast<ElementsAttr>(builder.getZeroAttr(type)));
  }
  NamedAttribute ints(StringRef name, ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  }
  SmallVector<NamedAttribute> convAttributes() {
    return {ints("stride", {1, 1}), ints("dilation", {1, 1}), ints("lo", {1, 1}), ints("hi", {1, 1})};
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  std::string why;
};

TEST_F(BuildTest, TypedBuilderInfersTypes) {
  Location loc = builder.getUnknownLoc();
  auto sum = nn::AddOp::create(builder, loc, value(f32({2, 1})), value(f32({3})));
  EXPECT_EQ(sum.getType(), f32({2, 3}));
  auto conv = nn::ConvOp::create(builder, loc, value(f32({1, 3, 8, 8})), value(f32({4, 3, 3, 3})), Value(), {2, 2},
                                 {1, 1}, {1, 1}, {1, 1});
  EXPECT_EQ(conv.getType(), f32({1, 4, 4, 4}));
  EXPECT_FALSE(conv.getBias());
  EXPECT_EQ(conv.getChannel(), 1);
  auto norm = nn::LayerNormOp::create(builder, loc, value(f32({2, 5})), value(f32({5})), Value(), 1, 1e-5);
  EXPECT_TRUE(norm.getAcc().isF32());
  EXPECT_DOUBLE_EQ(norm.getEps(), 1e-5);
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(BuildTest, DefaultsAreFilledIn) {
  auto op = nn::buildEquationOp(builder, builder.getUnknownLoc(), "conv",
                                {value(f32({1, 3, 8, 8})), value(f32({4, 3, 3, 3}))}, convAttributes(), why);
  ASSERT_TRUE(succeeded(op)) << why;
  EXPECT_EQ((*op)->getAttrOfType<IntegerAttr>("group").getInt(), 1);
  EXPECT_EQ((*op)->getResult(0).getType(), f32({1, 4, 8, 8}));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(BuildTest, AbsentOperandsKeepTheirSlots) {
  Value x = value(f32({1, 1, 3, 3})), w = value(f32({1, 1, 2, 2})), o = value(f32({1, 1, 2, 2, 2, 2, 2}));
  Value b = value(f32({1}));
  SmallVector<NamedAttribute> attributes{ints("stride", {1, 1}), ints("dilation", {1, 1}), ints("lo", {0, 0}),
                                         ints("out", {2, 2}),
                                         builder.getNamedAttr("group", builder.getI64IntegerAttr(1))};
  auto op =
      nn::buildEquationOp(builder, builder.getUnknownLoc(), "deform_conv", {x, w, o, Value(), b}, attributes, why);
  ASSERT_TRUE(succeeded(op)) << why;
  EXPECT_EQ(nn::operandSlots(*op), (SmallVector<Value, 4>{x, w, o, Value(), b}));
  EXPECT_EQ(cast<nn::DeformConvOp>(*op).getBias(), b);
  EXPECT_TRUE(succeeded(verify(*module)));
}

/// What does not fit is refused with a reason, and nothing is left behind.
TEST_F(BuildTest, RefusalsSayWhy) {
  Location loc = builder.getUnknownLoc();
  Value x = value(f32({2, 3})), y = value(f32({4, 5}));
  size_t before = llvm::range_size(*module->getBody());
  auto refused = [&](StringRef name, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
    why.clear();
    EXPECT_TRUE(failed(nn::buildEquationOp(builder, loc, name, operands, attributes, why))) << name.str();
    EXPECT_FALSE(why.empty());
    return why;
  };
  std::string inner = refused("matmul", {x, y}, {});
  EXPECT_NE(inner.find('3'), std::string::npos) << inner;
  EXPECT_NE(inner.find('4'), std::string::npos) << inner;
  EXPECT_EQ(refused("no_such_op", {x}, {}), "there is no op 'no_such_op'");
  EXPECT_EQ(refused("relu", {x, y}, {}), "2 operands given, relu takes 1");
  refused("relu", {Value()}, {});
  refused("relu", {}, {});
  refused("softmax", {x}, {});
  EXPECT_EQ(refused("softmax", {x}, {ints("axis", {1})}), "attribute 'axis' is array<i64: 1>, expected int");
  EXPECT_EQ(refused("relu", {x}, {ints("axis", {1})}), "relu has no attribute 'axis'");
  EXPECT_EQ(llvm::range_size(*module->getBody()), before);
}

TEST_F(BuildTest, UnknownExtentsAreRefused) {
  Value x = value(f32({2, 3}));
  x.setType(f32({ShapedType::kDynamic, 3}));
  EXPECT_TRUE(failed(nn::buildEquationOp(builder, builder.getUnknownLoc(), "relu", {x}, {}, why)));
  EXPECT_EQ(why, "x is 'tensor<?x3xf32>', expected extents that are numbers or #nn.extents");
}

TEST_F(BuildTest, SymbolicTypesFollowFromTheEquation) {
  Extent n = Extent::symbol("N");
  Type element = builder.getF32Type();
  Location loc = builder.getUnknownLoc();
  Value x = value(f32({2, 3}));
  x.setType(nn::tensorOf({n, 3}, element));
  auto sum = nn::AddOp::create(builder, loc, x, value(f32({3})));
  EXPECT_EQ(sum.getType(), nn::tensorOf({n, 3}, element));
  EXPECT_EQ(nn::extentsOf(sum.getType())[0], n);
  EXPECT_EQ(nn::toEquation(sum.getType()).shape[0], n);
  // A list with an expression goes into an attribute and back.
  auto out = builder.getNamedAttr("out", nn::numbersAttr(&context, {n - Extent(1), 3}));
  auto slice = nn::buildEquationOp(builder, loc, "slice", {x}, {ints("start", {1, 0}), ints("step", {1, 1}), out}, why);
  ASSERT_TRUE(succeeded(slice)) << why;
  EXPECT_EQ((*slice)->getResult(0).getType(), nn::tensorOf({n - Extent(1), 3}, element));
  EXPECT_TRUE(nn::usesSymbols(*slice));
  EXPECT_FALSE(nn::usesSymbols(value(f32({3})).getDefiningOp()));
}

TEST_F(BuildTest, GroupsOfReshapes) {
  Extent n = Extent::symbol("N"), s = Extent::symbol("S");
  using Lists = SmallVector<SmallVector<int64_t, 2>>;
  auto groups = nn::commonGroups({n, s, 768}, {n * s, 12, 64});
  EXPECT_EQ(groups.from, (Lists{{0, 1}, {2}}));
  EXPECT_EQ(groups.to, (Lists{{0}, {1, 2}}));
  groups = nn::commonGroups({2, 1, 3}, {2, 3, 1});
  EXPECT_EQ(groups.from, (Lists{{0}, {1, 2}}));
  EXPECT_EQ(groups.to, (Lists{{0}, {1, 2}}));
  // Products that do not meet are one group: the program checks that all elements are there.
  groups = nn::commonGroups({n, 4}, {2, s});
  EXPECT_EQ(groups.from, (Lists{{0, 1}}));
  EXPECT_EQ(groups.to, (Lists{{0, 1}}));
}

TEST_F(BuildTest, UnusedResultsCostNothing) {
  Location loc = builder.getUnknownLoc();
  auto pool = nn::MaxPoolOp::create(builder, loc, value(f32({1, 1, 4, 4})), {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0});
  nn::ReluOp::create(builder, loc, pool.getY());
  llvm::Expected<eq::Instance> all = nn::instantiate(pool), used = nn::instantiate(pool, /*onlyUsedResults=*/true);
  ASSERT_TRUE(bool(all) && bool(used));
  auto targets = [](const eq::Instance &instance) {
    size_t count = 0;
    for (const eq::Statement &statement : instance.statements)
      count += statement.targets.size();
    return count;
  };
  EXPECT_LT(targets(*used), targets(*all));
}

TEST(NnTypes, ElementTypesRoundTrip) {
  MLIRContext context;
  for (unsigned number = 1; number < static_cast<unsigned>(ElementType::Index); ++number) {
    auto type = static_cast<ElementType>(number);
    EXPECT_EQ(nn::toEquation(nn::fromEquation(&context, type)), type) << nameOf(type).str();
  }
  EXPECT_EQ(nn::toEquation(IntegerType::get(&context, 7)), ElementType::Invalid);
}

TEST(Equations, LookupIsThreadSafe) {
  std::vector<std::thread> threads;
  std::atomic<int> found = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { found += nn::lookupEquation("nn.conv") != nullptr; });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(found, 4);
  EXPECT_EQ(nn::lookupEquation("conv"), nn::lookupEquation("nn.conv"));
  EXPECT_EQ(nn::lookupEquation("reshape"), nullptr);
}

/// A default that is no literal of its kind would silently be no default.
TEST(Equations, DefaultsAreLiterals) {
  for (const eq::OpDef &op : nn::allEquations())
    for (const eq::AttributeDef &attribute : op.attributes)
      EXPECT_EQ(attribute.defaultValue != nullptr, nn::defaultOf(attribute).has_value()) << op.name.str();
}

} // namespace
