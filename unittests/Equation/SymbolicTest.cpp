// The same solver over dimensions that are names.
#include "Apply.h"

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

TEST(Symbolic, ConvolutionSizes) {
  OpDef conv = builtin("conv");
  EXPECT_EQ(results(conv, "f32[N,C,H,W], f32[64,C,3,3]; stride=[2,2], dilation=[1,1], lo=[1,1], hi=[1,1]"),
            "f32[N,64,((H - 1) floordiv 2) + 1,((W - 1) floordiv 2) + 1]");
  EXPECT_EQ(results(conv, "f32[N,64,H], f32[32,8,5]; stride=[3], dilation=[2], lo=[0], hi=[0], group=8"),
            "f32[N,32,(H floordiv 3) - 2]");
  EXPECT_EQ(results(conv, "f32[N,C,H,W], f32[64,C,3,3]; stride=[1,1], dilation=[1,1], lo=[1,1], hi=[1,1]"),
            "f32[N,64,H,W]");
}

// A fitted window needs neither a check nor an `else`, as for numbers.
TEST(Symbolic, FittedWindowsAreProved) {
  Instance result =
      instance(builtin("conv"), "f32[N,3,H,W], f32[64,3,3,3]; stride=[2,2], dilation=[1,1], lo=[1,1], hi=[1,1]");
  EXPECT_TRUE(result.checks.empty());
  EXPECT_TRUE(result.boundChecks.empty());
}

TEST(Symbolic, UnequalNamesBecomeChecks) {
  Instance result = instance(builtin("matmul"), "f32[B,M,K], f32[K2,N]");
  ASSERT_EQ(result.checks.size(), 1u);
  EXPECT_EQ(result.checks[0].first.str(), "K");
  EXPECT_EQ(result.checks[0].second.str(), "K2");
  EXPECT_TRUE(result.boundChecks.empty());
  EXPECT_TRUE(instance(builtin("matmul"), "f32[B,M,K], f32[K,N]").checks.empty());
}

// A number and a name: the number is used, and checked.
TEST(Symbolic, NumbersWinOverNames) {
  Instance result = instance(builtin("matmul"), "f32[M,K], f32[7,N]");
  EXPECT_EQ(result.statements[0].loops[2].extent, Extent(7));
  ASSERT_EQ(result.checks.size(), 1u);
}

TEST(Symbolic, BroadcastOfTwoUnknowns) {
  Instance result = instance(builtin("add"), "f32[N,S], f32[M]");
  EXPECT_EQ(result.broadcastChecks.size(), 1u);
  EXPECT_TRUE(result.checks.empty());
  EXPECT_EQ(str(result.tensors[2].type), "f32[N,broadcast(M, S)]");
  // Which side is 1 is only known at run time.
  EXPECT_NE(str(result).find("(({M} == 1) ? 0 : i1)"), std::string::npos);
  EXPECT_TRUE(instance(builtin("add"), "f32[N,S], f32[S]").broadcastChecks.empty());
  EXPECT_EQ(results(builtin("add"), "f32[N,S], f32[1]"), "f32[N,S]");
}

TEST(Symbolic, BroadcastOfAPart) {
  // What the table's part was read by is a loop that it is as long as, whatever the sequence's length: no question is
  // left to the run but whether the two fit.
  TensorType sequence{kumiko::ElementType::F32, {Extent::symbol("S")}};
  TensorType part{kumiko::ElementType::F32, {min(256, Extent::symbol("S"))}};
  std::optional<TensorType> operands[] = {sequence, part};
  Instance result = llvm::cantFail(instantiate(builtin("add"), {operands, std::nullopt, {}, {}}));
  EXPECT_EQ(result.broadcastChecks.size(), 1u);
  EXPECT_EQ(str(result.tensors[2].type), "f32[S]");
  EXPECT_EQ(str(result).find("?"), std::string::npos);
}

TEST(Symbolic, TuplesSplitWithACheck) {
  Instance result = instance(builtin("group_norm"), "f32[N,C,H], f32[C], f32[C]; groups=4, eps=0.1");
  ASSERT_EQ(result.checks.size(), 1u);
  EXPECT_EQ(result.checks[0].first.str(), "4*(C floordiv 4)");
  EXPECT_TRUE(instance(builtin("group_norm"), "f32[N,8,H], f32[8], f32[8]; groups=4, eps=0.1").checks.empty());
}

TEST(Symbolic, Others) {
  EXPECT_EQ(results(builtin("gather"), "f32[V,D], i64[N,S]; axis=0"), "f32[N,S,D]");
  EXPECT_EQ(results(builtin("pad"), "f32[N,H], -; lo=[0,2], hi=[1,2]"), "f32[N + 1,H + 4]");
  EXPECT_EQ(results(builtin("layer_norm"), "f32[N,S,D], f32[D]; axis=2, eps=0.1"), "f32[N,S,D] f32[N,S] f32[N,S]");
  EXPECT_EQ(results(builtin("concat"), "f32[N,A], f32[N,B]; axis=1"), "f32[N,A + B]");
  EXPECT_EQ(results(builtin("softmax"), "f32[N,S]; axis=1"), "f32[N,S]");
  EXPECT_EQ(results(builtin("attention"),
                    "f32[B,32,L,D], f32[B,8,S,D], f32[B,8,S,E]; scale=1.0, softcap=0.0, acc=f32, soft=f32")
                .substr(0, 13),
            "f32[B,32,L,E]");
}

// A range that is given and not known to fit is checked at run time.
TEST(Symbolic, OpenBoundsBecomeChecks) {
  Instance result = instance("op f(x: T; n: int) -> y: T { y(i) = x(i + 1) where i in n }", "f32[N]; n=5");
  ASSERT_EQ(result.boundChecks.size(), 1u);
  EXPECT_EQ(result.boundChecks[0].first.str(), "5");
  EXPECT_EQ(result.boundChecks[0].second.str(), "N - 1");
}

// A dimension that may be 1 repeats, so that a range above it need not be wrong.
TEST(Symbolic, GivenRangesBroadcast) {
  Instance result = instance(builtin("expand"), "f32[N,3]; shape=[6,3]");
  EXPECT_TRUE(result.boundChecks.empty());
  ASSERT_EQ(result.repeatChecks.size(), 1u);
  EXPECT_EQ(result.repeatChecks[0].first.str(), "6");
  EXPECT_EQ(result.repeatChecks[0].second.str(), "N");
}

// A remainder stays below its divisor, when that is not 0.
TEST(Symbolic, DivisorsAreNotZero) {
  Instance result = instance("op f(x: T; n: int) -> y: T { y(i) = x(mod(i, dim(x, 0))) where i in n }", "f32[N]; n=5");
  ASSERT_EQ(result.boundChecks.size(), 1u);
  EXPECT_EQ(result.boundChecks[0].first.str(), "1");
  EXPECT_EQ(result.boundChecks[0].second.str(), "N");
}

// Symbols with values in them give what static shapes give.
TEST(Symbolic, AgreesWithNumbers) {
  OpDef conv = builtin("conv");
  std::string attributes = "; stride=[2,3], dilation=[2,1], lo=[1,0], hi=[2,1]";
  auto symbolic = inferResults(conv, given(conv, "f32[N,3,H,W], f32[8,3,3,2]" + attributes).application());
  ASSERT_TRUE(bool(symbolic));
  for (int64_t h = 6; h < 20; ++h) {
    std::string shape = "f32[2,3," + std::to_string(h) + "," + std::to_string(h + 1) + "], f32[8,3,3,2]";
    std::string expected = results(conv, shape + attributes);
    TensorType type = (*symbolic)[0];
    for (Extent &extent : type.shape)
      extent = *extent.evaluate([&](llvm::StringRef name) -> std::optional<int64_t> {
        return name == "N" ? 2 : name == "H" ? h : h + 1;
      });
    EXPECT_EQ(str(type), expected);
  }
}

} // namespace
