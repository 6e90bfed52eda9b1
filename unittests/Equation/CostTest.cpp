#include "kumiko/Equation/Cost.h"
#include "Apply.h"

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

TEST(Cost, MatrixProduct) {
  Cost cost = costOf(instance(builtin("matmul"), "f32[8,4], f32[4,16]"));
  EXPECT_EQ(cost.flops, Extent(2 * 8 * 4 * 16));
  EXPECT_EQ(cost.bytesFused, Extent(4 * (8 * 4 + 4 * 16 + 8 * 16)));
  EXPECT_EQ(cost.bytesUnfused, cost.bytesFused);
}

TEST(Cost, TemporariesCountWithoutFusion) {
  // m: read x, write m. e: read x and m, write e. s: read e, write s. y: read e and s, write y.
  Cost cost = costOf(instance(builtin("softmax"), "f32[2,3]; axis=1"));
  EXPECT_EQ(cost.bytesFused, Extent(4 * (6 + 6)));
  EXPECT_EQ(cost.bytesUnfused, Extent(4 * ((6 + 2) + (6 + 2 + 6) + (6 + 2) + (6 + 2 + 6))));
  // max 1, sub and exp 2, sum 1, division 1 per element.
  EXPECT_EQ(cost.flops, Extent(6 * 5));
}

TEST(Cost, IndexArithmeticIsFree) {
  Instance result = instance("op f(x: T) -> y: T { y(i) = x(mod(3*i, 4)) + 1 where i in 8 }", "f32[4]");
  EXPECT_EQ(operationsPerPoint(result.statements[0]), 1);
  EXPECT_EQ(pointsOf(result.statements[0]), Extent(8));
}

TEST(Cost, RepeatedValuesCountOnce) {
  Instance result = instance("op f(x: T) -> y: T { y(i) = exp(x(i)) * exp(x(i)) }", "f32[4]");
  EXPECT_EQ(flopsOf(result.statements[0]), Extent(8));
}

TEST(Cost, ElementSizes) {
  EXPECT_EQ(bytesOf(typeOf("f16[3,5]")), Extent(30));
  EXPECT_EQ(bytesOf(typeOf("i4[3]")), Extent(3));
  EXPECT_EQ(bytesOf(typeOf("f32[N,4]")).str(), "16*N");
}

TEST(Cost, WithSymbols) {
  EXPECT_EQ(costOf(instance(builtin("matmul"), "f32[B,M,K], f32[K,N]")).flops.str(), "2*B*K*M*N");
}

} // namespace
