//===- FormTest.cpp - linear positions over loop variables -----------------===//
#include "kumiko/Codegen/Cpu/Form.h"
#include "kumiko/Codegen/Cpu/Reads.h"
#include "gtest/gtest.h"

using namespace kumiko::cpu;

TEST(Form, SumsMergeTermsAndDropZeros) {
  Form sum = Form::ofSlot(1, 3) + Form::ofSlot(0, 2) + Form(5) + Form::ofSlot(1, -3);
  ASSERT_EQ(sum.terms.size(), 1u);
  EXPECT_EQ(sum.coefficientOf(0), 2);
  EXPECT_EQ(sum.coefficientOf(1), 0);
  EXPECT_EQ(sum.constant, 5);
}

TEST(Form, LanesBecomeConstants) {
  Form form = Form::ofSlot(0);
  form.lane = 3;
  Form third = (form * 2).atLane(2);
  EXPECT_EQ(third.lane, 0);
  EXPECT_EQ(third.constant, 12);
  EXPECT_EQ(third.coefficientOf(0), 2);
}

TEST(Form, RowMajorOffset) {
  Form offset = linearize({Form::ofSlot(0), Form(1), Form::ofSlot(1)}, {2, 3, 4});
  EXPECT_EQ(offset.coefficientOf(0), 12);
  EXPECT_EQ(offset.coefficientOf(1), 1);
  EXPECT_EQ(offset.constant, 4);
}

TEST(Form, AffineExpressionsThatAreNotLinear) {
  mlir::MLIRContext context;
  mlir::AffineExpr d0 = mlir::getAffineDimExpr(0, &context);
  EXPECT_TRUE(applyLinear(d0 * 2 + 1, {Form::ofSlot(0)}));
  EXPECT_FALSE(applyLinear(d0.floorDiv(2), {Form::ofSlot(0)}));
  EXPECT_EQ(applyLinear(d0.floorDiv(2), {Form(7)})->constant, 3);
  EXPECT_EQ(applyLinear(d0 % 4, {Form(7)})->constant, 3);
}

// Dense rows merge; a window, where neighbouring rows overlap, does not.
TEST(MergeLoops, OnlyWhatEveryReadTreatsAsOne) {
  Storage storage;
  Reads dense(2, storage);
  dense.forms.push_back(linearize({Form::ofSlot(0), Form::ofSlot(1)}, {4, 8}));
  llvm::SmallVector<MergedLoop> merged = mergeLoops(dense, {0, 1}, {4, 8});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].loop, 1u);
  EXPECT_EQ(merged[0].extent, 32);

  Reads window(2, storage);
  window.forms.push_back(Form::ofSlot(0) + Form::ofSlot(1));
  EXPECT_EQ(mergeLoops(window, {0, 1}, {4, 8}).size(), 2u);
}

TEST(MergeLoops, TiedLoopsStay) {
  Storage storage;
  Reads reads(2, storage);
  reads.forms.push_back(linearize({Form::ofSlot(0), Form::ofSlot(1)}, {4, 8}));
  reads.tied.set(1);
  EXPECT_EQ(mergeLoops(reads, {0, 1}, {4, 8}).size(), 2u);
}
