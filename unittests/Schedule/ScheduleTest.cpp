//===- ScheduleTest.cpp - schedules as data --------------------------------===//
#include "kumiko/Schedule/Schedule.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace kumiko;

// 49 = 4 x 6 + 5 x 5: no block is a slow remainder.
TEST(BalancedBlocks, SizesDifferByOne) {
  BalancedBlocks blocks(49, 6);
  EXPECT_EQ(blocks.count, 9);
  EXPECT_EQ(blocks.size, 5);
  EXPECT_EQ(blocks.big, 4);
}

TEST(BalancedBlocks, EveryTotalIsCovered) {
  for (int64_t total = 0; total < 200; ++total) {
    BalancedBlocks blocks(total, 6);
    EXPECT_EQ(blocks.big * (blocks.size + 1) + (blocks.count - blocks.big) * blocks.size, total);
    if (total > 0)
      EXPECT_LE(blocks.size + (blocks.big != 0), 6);
  }
}

// A size that typical inputs leave nothing of is looked at with larger inputs; a batch is one all the same.
TEST(TypicalSize, IsNeverThatOfAnEmptyTensor) {
  Extent samples = Extent::symbol("samples"), batch = Extent::symbol("batch_size");
  EXPECT_EQ(typicalSize(7), 7);
  EXPECT_EQ(typicalSize(samples), 128);
  EXPECT_EQ(typicalSize(batch), 1);
  EXPECT_EQ(typicalSize(floorDiv(samples - 32, 160) - 2), 23);
  EXPECT_EQ(typicalSize(batch * (floorDiv(samples, 1000) - 5)), 126);
  // What looks like a batch and would leave nothing as one is no batch.
  Extent recording = Extent::symbol("N");
  EXPECT_EQ(typicalSize(recording), 1);
  EXPECT_EQ(typicalSize(floorDiv(recording - 240, 160)), 24);
}

TEST(Schedule, RoundTripThroughAttribute) {
  mlir::MLIRContext context;
  Schedule schedule;
  schedule.kind = KernelKind::Contraction;
  schedule.tileRows = 5;
  schedule.chunkPanels = 7;
  schedule.packed = true;
  schedule.chunks = 42;
  mlir::FailureOr<Schedule> copy = Schedule::fromAttribute(schedule.toAttribute(&context));
  ASSERT_TRUE(mlir::succeeded(copy));
  EXPECT_EQ(copy->kind, KernelKind::Contraction);
  EXPECT_EQ(copy->tileRows, 5);
  EXPECT_EQ(copy->chunkPanels, 7);
  EXPECT_TRUE(copy->packed);
  EXPECT_FALSE(copy->prefetch);
  EXPECT_EQ(copy->chunks, 42);
}

// What a user writes may be wrong: no number below zero, no unknown template.
TEST(Schedule, BadAttributesAreRefused) {
  mlir::MLIRContext context;
  mlir::Builder b(&context);
  auto dictionary = [&](llvm::StringRef name, int64_t chunks) {
    return b.getDictionaryAttr(
        {b.getNamedAttr("template", b.getStringAttr(name)), b.getNamedAttr("chunks", b.getI64IntegerAttr(chunks))});
  };
  EXPECT_TRUE(mlir::failed(Schedule::fromAttribute({})));
  EXPECT_TRUE(mlir::failed(Schedule::fromAttribute(dictionary("spiral", 1))));
  EXPECT_TRUE(mlir::failed(Schedule::fromAttribute(dictionary("points", -1))));
  EXPECT_TRUE(mlir::succeeded(Schedule::fromAttribute(dictionary("points", 1))));
}
