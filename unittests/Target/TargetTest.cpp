#include "kumiko/Target/Target.h"
#include "kumiko/Support/EmitError.h"
#include "gtest/gtest.h"

using namespace kumiko;

static Target of(llvm::StringRef spelled) { return llvm::cantFail(rowNamed(spelled)); }

static Problem problemOf(llvm::StringRef spelled) {
  auto target = rowNamed(spelled);
  if (target)
    return Problem(Code::Internal, spelled + " is a target");
  ProblemList problems;
  takeProblems(target.takeError(), problems);
  return problems.all()[0];
}

TEST(Target, VectorsOfRows) {
  auto vectors = [](llvm::StringRef name) { return std::pair(of(name).vectorBits, of(name).vectorRegisters); };
  EXPECT_EQ(vectors("x86-64-v2"), std::pair(128u, 16u));
  EXPECT_EQ(vectors("x86-64-v3"), std::pair(256u, 16u));
  EXPECT_EQ(vectors("x86-64-v4"), std::pair(512u, 32u));
  EXPECT_EQ(vectors("znver3"), std::pair(256u, 16u));
  EXPECT_EQ(vectors("znver5"), std::pair(512u, 32u));
  EXPECT_EQ(vectors("cortex-a53"), std::pair(128u, 32u));
}

TEST(Target, FactsFollowFromFeatures) {
  EXPECT_FALSE(of("x86-64-v2").has(Fact::Fma) || of("x86-64-v2").has(Fact::Half));
  EXPECT_TRUE(of("x86-64-v3").has(Fact::Fma) && of("x86-64-v3").has(Fact::Half));
  EXPECT_TRUE(of("aarch64").has(Fact::Fma));
  EXPECT_FALSE(of("x86-64-v4").has(DotForm::Byte4));
  EXPECT_TRUE(of("znver4").has(DotForm::Byte4));
  EXPECT_FALSE(of("cortex-a53").has(DotForm::Sdot4));
  EXPECT_TRUE(of("cortex-a76").has(DotForm::Sdot4));
  EXPECT_TRUE(of("neoverse-v2").has(DotForm::I8mm));
}

TEST(Target, AdjustedFeatures) {
  Target target = of("x86-64-v3,+avxvnni,-f16c");
  EXPECT_TRUE(target.has(DotForm::Byte4));
  EXPECT_FALSE(target.has(Fact::Half));
  EXPECT_EQ(target.features, "+avxvnni,-f16c");
  EXPECT_EQ(target.spelled, "x86-64-v3,+avxvnni,-f16c");
  EXPECT_EQ(target.describe(), "x86_64/x86-64-v3,+avxvnni,-f16c");
}

// Vectors of 512 bits need the form for them, which this feature does not bring.
TEST(Target, ProductsNeedTheWholeVector) {
  EXPECT_FALSE(of("x86-64-v4,+avxvnni").has(DotForm::Byte4));
  EXPECT_FALSE(of("x86-64-v3,+avx512vnni").has(DotForm::Byte4));
}

TEST(Target, VectorsNeedTheirFeatures) {
  Target target = of("znver4,-avx512bw");
  EXPECT_EQ(target.vectorBits, 256u);
  EXPECT_EQ(target.vectorRegisters, 16u);
  EXPECT_EQ(of("x86-64-v3,-avx").vectorBits, 128u);
}

TEST(Target, WhatIsThereAlreadyIsNotSpelled) {
  EXPECT_EQ(of("x86-64-v3,+avx2,-avx512f").spelled, "x86-64-v3");
  EXPECT_EQ(of("x86-64-v3,+avx2").features, "");
}

TEST(Target, AdjustedFacts) {
  EXPECT_TRUE(of("x86-64-v4,+inOrderStores").has(Fact::InOrderStores));
  EXPECT_FALSE(of("sapphirerapids,-inOrderStores").has(Fact::InOrderStores));
  EXPECT_FALSE(of("x86-64-v3,-half").has(Fact::Half));
  EXPECT_EQ(of("x86-64-v3,-half").features, "");
}

TEST(Target, AdjustedCaches) {
  EXPECT_EQ(of("x86-64-v3").budget(3), 32 << 20);
  EXPECT_EQ(of("x86-64-v3,l3=256M").budget(3), 256 << 20);
  EXPECT_EQ(of("znver5").budget(2), 512 << 10);
  EXPECT_EQ(of("znver5,l2=1M").budget(2), 1 << 20);
  EXPECT_EQ(of("znver5,l2=1M").caches[1].ways, 16);
  EXPECT_EQ(of("cortex-a53").budget(3), 512 << 10);
  EXPECT_EQ(of("x86-64-v3,l1=none").budget(1), of("x86-64-v3,l1=none").budget(3));
}

TEST(Target, UnknownNames) {
  Problem problem = problemOf("x86-64-v5");
  EXPECT_EQ(problem.what, "unknown target 'x86-64-v5'");
  EXPECT_EQ(problem.help.find("did you mean 'x86-64-v2'? targets are host, x86-64-v2, "), 0u) << problem.help;
  EXPECT_EQ(problemOf("z80").help.find("targets are host, "), 0u);
  EXPECT_EQ(problemOf("x86-64").what, "unknown target 'x86-64'");
  EXPECT_EQ(problemOf("").what, "unknown target ''");
}

TEST(Target, UnknownAdjustments) {
  EXPECT_EQ(problemOf("x86-64-v3,+avx3").what, "x86_64 has no feature 'avx3'");
  EXPECT_EQ(problemOf("x86-64-v3,+avx3").help, "did you mean 'avx'?");
  EXPECT_EQ(problemOf("aarch64,+avx2").what, "aarch64 has no feature 'avx2'");
  EXPECT_EQ(problemOf("x86-64-v3,fma").what, "'fma' does not adjust a target");
  EXPECT_EQ(problemOf("x86-64-v3,").what, "'' does not adjust a target");
  EXPECT_EQ(problemOf("x86-64-v3,l3=huge").what, "target x86-64-v3: l3 wants a size such as 512K or 32M, not 'huge'");
  EXPECT_EQ(problemOf("x86-64-v3,abi=mine").what, "target x86-64-v3: abi cannot be set");
  EXPECT_EQ(problemOf("x86-64-v3,cpu=z80").what, "LLVM knows no CPU 'z80' of x86_64");
  EXPECT_EQ(problemOf("x86-64-v3,+avxvnni,cpu=haswell").what, "cpu= stands behind a feature");
  EXPECT_EQ(problemOf("x86-64-v2,-sse2").what, "no code is made for x86-64-v2 without sse2");
  EXPECT_EQ(problemOf("aarch64,-neon").what, "no code is made for aarch64 without neon");
}
