// Shape arithmetic, by the equations of the ops.
#include "kumiko/Equation/Known.h"
#include "Apply.h"

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

Extent sym(const char *name) { return Extent::symbol(name); }

KnownElements list(std::initializer_list<Extent> extents) {
  KnownElements elements;
  for (const Extent &extent : extents)
    elements.push_back(Known{extent, 1});
  return elements;
}

/// The elements of the first result as text; `?` for one that is not known, `none` when nothing can be said.
std::string run(const OpDef &op, llvm::StringRef types, llvm::ArrayRef<KnownElements> operands) {
  llvm::SmallVector<const KnownElements *> given;
  for (const KnownElements &operand : operands)
    given.push_back(&operand);
  auto results = evaluateKnown(instance(op, types), given);
  if (!results)
    return "none";
  std::string text;
  for (const std::optional<Known> &element : results->front()) {
    text += text.empty() ? "" : ", ";
    text += element ? element->numerator.str() : "?";
    if (element && element->denominator != 1)
      text += "/" + std::to_string(element->denominator);
  }
  return text;
}

TEST(Known, ArithmeticOnShapes) {
  Extent n = sym("N"), h = sym("H");
  EXPECT_EQ(run(builtin("add"), "i64[2], i64[2]", {list({n, 1}), list({2, h})}), "N + 2, H + 1");
  EXPECT_EQ(run(builtin("mul"), "i64[2], i64[]", {list({n, 3}), list({h})}), "H*N, 3*H");
  EXPECT_EQ(run(builtin("div"), "i64[2], i64[]", {list({h, 7}), list({2})}), "(H floordiv 2), 3");
  EXPECT_EQ(run(builtin("max"), "i64[], i64[]", {list({h}), list({1})}), "max(1, H)");
  EXPECT_EQ(run(builtin("reduce"), "i64[3]; kind=*, axes=[0]", {list({n, 4, h})}), "4*H*N");
}

TEST(Known, Movement) {
  Extent n = sym("N"), h = sym("H");
  EXPECT_EQ(run(builtin("gather"), "i64[3], i64[2]; axis=0", {list({n, 4, h}), list({-1, 0})}), "H, N");
  EXPECT_EQ(run(builtin("slice"), "i64[3]; start=[1], step=[1], out=[2]", {list({n, 4, h})}), "4, H");
  EXPECT_EQ(run(builtin("concat"), "i64[1], i64[2]; axis=0", {list({n}), list({-1, h})}), "N, -1, H");
  EXPECT_EQ(run(builtin("range"), "i64[], i64[]; n=3", {list({n}), list({2})}), "N, N + 2, N + 4");
}

// What is undecided stays unknown; what is decided by sizes being at least 0 does not.
TEST(Known, Comparisons) {
  Extent n = sym("N");
  EXPECT_EQ(run(builtin("eq"), "i64[3], i64[]", {list({n, -1, n + Extent(1)}), list({-1})}), "0, 1, 0");
  EXPECT_EQ(run(builtin("eq"), "i64[1], i64[]", {list({n}), list({1})}), "?");
  EXPECT_EQ(run(builtin("le"), "i64[1], i64[]", {list({0}), list({n})}), "1");
  EXPECT_EQ(run(builtin("select"), "b1[2], i64[2], i64[]", {list({1, 0}), list({n, n}), list({5})}), "N, 5");
}

TEST(Known, UnknownElementsSpoilOnlyTheirOwn) {
  KnownElements mixed = list({sym("N"), 2});
  mixed[1] = std::nullopt;
  EXPECT_EQ(run(builtin("add"), "i64[2], i64[]", {mixed, list({1})}), "N + 1, ?");
  EXPECT_EQ(run(builtin("mul"), "i64[2], i64[]", {mixed, list({0})}), "0, 0");
  EXPECT_EQ(run(builtin("gather"), "i64[2], i64[1]; axis=0", {mixed, KnownElements{std::nullopt}}), "?");
}

// H as a float, times 0.5, floor, as an integer again.
TEST(Known, ExactFloatDetours) {
  Extent h = sym("H");
  OpDef detour = op("op f(x: i64; s: float) -> y: i64 { y(i...) = i64(floor(f32(x(i...)) * s)) }");
  EXPECT_EQ(run(detour, "i64[1]; s=0.5", {list({h})}), "(H floordiv 2)");
  EXPECT_EQ(run(detour, "i64[1]; s=2.0", {list({h})}), "2*H");
  EXPECT_EQ(run(detour, "i64[1]; s=1.25", {list({h})}), "(5*H floordiv 4)");
  // 0.7 is no short fraction: f32 rounds, so the result is not the exact one.
  EXPECT_EQ(run(detour, "i64[1]; s=0.7", {list({h})}), "?");
}

TEST(Known, LargeTensorsAreNoShapes) {
  EXPECT_EQ(run(builtin("expand"), "i64[1]; shape=[257]", {list({sym("N")})}), "none");
  EXPECT_EQ(run(builtin("expand"), "i64[1]; shape=[3]", {list({sym("N")})}), "N, N, N");
}

} // namespace
