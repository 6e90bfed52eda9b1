#include "Apply.h"

using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

const char *const matmul = "op matmul(a: T, b: T) -> y: T { y(p..., m, n) += a(p..., m, k) * b(p..., k, n) }";

TEST(InstantiateErrors, NumbersOnBothSides) {
  EXPECT_EQ(refusal(matmul, "f32[8,3], f32[4,16]"),
            "matmul: index k is 3 in a but 4 in b, in `y(p..., m, n) += a(p..., m, k) * b(p..., k, n)`");
  EXPECT_EQ(refusal(matmul, "f32[2,8,3], f32[5,3,16]"),
            "matmul: index p0 is 2 in a but 5 in b, in `y(p..., m, n) += a(p..., m, k) * b(p..., k, n)`");
  EXPECT_EQ(refusal(matmul, "f32[3], f32[3,4]"),
            "matmul: a has rank 1 but is indexed with 2, in `y(p..., m, n) += a(p..., m, k) * b(p..., k, n)`");
}

struct Case {
  const char *op, *given, *expected;
};
class Refusals : public testing::TestWithParam<Case> {};
TEST_P(Refusals, SayWhy) {
  const Case &row = GetParam();
  std::string text = "op f" + std::string(row.op);
  EXPECT_EQ(llvm::StringRef(refusal(text, row.given)).split(", in `").first.str(), row.expected);
}

const Case application[] = {
    {"(a: T, b: T) -> y: T { y(i) = a(i) }", "f32[2]", "f: operand b is missing"},
    {"(a: T) -> y: T { y(i) = a(i) }", "f32[2], f32[2]", "f: takes 1 operands, 2 are given"},
    {"(a: T, b: T) -> y: T { y(i) = a(i) }", "f32[2], i64[2]", "f: operand b is i64 but T is f32"},
    {"(a: i64) -> y: i64 { y(i) = a(i) }", "f32[2]", "f: operand a is f32 but must be i64"},
    {"(a: T; n: int) -> y: T { y(i) = a(i) }", "f32[2]", "f: attribute n is not given"},
    {"(a: T; n: combine) -> y: T { y(i) [n]= a(i) }", "f32[2]; n=plus",
     "f: attribute n is not a value of type combine (one of + * max min and or set)"},
    {"(a: T) -> y: T { y(i) = a(i) }", "f32[2]; n=3", "f: there is no attribute n"},
    {"(a: T) -> y: T { y(i) = a(i) }", "f32[-2]", "f: operand a has a dimension of -2"},
    {"(a?: T) -> y: i64 { y(i) = i64(a(i)) where i in 3 }", "-", "f: operand a is absent; write `a(i) else ...`"},
    {"(xs...: T) -> y: T { y(i) += xs[v](i) }", "", "f: the type T of result y is not known"},
};
INSTANTIATE_TEST_SUITE_P(Application, Refusals, testing::ValuesIn(application));

const Case ranges[] = {
    {"(x: T) -> y: T { y(i, j) = x(i) }", "f32[2]", "f: the range of index j is unknown; add `where j in ...`"},
    {"(x: T) -> y: T { y(i) += x(i, k) * x(k, i) }", "f32[2,3]", "f: index k is 3 in x but 2 in x"},
    {"(x: T) -> y: T { y(i) = x(i + 1) where i in dim(x, 0) }", "f32[4]",
     "f: index i + 1 of x runs from 1 to 4 but the dimension is 4; write `x(i + 1) else ...`"},
    // A bare tap fixes the extent.
    {"(x: T) -> y: T { y(i) = x(i) + x(i + 1) }", "f32[4]",
     "f: index i + 1 of x runs from 1 to 4 but the dimension is 4; write `y(i) = x(i) + x(i + 1)  where i in dim(x, 0) "
     "- "
     "1`, as x(i) lets i run over all of it, or `x(i + 1) else ...`"},
    {"(x: T) -> y: T { y(i, j) += x(i, j) * x(i, j + k)  where k in 3 }", "f32[2,9]",
     "f: index j + k of x runs from 0 to 10 but the dimension is 9; write `y(i, j) += x(i, j) * x(i, j + k) where k in "
     "3, "
     "j in dim(x, 1) - 2`, as x(i, j) lets j run over all of it, or `x(i, j + k) else ...`"},
    {"(x: T) -> y: T { y(i, j) = x(i + 1, j) + x(i, j + 1) + x(i + 2, j + 1) + x(i + 1, j + 3) }", "f32[4,9]",
     "f: index i + 1 of x runs from 1 to 4 but the dimension is 4; write `y(i, j) = x(i + 1, j) + x(i, j + 1) + x(i + "
     "2, j + "
     "1) + x(i + 1, j + 3)  where j in dim(x, 1) - 3, i in dim(x, 0) - 2`, as x(i, j + 1) lets i run over all of it, "
     "or "
     "`x(i + 1, j) else ...`"},
    {"(x: T) -> y: T { y(i) = x(i) - x(i - 1) }", "f32[4]",
     "f: index i - 1 of x runs from -1 to 2 but the dimension is 4; write i as the first place that is read, as x(i) "
     "lets "
     "i run over all of it, or `x(i - 1) else ...`"},
    {"(x: T) -> y: T { y(i) = x(i) where i in 9 }", "f32[4]",
     "f: index i of x runs from 0 to 8 but the dimension is 4; write `x(i) else ...`"},
    {"(x: T) -> y: T { y(i) = x(i*i) where i in 2 }", "f32[1]",
     "f: index i*i of x runs from 0 to 1 but the dimension is 1; write `x(i*i) else ...`"},
    {"(x: T) -> y: T { y(n, a) += x(n, (a, b)) where a in 3, b in 2 }", "f32[4,7]",
     "f: the tuple covers 6 but the dimension of x is 7"},
    {"(x: T) -> y: T { y(n, a) += x(n, (a, b)) where b in 2 }", "f32[4,7]",
     "f: the dimension of x is 7, which is not a multiple of 2, so index a has no range"},
    {"(x: T; axis: int) -> y: T { y(i...) += x(i..., k at axis) }", "f32[2,3]; axis=2",
     "f: position 2 is outside a list of 2 indices"},
    {"(x: T; axis: int) -> y: T { y(i...) += x(i..., k at axis) }", "f32[2,3]; axis=-1",
     "f: position -1 is outside a list of 2 indices"},
    {"(x: T; p: ints) -> y: T { y(i...) = x(i... at p) }", "f32[2,3]; p=[0,0]", "f: two indices are at position 0"},
    {"(x: T; p: ints) -> y: T { y(i...) = x(i... at p) }", "f32[2,3]; p=[0]", "f: x has rank 2 but is indexed with 1"},
    {"(x: T; n: int) -> y: T { y(i) = x(i) * dim(x, n) }", "f32[2]; n=1", "f: dimension 1 of x, which has rank 1"},
    {"(x: T; lo: ints) -> y: T { y(i...) = x(i - lo...) else 0 where i in dims(x) }", "f32[2,3]; lo=[1]",
     "f: 'lo' has 1 elements, the pack has more"},
    {"(x: T; s: ints) -> y: T { y(i...) = x(i...) where i in s }", "f32[2,3]; s=[3]",
     "f: x has rank 2 but is indexed with 1"},
    {"(x: T) -> y: T { y(i) = x }", "f32[4]", "f: x has rank 1 and needs indices"},
    {"(x: T; k: combine) -> y: T { y(i) [k]= x(i, j) }", "f32[4,2]; k=set",
     "f: index j is not on the left of `=`; to sum over it write `+=`"},
    {"(xs...: T; axis: int) -> y: T { y(i..., offset(xs, axis, v) + j at axis) = xs[v](i..., j at axis) }",
     "f32[2,3], f32[3,3]; axis=1", "f: dimension 0 is 2 in operand 0 but 3 in operand 1"},
};

INSTANTIATE_TEST_SUITE_P(Ranges, Refusals, testing::ValuesIn(ranges));

const Case hostile[] = {
    {"(x: T; n: int) -> y: T { y(i) = x(floordiv(i, n)) else 0 where i in 3 }", "f32[3]; n=0",
     "f: 'floordiv(i, n)' divides by zero"},
    {"(x: T; n: int) -> y: T { y(i) = x(i) / n }", "i32[3]; n=0", "f: 'x(i) / n' divides by zero"},
    {"(x: T; n: int) -> y: T { y(i, j) = x(i) where j in n }", "f32[4294967296]; n=4294967296",
     "f: y would have more elements than can be counted"},
    {"(x: T; n: int) -> y: T { y(i) = x(i) else 0 where i in n * n }", "f32[3]; n=4294967296",
     "f: 'n * n' does not fit in 64 bits"},
    {"(x: T; n: int) -> y: T { y(i) = x(i) else 0 where i in 3 / n }", "f32[3]; n=0",
     "f: '3 / n' does not fit in 64 bits"},
    {"(x: T; n: int) -> y: T { y(i...) = x(i...) else 0 where rank i = n }", "f32[3]; n=100000000",
     "f: the rank of i cannot be 100000000"},
    {"(x: T; n: int) -> y: T { y(i) = x(iota(n)...) where i in 3 }", "f32[3]; n=1000000000",
     "f: how many dimensions an item has depends on a size that is open or too large"},
};
INSTANTIATE_TEST_SUITE_P(Hostile, Refusals, testing::ValuesIn(hostile));

// Large numbers that stand where nothing is multiplied are no reason to refuse.
TEST(InstantiateErrors, LargeRangesAlone) {
  EXPECT_EQ(
      statements("op f(x: T; n: int) -> y: T { y(i) = x(i + n) else 0 where i in n }", "f32[3]; n=9223372036854775807"),
      "y[i] = x[(i + 9223372036854775807)] else 0.0  i:9223372036854775807\n");
}

} // namespace
