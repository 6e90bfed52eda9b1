// `at` and the position of channels.
#include "Apply.h"

using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

const char *const conv = "op conv(x: T, w: T, bias?: T; stride: ints, dilation: ints, lo: ints, hi: ints, group: int = "
                         "1, channel: int = 1) -> y: T {\n"
                         "  p(n, i..., c at channel) = x(n, i - lo..., c at channel) else 0  where i in drop(dims(x, "
                         "1), channel - 1) + lo + hi\n"
                         "  s(n, o..., (g, f) at channel) += p(n, o*stride + k*dilation..., (g, c) at channel) * w((g, "
                         "f), c, k...)  where g in group\n"
                         "  y(n, o..., f at channel) = s(n, o..., f at channel) + (bias(f) else 0)\n}";

TEST(Layout, ChannelsAnywhere) {
  std::string attributes = "; stride=[2,1], dilation=[1,1], lo=[1,0], hi=[1,0], group=2";
  OpDef op = test::op(conv);
  EXPECT_EQ(results(op, "f32[5,6,8,9], f32[4,3,3,2], f32[4]" + attributes), "f32[5,4,4,8]");
  EXPECT_EQ(results(op, "f32[5,8,9,6], f32[4,3,3,2], f32[4]" + attributes + ", channel=3"), "f32[5,4,8,4]");
  EXPECT_EQ(results(op, "f32[5,8,6,9], f32[4,3,3,2], f32[4]" + attributes + ", channel=2"), "f32[5,4,4,8]");
}

TEST(Layout, LoopsFollowTheFinishedList) {
  std::string attributes = "; stride=[1,1], dilation=[1,1], lo=[0,0], hi=[0,0], channel=3";
  EXPECT_EQ(statements(conv, "f32[1,8,9,3], f32[4,3,3,2]" + attributes),
            "p[n, i0, i1, c] = x[n, i0, i1, c]  n:1 i0:8 i1:9 c:3\n"
            "s[n, o0, o1, f] += (p[n, (o0 + k0), (o1 + k1), c] * w[f, c, k0, k1])  n:1 o0:6 o1:8 f:4 | k0:3 k1:2 c:3\n"
            "y[n, o0, o1, f] = s[n, o0, o1, f]  n:1 o0:6 o1:8 f:4\n");
}

TEST(Layout, PositionsAreThoseOfTheFinishedList) {
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(i..., k at 1) = x(k at 0, i...) }", "f32[5,6,7]"),
            "y[i0, k, i1] = x[k, i0, i1]  i0:6 k:5 i1:7\n");
  EXPECT_EQ(statements("op f(x: T; perm: ints) -> y: T { y(i...) = x(i... at perm) }", "f32[5,6,7]; perm=[2,0,1]"),
            "y[i0, i1, i2] = x[i1, i2, i0]  i0:7 i1:5 i2:6\n");
  EXPECT_EQ(statements("op f(x: T; axes: ints) -> y: T { y(i...) += x(i..., r... at axes) }", "f32[5,6,7]; axes=[2,0]"),
            "y[i0] += x[r1, i0, r0]  i0:6 | r1:5 r0:7\n");
  // A pack at a number starts there.
  EXPECT_EQ(
      statements("op f(x: T, j_: i64) -> y: T { y(p..., j... at 1) = x(p..., j_(j...) at 1) }", "f32[5,6,7], i64[2,3]"),
      "y[p0, j0, j1, p1] = x[p0, index(j_[j0, j1]), p1]  p0:5 j0:2 j1:3 p1:7\n");
}

TEST(Layout, BuiltInsKeepTheirMeaningInBothLayouts) {
  struct {
    const char *op, *first, *firstResult, *last, *lastResult;
  } rows[] = {
      {"max_pool", "f32[2,3,8,9]; kernel=[2,2], stride=[2,2], dilation=[1,1], lo=[0,0], hi=[0,0], channel=1",
       "f32[2,3,4,4] i64[2,3,4,4]",
       "f32[2,8,9,3]; kernel=[2,2], stride=[2,2], dilation=[1,1], lo=[0,0], hi=[0,0], channel=3",
       "f32[2,4,4,3] i64[2,4,4,3]"},
      {"avg_pool",
       "f32[2,3,8,9]; kernel=[2,2], stride=[2,2], dilation=[1,1], lo=[0,0], hi=[0,0], extra=[0,0], count_pad=true, "
       "channel=1",
       "f32[2,3,4,4]",
       "f32[2,8,9,3]; kernel=[2,2], stride=[2,2], dilation=[1,1], lo=[0,0], hi=[0,0], extra=[0,0], count_pad=true, "
       "channel=3",
       "f32[2,4,4,3]"},
      {"lrn", "f32[2,6,8,9]; size=5, alpha=0.1, beta=0.75, bias=1.0, channel=1", "f32[2,6,8,9]",
       "f32[2,8,9,6]; size=5, alpha=0.1, beta=0.75, bias=1.0, channel=3", "f32[2,8,9,6]"},
      {"batch_norm", "f32[2,3,8,9], f32[3], f32[3], f32[3], f32[3]; eps=0.1, channel=1", "f32[2,3,8,9]",
       "f32[2,8,9,3], f32[3], f32[3], f32[3], f32[3]; eps=0.1, channel=3", "f32[2,8,9,3]"},
      {"conv", "f32[1,3,8,9], f32[4,3,3,3]; stride=[1,1], dilation=[1,1], lo=[1,1], hi=[1,1], channel=1",
       "f32[1,4,8,9]", "f32[1,8,9,3], f32[4,3,3,3]; stride=[1,1], dilation=[1,1], lo=[1,1], hi=[1,1], channel=3",
       "f32[1,8,9,4]"},
  };
  for (auto &row : rows) {
    EXPECT_EQ(results(builtin(row.op), row.first), row.firstResult) << row.op;
    EXPECT_EQ(results(builtin(row.op), row.last), row.lastResult) << row.op;
    instance(builtin(row.op), row.last);
  }
}

} // namespace
