#include "kumiko/Target/Host.h"
#include "kumiko/Target/CpuFeatures.h"
#include "gtest/gtest.h"

using namespace kumiko;

/// A machine that has what LLVM says of the CPU, and nothing else.
static HostFacts machineWith(llvm::StringRef cpu, llvm::StringRef triple = "x86_64-unknown-linux-gnu") {
  HostFacts facts;
  facts.triple = llvm::Triple(triple);
  facts.cpu = cpu.str();
  llvm::StringSet<> has = featuresOf(facts.triple, cpu);
  for (llvm::StringRef name : knownFeatures(facts.triple))
    facts.features[name] = has.contains(name);
  return facts;
}

TEST(Host, ACoreOfTheTableIsItsRow) {
  EXPECT_EQ(spellHost(machineWith("znver4")), "znver4");
  EXPECT_EQ(spellHost(machineWith("cortex-a76", "aarch64-unknown-linux-gnu")), "cortex-a76");
}

TEST(Host, WhatDiffersIsSpelled) {
  HostFacts facts = machineWith("znver5");
  facts.features["sha"] = false;
  facts.features["amx-tile"] = true;
  EXPECT_EQ(spellHost(facts), "znver5,+amx-tile,-sha");
}

TEST(Host, ACoreWithoutARowIsOneOfAnyCore) {
  EXPECT_EQ(spellHost(machineWith("skylake-avx512")), "x86-64-v4,cpu=skylake-avx512");
  EXPECT_EQ(spellHost(machineWith("haswell")), "x86-64-v3,cpu=haswell");
  EXPECT_EQ(spellHost(machineWith("ivybridge")), "x86-64-v2,cpu=ivybridge");
  EXPECT_EQ(spellHost(machineWith("cortex-a72", "aarch64-unknown-linux-gnu")), "aarch64,cpu=cortex-a72");
}

TEST(Host, ARowStandsForThoseThatFollowed) {
  EXPECT_EQ(spellHost(machineWith("emeraldrapids")), "sapphirerapids,cpu=emeraldrapids");
}

TEST(Host, CoresWithTheNumberOfAnother) {
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

TEST(Host, ASpellingStandsForTheSameTarget) {
  Target host = llvm::cantFail(targetNamed("host"));
  EXPECT_EQ(llvm::cantFail(rowNamed(host.spelled)).spelled, host.spelled);
  EXPECT_TRUE(bool(runsHere(host))) << runsHere(host).why().str();
}

TEST(Host, WhatRunsHere) {
  bool x86 = hostArchitecture() == "x86_64";
  EXPECT_EQ(bool(runsHere(llvm::cantFail(targetNamed("x86-64-v2")))), x86);
  EXPECT_EQ(bool(runsHere(llvm::cantFail(targetNamed("aarch64")))), !x86);
  // No core has both.
  Decision runs = runsHere(llvm::cantFail(targetNamed(x86 ? "x86-64-v2,+xop,+amx-fp16" : "aarch64,+sve2p1,+mops")));
  EXPECT_NE(runs.why().find("it has no "), llvm::StringRef::npos) << runs.why().str();
}
