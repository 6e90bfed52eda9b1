#include "Apply.h"

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

TEST(Instantiate, MatrixProduct) {
  EXPECT_EQ(
      shown("op matmul(a: T, b: T) -> y: T { y(p..., m, n) += a(p..., m, k) * b(p..., k, n) }", "f32[8,4], f32[4,16]"),
      "operand a: f32[8,4]\noperand b: f32[4,16]\nresult y: f32[8,16]\n"
      "y[m, n] += (a[m, k] * b[k, n])  m:8 n:16 | k:4\n");
}

TEST(Instantiate, PacksBroadcastAtTheLastDimension) {
  const char *add = "op add(a: T, b: T) -> y: T { y(i...) = a(i...) + b(i...) }";
  EXPECT_EQ(statements(add, "f32[2,1,4], f32[3,1]"), "y[i0, i1, i2] = (a[i0, 0, i2] + b[i1, 0])  i0:2 i1:3 i2:4\n");
  EXPECT_EQ(statements(add, "f32[], f32[3]"), "y[i0] = (a[] + b[i0])  i0:3\n");
  // Extent 0 broadcasts like any other.
  EXPECT_EQ(statements(add, "f32[0], f32[1]"), "y[i0] = (a[i0] + b[0])  i0:0\n");
}

TEST(Instantiate, EqualReadsAreOneNode) {
  Instance result = instance("op square(x: T) -> y: T { y(i...) = x(i...) * x(i...) }", "f32[3]");
  const Expr *product = result.statements[0].values[0];
  EXPECT_EQ(product->operands[0], product->operands[1]);
}

// Rule 4: the window gives the output size, the tightest read counts.
TEST(Instantiate, WindowsFindTheirSize) {
  EXPECT_EQ(
      statements("op f(x: T; n: int, gap: int) -> y: T { y(t) max= x(t + k*gap) where k in n }", "f32[20]; n=4, gap=4"),
      "y[t] max= x[(t + (k * 4))]  t:8 | k:4\n");
  EXPECT_EQ(statements("op f(a: T, b: T) -> y: T { y(t) = a(t + 1) + b(t + 3) }", "f32[20], f32[20]"),
            "y[t] = (a[(t + 1)] + b[(t + 3)])  t:17\n");
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(t) = x(2*t + 1) }", "f32[6]"), "y[t] = x[((2 * t) + 1)]  t:3\n");
  // A window larger than the tensor gives no output.
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(t) += x(t + k) where k in 9 }", "f32[6]"),
            "y[t] += x[(t + k)]  t:0 | k:9\n");
}

// Rule 3: the missing factor of a tuple.
TEST(Instantiate, TuplesSplitAndJoin) {
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(n, c, (h, a)) = x(n, (c, a), h) where a in 2 }", "f32[1,6,5]"),
            "y[n, c, ((h * 2) + a)] = x[n, ((c * 2) + a), h]  n:1 c:3 h:5 a:2\n");
  EXPECT_EQ(statements("op f(x: T) -> y: T { y((i...)) = x(i...) }", "f32[2,3,4]"),
            "y[((((i0 * 3) + i1) * 4) + i2)] = x[i0, i1, i2]  i0:2 i1:3 i2:4\n");
}

// With one group the tuple (g, c) is plainly c, and no loop of one point is left over.
TEST(Instantiate, UnitPartsOfTuplesDisappear) {
  EXPECT_EQ(statements("op f(x: T; g_: int) -> y: T { y((g, c)) = x((g, c)) where g in g_ }", "f32[6]; g_=1"),
            "y[c] = x[c]  c:6\n");
}

TEST(Instantiate, ElseIsDroppedWhereItNeverApplies) {
  const char *pad =
      "op pad(x: T; lo: ints, hi: ints) -> y: T { y(i...) = x(i - lo...) else 0 where i in dims(x) + lo + hi }";
  EXPECT_EQ(statements(pad, "f32[4,5]; lo=[1,0], hi=[0,0]"), "y[i0, i1] = x[(i0 - 1), i1] else 0.0  i0:5 i1:5\n");
  EXPECT_EQ(statements(pad, "f32[4,5]; lo=[0,0], hi=[0,0]"), "y[i0, i1] = x[i0, i1]  i0:4 i1:5\n");
  EXPECT_EQ(statements(pad, "f32[4,5]; lo=[-1,0], hi=[0,-2]"), "y[i0, i1] = x[(i0 - -1), i1]  i0:3 i1:3\n");
  // Nothing is inside an empty tensor.
  EXPECT_EQ(statements(pad, "f32[0,5]; lo=[1,0], hi=[1,0]"), "y[i0, i1] = 0.0  i0:2 i1:5\n");
  const char *with = "op pad(x: T, v: T; lo: ints) -> y: T { y(i...) = x(i - lo...) else v where i in dims(x) + lo }";
  EXPECT_EQ(statements(with, "b1[0], b1[]; lo=[2]"), "y[i0] = v[]  i0:2\n");
}

TEST(Instantiate, AbsentOperandsLeaveNoTrace) {
  const char *text =
      "op f(x: T, bias?: T, gain?: T) -> y: T { y(n, c) = x(n, c) * (gain(c) else 1) + (bias(c) else 0) }";
  EXPECT_EQ(statements(text, "f32[2,3], -, -"), "y[n, c] = x[n, c]  n:2 c:3\n");
  EXPECT_EQ(statements(text, "f32[2,3]"), "y[n, c] = x[n, c]  n:2 c:3\n");
  EXPECT_EQ(statements(text, "f32[2,3], f32[3], -"), "y[n, c] = (x[n, c] + bias[c])  n:2 c:3\n");
}

TEST(Instantiate, ConditionsOnAttributesAreTaken) {
  const char *text = "op f(x: T; up: bool, mode: str) -> y: T {\n"
                     "  y(i) = mode == \"exp\" ? exp(x(i)) : up and x(i) > 0 ? x(i) + 1 : x(i)\n}";
  EXPECT_EQ(statements(text, "f32[2]; up=true, mode=exp"), "y[i] = exp(x[i])  i:2\n");
  EXPECT_EQ(statements(text, "f32[2]; up=false, mode=no"), "y[i] = x[i]  i:2\n");
  EXPECT_EQ(statements(text, "f32[2]; up=true, mode=no"), "y[i] = ((x[i] > 0.0) ? (x[i] + 1.0) : x[i])  i:2\n");
}

TEST(Instantiate, ConditionsInWhereStay) {
  EXPECT_EQ(
      statements("op f(x: T; strict: bool) -> y: T { y(j) += x(k) where j in dim(x, 0), strict ? k < j : k <= j }",
                 "f32[5]; strict=true"),
      "y[j] += x[k] where (k < j)  j:5 | k:5\n");
}

const char *const stages = "op f(x: T) -> (y: T, mean: T, none: T) {\n"
                           "  s(i) += x(i, k)\n"
                           "  mean(i) = s(i) / dim(x, 1)\n"
                           "  y(i, k) = x(i, k) - mean(i)\n"
                           "  none(i) = exp(s(i))\n}";

TEST(Instantiate, StatementsNobodyNeedsAreDropped) {
  bool onlyMean[] = {false, true, false};
  EXPECT_EQ(shown(stages, "f32[2,3]", onlyMean), "operand x: f32[2,3]\nresult mean: f32[2]\ntemporary s: f32[2]\n"
                                                 "s[i] += x[i, k]  i:2 | k:3\nmean[i] = (s[i] / 3.0)  i:2\n");
  // A result that is not wanted but read by another statement is a temporary.
  bool onlyY[] = {true, false, false};
  Instance result = instance(stages, "f32[2,3]", onlyY);
  EXPECT_EQ(result.statements.size(), 3u);
  EXPECT_EQ(result.tensors[2].name, "mean");
  EXPECT_EQ(result.tensors[2].role, Tensor::Role::Temporary);
  EXPECT_EQ(result.tensors[3].name, "none");
  EXPECT_FALSE(result.tensors[3].present);
}

TEST(Instantiate, ShapesOfDeadStatementsCanBeAskedFor) {
  EXPECT_EQ(statements("op f(x: T) -> y: T { u(i, j) = x((i, j)) where j in 2\n y(k) = x(k) * dim(u, 0) }", "f32[6]"),
            "y[k] = (x[k] * 3.0)  k:6\n");
}

TEST(Instantiate, ArgMaxHasTwoTargets) {
  const char *text = "op f(x: T) -> (y: i64, best: T) { best(i), y(i) max= x(i, k), k }";
  EXPECT_EQ(statements(text, "f32[2,3]"), "best[i], y[i] max= x[i, k], i64(k)  i:2 | k:3\n");
  bool onlyBest[] = {false, true};
  EXPECT_EQ(statements(text, "f32[2,3]", onlyBest), "best[i] max= x[i, k]  i:2 | k:3\n");
  bool onlyPosition[] = {true, false};
  Instance result = instance(text, "f32[2,3]", onlyPosition);
  EXPECT_EQ(result.statements[0].targets.size(), 2u);
  EXPECT_EQ(result.tensors[2].role, Tensor::Role::Temporary);
}

TEST(Instantiate, ConcatIsOneStatementPerOperand) {
  const char *text =
      "op concat(xs...: T; axis: int) -> y: T { y(i..., offset(xs, axis, v) + j at axis) = xs[v](i..., j at axis) }";
  EXPECT_EQ(shown(text, "f32[2,3], f32[2,1]; axis=1"),
            "operand xs0: f32[2,3]\noperand xs1: f32[2,1]\nresult y: f32[2,4]\n"
            "y[i0, j] = xs0[i0, j]  scattered i0:2 j:3\n"
            "y[i0, (3 + j)] ...= xs1[i0, j]  scattered i0:2 j:1\n");
}

TEST(Instantiate, VariadicOperandsCombine) {
  EXPECT_EQ(shown("op sum(xs...: T) -> y: T { y(i...) += xs[v](i...) }", "f32[3], f32[2,1], f32[]"),
            "operand xs0: f32[3]\noperand xs1: f32[2,1]\noperand xs2: f32[]\nresult y: f32[2,3]\n"
            "y[i0, i1] += xs0[i1]  i0:2 i1:3\n"
            "y[i0, i1] ...+= xs1[i0, 0]  i0:2 i1:3\n"
            "y[i0, i1] ...+= xs2[]  i0:2 i1:3\n");
}

TEST(Instantiate, ScattersSayWhereTheyStart) {
  EXPECT_EQ(statements("op f(x: T, at_: i64, u: T) -> y: T { y(wrap(at_(i), dim(x, 0))) += u(i) into x }",
                       "f32[9], i64[4], f32[4]"),
            "y[index(((at_[i] < 0) ? (at_[i] + 9) : at_[i]))] += u[i] into x  scattered i:4\n");
  EXPECT_EQ(statements("op f(x: T; n: int) -> y: T { y(2*i + k) += x(i) where k in 3, y : (n) }", "f32[4]; n=9"),
            "y[((2 * i) + k)] += x[i]  scattered i:4 k:3\n");
}

// Gradients write through broadcasting: the loops that the target lacks are reduced.
TEST(Instantiate, BroadcastOnTheLeftReduces) {
  Instance result = instance("op f(d: T, b: T) -> y: T { y(i...) += d(i...) where y like b }", "f32[2,3,4], f32[3,1]");
  const Statement &statement = result.statements[0];
  EXPECT_EQ(statement.kept, 1u);
  EXPECT_EQ(statement.loops.size(), 3u);
  EXPECT_TRUE(statement.computedLeft);
  EXPECT_EQ(str(result), "operand d: f32[2,3,4]\noperand b: f32[3,1]\nresult y: f32[3,1]\n"
                         "y[i1, 0] += d[i0, i1, i2]  scattered i1:3 | i0:2 i2:4\n");
}

TEST(Instantiate, BuiltInsBecomeArithmetic) {
  EXPECT_EQ(statements("op f(x: T; lo: float) -> y: T { y(i) = clamp(x(i), lo, inf) }", "f32[2]; lo=-1"),
            "y[i] = min(max(x[i], -1.0), inf)  i:2\n");
  EXPECT_EQ(statements("op f(x: T) -> y: i64 { y(n, i...) = pos(x(n, i...)) }", "f32[2,3,4]"),
            "y[n, i0, i1] = i64(((((n * 3) + i0) * 4) + i1))  n:2 i0:3 i1:4\n");
  EXPECT_EQ(
      statements("op f(x: T; hi: ints) -> y: b1 { y(i...) = x(i...) > 0 and all(i < hi...) }", "f32[2,3]; hi=[1,2]"),
      "y[i0, i1] = ((x[i0, i1] > 0.0) & ((i0 < 1) & (i1 < 2)))  i0:2 i1:3\n");
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(i) = x(i) else lowest(T) where i in 9 }", "i8[2]"),
            "y[i] = x[i] else -128  i:9\n");
}

// Reads inside pack items are zipped with the pack around them.
TEST(Instantiate, NestedPacks) {
  EXPECT_EQ(statements(
                "op f(x: T, at_: i64) -> y: T { y(j..., p...) = x(wrap(at_(j..., iota(2)), dims(x, iota(2)))..., p...) "
                "where rank j = 1 }",
                "f32[4,5,6], i64[7,2]"),
            "y[j0, p0] = x[index(((at_[j0, 0] < 0) ? (at_[j0, 0] + 4) : at_[j0, 0])), "
            "index(((at_[j0, 1] < 0) ? (at_[j0, 1] + 5) : at_[j0, 1])), p0]  j0:7 p0:6\n");
  EXPECT_EQ(statements("op f(x: T, t: i64) -> y: T { y(i...) = x(t(i)...) }", "f32[8,9], i64[5]"),
            "y[i0, i1] = x[index(t[i0]), index(t[i1])]  i0:5 i1:5\n");
}

TEST(Instantiate, RankZero) {
  EXPECT_EQ(statements("op f(x: T) -> y: T { y = exp(x) }", "f32[]"), "y[] = exp(x[]) \n");
  EXPECT_EQ(statements("op f(x: T) -> y: T { y += x(i...) }", "f32[2,3]"), "y[] += x[i0, i1]  | i0:2 i1:3\n");
}

// inferResults and instantiate agree; a wrong rank is caught by both.
TEST(Instantiate, InferringIsEnoughForTypes) {
  OpDef softmax = builtin("softmax");
  EXPECT_EQ(results(softmax, "f32[2,3]; axis=1"), "f32[2,3]");
  EXPECT_NE(results(softmax, "f32[2,3]; axis=5").find("position 5"), std::string::npos);
}

} // namespace
