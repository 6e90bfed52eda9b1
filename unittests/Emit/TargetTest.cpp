#include "Sample.h"
#include "kumiko/Emit/EmitError.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Target/TargetMachine.h"
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

TEST(Target, UnknownNameIsAUsageError) {
  auto target = targetNamed("z80");
  ASSERT_FALSE(bool(target));
  ProblemList problems;
  takeProblems(target.takeError(), problems);
  EXPECT_EQ(problems.exitCode(), 2);
  EXPECT_NE(problems.all()[0].help.find("x86-64-v3"), std::string::npos);
}
