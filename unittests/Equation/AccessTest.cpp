#include "kumiko/Equation/Access.h"
#include "Apply.h"

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

TEST(Access, Window) {
  Instance result = instance("op f(x: T) -> y: T { y(n, o) += x(n, 2*o + 3*k + 1) where k in 2 }", "f32[5,20]");
  auto accesses = accessesOf(result.statements[0]);
  ASSERT_EQ(accesses.size(), 1u);
  const Access &access = accesses[0];
  EXPECT_TRUE(access.isAffine());
  EXPECT_EQ(access.indices[0]->bareLoop(), 0u);
  EXPECT_EQ(access.indices[1]->bareLoop(), std::nullopt);
  EXPECT_EQ(access.indices[1]->constant, Extent(1));
  EXPECT_EQ(access.indices[1]->coefficients[0], Extent(0));
  EXPECT_EQ(access.indices[1]->coefficients[1], Extent(2));
  EXPECT_EQ(access.indices[1]->coefficients[2], Extent(3));
}

TEST(Access, RepeatedReadsAreListedOnce) {
  Instance result = instance("op f(x: T) -> y: T { y(i) = x(i) * x(i) + exp(x(i)) }", "f32[5]");
  EXPECT_EQ(accessesOf(result.statements[0]).size(), 1u);
}

TEST(Access, BroadcastIsAConstant) {
  Instance result = instance("op f(a: T, b: T) -> y: T { y(i...) = a(i...) + b(i...) }", "f32[2,3], f32[2,1]");
  auto accesses = accessesOf(result.statements[0]);
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_TRUE(accesses[1].indices[1]->isConstant());
  EXPECT_FALSE(accesses[0].indices[1]->isConstant());
}

TEST(Access, TuplesAreAffine) {
  Instance result = instance("op f(x: T) -> y: T { y(a, b) = x((a, b)) where b in 4 }", "f32[12]");
  auto accesses = accessesOf(result.statements[0]);
  EXPECT_EQ(accesses[0].indices[0]->coefficients[0], Extent(4));
  EXPECT_EQ(accesses[0].indices[0]->coefficients[1], Extent(1));
}

TEST(Access, ModIsNotAffine) {
  Instance result = instance("op f(x: T) -> y: T { y(i) = x(mod(i, 3)) where i in 9 }", "f32[3]");
  auto accesses = accessesOf(result.statements[0]);
  EXPECT_FALSE(accesses[0].isAffine());
  EXPECT_FALSE(accesses[0].dataDependent);
}

TEST(Access, DataDependentReads) {
  Instance result = instance("op f(x: T, j: i64) -> y: T { y(i, k) = x(j(i), k) }", "f32[5,6], i64[4]");
  auto accesses = accessesOf(result.statements[0]);
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_TRUE(accesses[0].dataDependent);
  EXPECT_FALSE(accesses[0].indices[0].has_value());
  EXPECT_EQ(accesses[0].indices[1]->bareLoop(), 1u);
  EXPECT_TRUE(accesses[1].inIndex);
  EXPECT_TRUE(accesses[1].isAffine());
}

// A conversion of an index in the text does not hide that it is affine.
TEST(Access, ConversionsOfIndices) {
  Instance result = instance("op f(x: T) -> y: T { y(i) = x(i64(i) + 1) }", "f32[5]");
  EXPECT_TRUE(accessesOf(result.statements[0])[0].isAffine());
}

} // namespace
