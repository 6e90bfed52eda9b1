#include "Sample.h"
#include "kumiko/Support/EmitError.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

using namespace kumiko;

TEST(Target, EveryNameMakesAMachine) {
  for (const char *name : {"host", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    auto target = targetNamed(name);
    ASSERT_TRUE(bool(target)) << toString(target.takeError());
    auto machine = createTargetMachine(*target);
    ASSERT_TRUE(bool(machine)) << toString(machine.takeError());
    EXPECT_TRUE((*machine)->isPositionIndependent());
  }
}

TEST(Target, VectorsByLevel) {
  auto bits = [](const char *name) { return llvm::cantFail(targetNamed(name)).vectorBits; };
  EXPECT_EQ(bits("x86-64-v2"), 128u);
  EXPECT_EQ(bits("x86-64-v3"), 256u);
  EXPECT_EQ(bits("x86-64-v4"), 512u);
  EXPECT_EQ(bits("aarch64"), 128u);
  EXPECT_FALSE(llvm::cantFail(targetNamed("x86-64-v2")).hasFma);
  EXPECT_TRUE(llvm::cantFail(targetNamed("aarch64")).hasFma);
}

TEST(Target, WhatRunsHere) {
  EXPECT_TRUE(llvm::cantFail(targetNamed("host")).runsHere());
  bool x86 = llvm::Triple(llvm::sys::getProcessTriple()).isX86();
  EXPECT_EQ(llvm::cantFail(targetNamed("x86-64-v2")).runsHere(), x86);
  EXPECT_EQ(llvm::cantFail(targetNamed("aarch64")).runsHere(), !x86);
}

TEST(Target, CoresWithTheNumberOfAnother) {
  llvm::StringMap<bool> old, halves, both;
  halves["avx512fp16"] = both["avx512fp16"] = both["amx-fp16"] = true;
  EXPECT_EQ(coreOf("rocketlake", /*isIntel=*/true, halves), "sapphirerapids");
  EXPECT_EQ(coreOf("rocketlake", true, both), "graniterapids");
  EXPECT_EQ(coreOf("rocketlake", true, old), "rocketlake");
  EXPECT_EQ(coreOf("emeraldrapids", true, both), "emeraldrapids");
  EXPECT_EQ(coreOf("diamondrapids", true, both), "diamondrapids");
  EXPECT_EQ(coreOf("znver5", /*isIntel=*/false, both), "znver5");
  EXPECT_EQ(coreOf("of-next-year", true, both), "of-next-year");
}

TEST(Target, UnknownNameIsAUsageError) {
  auto target = targetNamed("z80");
  ASSERT_FALSE(bool(target));
  ProblemList problems;
  takeProblems(target.takeError(), problems);
  EXPECT_EQ(problems.exitCode(), 2);
  EXPECT_NE(problems.all()[0].help.find("x86-64-v3"), std::string::npos);
}
