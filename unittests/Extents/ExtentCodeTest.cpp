//===- ExtentCodeTest.cpp - extents as steps of a stack machine ------------===//
#include "kumiko/Extents/ExtentCode.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <vector>

using namespace kumiko;

static int64_t valueOf(llvm::StringRef name) { return name == "batch" ? 3 : 7; }

static int64_t run(const Extent &extent) {
  std::vector<int64_t> stack;
  for (const ExtentStep &step : codeOf(extent)) {
    if (step.kind == ExtentStep::Kind::Constant) {
      stack.push_back(step.value);
      continue;
    }
    if (step.kind == ExtentStep::Kind::Symbol) {
      stack.push_back(valueOf(step.name));
      continue;
    }
    int64_t b = stack.back();
    stack.pop_back();
    int64_t &a = stack.back();
    switch (step.kind) {
    case ExtentStep::Kind::Add:
      a += b;
      break;
    case ExtentStep::Kind::Multiply:
      a *= b;
      break;
    case ExtentStep::Kind::FloorDiv:
      a = a >= 0 ? a / b : -((-a + b - 1) / b);
      break;
    case ExtentStep::Kind::Max:
      a = std::max(a, b);
      break;
    case ExtentStep::Kind::Min:
      a = std::min(a, b);
      break;
    default:
      a = a == 1 ? b : a;
    }
  }
  EXPECT_EQ(stack.size(), 1u);
  return stack.back();
}

TEST(ExtentCode, StepsGiveTheValue) {
  Extent batch = Extent::symbol("batch"), seq = Extent::symbol("seq");
  const Extent extents[] = {0,
                            -5,
                            batch,
                            batch * seq * 2 + Extent(1),
                            batch - seq - Extent(4),
                            ceilDiv(seq, 2) * batch,
                            floorDiv(batch - seq, 3),
                            max(batch, min(seq * seq, 40)) - mod(seq, batch),
                            Extent::broadcast(batch, seq)};
  for (const Extent &extent : extents)
    EXPECT_EQ(run(extent), extent.evaluate([](llvm::StringRef name) { return std::optional(valueOf(name)); }))
        << extent.str();
}
