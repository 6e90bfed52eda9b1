#include "kumiko/Extents/Extent.h"
#include <gtest/gtest.h>
#include <limits>

using namespace kumiko;

namespace {

constexpr int64_t largest = std::numeric_limits<int64_t>::max(), smallest = std::numeric_limits<int64_t>::min();
Extent sym(const char *name) { return Extent::symbol(name); }

TEST(Extent, NumbersAreNumbers) {
  EXPECT_EQ(Extent(3) + Extent(4), Extent(7));
  EXPECT_EQ(Extent(3) - Extent(4), Extent(-1));
  EXPECT_EQ(Extent(3) * Extent(-4), Extent(-12));
  EXPECT_EQ(floorDiv(-7, 2), Extent(-4));
  EXPECT_EQ(ceilDiv(7, 2), Extent(4));
  EXPECT_EQ(ceilDiv(-7, 2), Extent(-3));
  EXPECT_EQ(mod(-7, 3), Extent(2));
  EXPECT_EQ(max(2, 5), Extent(5));
  EXPECT_EQ(min(2, 5), Extent(2));
  EXPECT_EQ(product({Extent(2), Extent(3), Extent(4)}), Extent(24));
  EXPECT_EQ(product(llvm::ArrayRef<Extent>()), Extent(1));
}

TEST(Extent, OverflowIsAValueOfItsOwn) {
  EXPECT_TRUE((Extent(largest) + Extent(1)).overflowed());
  EXPECT_TRUE((Extent(smallest) - Extent(1)).overflowed());
  EXPECT_TRUE((Extent(largest) * Extent(2)).overflowed());
  EXPECT_TRUE((-Extent(smallest)).overflowed());
  EXPECT_TRUE(floorDiv(smallest, -1).overflowed());
  EXPECT_TRUE(floorDiv(1, 0).overflowed());
  EXPECT_TRUE(mod(1, 0).overflowed());
  Extent broken = Extent::overflow();
  EXPECT_TRUE((broken + Extent(1)).overflowed());
  EXPECT_TRUE((sym("N") * broken).overflowed());
  EXPECT_NE(broken, Extent(0));
  EXPECT_FALSE(broken.knownNonNegative());
  EXPECT_FALSE(broken.evaluate([](auto) { return std::optional<int64_t>(1); }));
  // A zero wins over factors that overflow: an empty tensor has no elements.
  EXPECT_EQ(product({Extent(largest), Extent(largest), Extent(0)}), Extent(0));
  EXPECT_TRUE(product({Extent(largest), Extent(2)}).overflowed());
}

TEST(Extent, OverflowInCoefficients) {
  EXPECT_TRUE((sym("N") * Extent(largest) * Extent(2)).overflowed());
  EXPECT_TRUE((sym("N") * Extent(largest) + sym("N") * Extent(largest)).overflowed());
}

TEST(Extent, PolynomialsAreSorted) {
  Extent n = sym("N"), m = sym("M");
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ((n + Extent(1) - n), Extent(1));
  EXPECT_TRUE((n - n).isStatic());
  EXPECT_EQ((m * n * Extent(2) + n - Extent(3)).str(), "2*M*N + N - 3");
  EXPECT_EQ((-n).str(), "-N");
  EXPECT_EQ((n * Extent(0)).str(), "0");
  EXPECT_EQ(Extent(smallest).str(), "-9223372036854775808");
}

TEST(Extent, FloorDivHasANormalForm) {
  Extent h = sym("H");
  EXPECT_EQ((floorDiv(h - Extent(1), 2) + Extent(1)).str(), "((H - 1) floordiv 2) + 1");
  EXPECT_EQ(floorDiv(h + Extent(1), 2), floorDiv(h - Extent(1), 2) + Extent(1));
  EXPECT_EQ(floorDiv(h * Extent(4) + Extent(5), 2), h * Extent(2) + Extent(2));
  EXPECT_EQ(floorDiv(floorDiv(h, 2), 3), floorDiv(h, 6));
  EXPECT_EQ(floorDiv(floorDiv(h, 2) + Extent(1), 2), floorDiv(h + Extent(2), 4));
  EXPECT_EQ(floorDiv(h, 1), h);
  EXPECT_EQ(floorDiv(h * sym("W"), h), sym("W"));
  EXPECT_EQ(floorDiv(h, -1), -h);
  EXPECT_EQ(mod(h, 4), h - floorDiv(h, 4) * Extent(4));
}

TEST(Extent, EvaluatesLikeNumbers) {
  Extent h = sym("H"), w = sym("W");
  Extent formulas[] = {floorDiv(h - Extent(3), 2) + Extent(1), ceilDiv(h * w, 5), mod(h - w, 4), max(h, w) * min(h, w),
                       floorDiv(floorDiv(h + Extent(5), 3) - w, 4)};
  auto floored = [](int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  for (int64_t x = 0; x < 12; ++x) {
    for (int64_t y = 0; y < 12; ++y) {
      int64_t expected[] = {floored(x - 3, 2) + 1, -floored(-x * y, 5), (x - y) - floored(x - y, 4) * 4, x * y,
                            floored(floored(x + 5, 3) - y, 4)};
      for (size_t i = 0; i < std::size(expected); ++i)
        EXPECT_EQ(
            formulas[i].evaluate([&](llvm::StringRef name) -> std::optional<int64_t> { return name == "H" ? x : y; }),
            expected[i])
            << formulas[i].str() << " at " << x << ", " << y;
    }
  }
  EXPECT_EQ(h.evaluate([](auto) { return std::nullopt; }), std::nullopt);
  EXPECT_EQ(floorDiv(h, w).evaluate([](auto) { return std::optional<int64_t>(0); }), std::nullopt);
}

TEST(Extent, SignsAreKnownWhereTheTermsTell) {
  Extent h = sym("H");
  EXPECT_TRUE(h.knownNonNegative());
  EXPECT_TRUE((h * h + Extent(1)).knownNonNegative());
  EXPECT_FALSE((h - Extent(1)).knownNonNegative());
  EXPECT_TRUE((-h).knownNonPositive());
  // A window that rule 4 has fitted stays inside: 2*o + 2 <= H + 1 for the largest o.
  Extent last = floorDiv(h - Extent(1), 2);
  EXPECT_TRUE((h + Extent(1) - (last * Extent(2) + Extent(2))).knownNonNegative());
  EXPECT_TRUE((last + Extent(1)).knownNonNegative());
}

TEST(Extent, DivisionsThatComeOutEven) {
  Extent h = sym("H"), w = sym("W"), odd = floorDiv(h - Extent(1), 8) + Extent(1);
  EXPECT_EQ(floorDiv(odd * Extent(512), odd), Extent(512));
  EXPECT_EQ(floorDiv(odd * w * Extent(6), odd), w * Extent(6));
  EXPECT_EQ(floorDiv((h + Extent(1)) * (w + Extent(2)), w + Extent(2)), h + Extent(1));
  EXPECT_EQ(floorDiv(h * w * Extent(4), h * Extent(2)), w * Extent(2));
  EXPECT_FALSE(floorDiv(h * w + Extent(1), w).isStatic());
  EXPECT_EQ(floorDiv(h * w + Extent(1), w).evaluate([](llvm::StringRef name) { return name == "H" ? 3 : 1; }), 4);
}

TEST(Extent, MaxAndMinAreDecidedWhenTheyCanBe) {
  Extent h = sym("H");
  EXPECT_EQ(max(h, h + Extent(1)), h + Extent(1));
  EXPECT_EQ(min(h, 0), Extent(0));
  EXPECT_EQ(min(9, min(h, 9)), min(h, 9));
  EXPECT_EQ(max(max(h, sym("W")), sym("W")), max(h, sym("W")));
  EXPECT_NE(min(8, min(h, 9)), min(h, 9));
  EXPECT_EQ(max(h, sym("W")), max(sym("W"), h));
  EXPECT_EQ(max(h, sym("W")).str(), "max(H, W)");
}

TEST(Extent, BroadcastOfUnknowns) {
  EXPECT_EQ(Extent::broadcast(1, sym("N")), sym("N"));
  EXPECT_EQ(Extent::broadcast(sym("N"), 5), Extent(5));
  EXPECT_EQ(Extent::broadcast(sym("S"), sym("M")).str(), "broadcast(M, S)");
  auto value = [](llvm::StringRef name) { return std::optional<int64_t>(name == "S" ? 1 : 7); };
  EXPECT_EQ(Extent::broadcast(sym("S"), sym("M")).evaluate(value), 7);
}

TEST(Extent, BroadcastOfAPart) {
  // A table of 256 places beside a sequence: what is left of it is the sequence, or they do not fit.
  EXPECT_EQ(Extent::broadcast(sym("S"), min(256, sym("S"))), sym("S"));
  EXPECT_EQ(Extent::broadcast(min(sym("S"), sym("T") + Extent(1)), sym("S")), sym("S"));
  // Nothing may be left of it, or it has nothing to do with the sequence.
  EXPECT_NE(Extent::broadcast(sym("S"), min(sym("T"), sym("S"))), sym("S"));
  EXPECT_NE(Extent::broadcast(sym("S"), min(256, sym("T"))), sym("S"));
  EXPECT_NE(Extent::broadcast(sym("S"), min(256, sym("S")) + Extent(1)), sym("S"));
}

TEST(Extent, GrowthIsBounded) {
  // (a + b + ...)^k has more terms than anybody needs; the answer is overflow, not a long wait.
  Extent sum = 0;
  for (int i = 0; i < 40; ++i)
    sum += sym(("s" + std::to_string(i)).c_str());
  Extent power = 1;
  for (int i = 0; i < 40; ++i)
    power *= sum;
  EXPECT_TRUE(power.overflowed());
  Extent deep = sym("N");
  for (int i = 0; i < 1000; ++i)
    deep = floorDiv(deep * sym("M") + Extent(1), 3);
  EXPECT_TRUE(deep.overflowed());
}

/// The normal form of a text, or what is wrong with it.
std::string parsed(llvm::StringRef text) {
  llvm::Expected<Extent> extent = parseExtent(text);
  return extent ? extent->str() : llvm::toString(extent.takeError());
}

TEST(Extent, TextIsReadBack) {
  Extent h = sym("H"), w = sym("x[1]"), odd = sym("past + 1");
  for (const Extent &extent :
       {h * w * Extent(-3) + Extent(7), floorDiv(h - Extent(1), 2) + Extent(1), max(h - w, odd), min(h * h, 12),
        Extent::broadcast(h, w), floorDiv(h + w, odd), -h, h - Extent(1), max(floorDiv(h, w) * odd, w), floorDiv(-h, 2),
        floorDiv(h, w * Extent(2)), floorDiv(h + w, h * w)}) {
    llvm::Expected<Extent> again = parseExtent(extent.str());
    ASSERT_TRUE(bool(again)) << extent.str() << ": " << llvm::toString(again.takeError());
    EXPECT_EQ(*again, extent) << extent.str();
  }
}

TEST(Extent, AnyExpressionIsNormalised) {
  EXPECT_EQ(parsed(" 2 * (a + b) - b*2 "), "2*a");
  EXPECT_EQ(parsed("a ceildiv 2"), "((a - 1) floordiv 2) + 1");
  EXPECT_EQ(parsed("7 mod 4"), "3");
  EXPECT_EQ(parsed("`a`"), "a");
  EXPECT_EQ(parsed("`max`"), "`max`");
  EXPECT_EQ(parsed("maximum"), "maximum");
  EXPECT_EQ(parsed("a.b_1[12]"), "a.b_1[12]");
}

// Exporters write "all of it" as the largest number.
TEST(Extent, NothingIsBeyond64Bits) {
  Extent h = sym("H") - sym("W");
  EXPECT_EQ(min(h, std::numeric_limits<int64_t>::max()), h);
  EXPECT_EQ(max(std::numeric_limits<int64_t>::min(), h), h);
}

TEST(Extent, BadTextHasAReason) {
  EXPECT_EQ(parsed(""), "a number, a name or '(' is expected at position 0: ''");
  EXPECT_EQ(parsed("a +"), "a number, a name or '(' is expected at position 3: 'a +'");
  EXPECT_EQ(parsed("a b"), "an operator is expected at position 2: 'a b'");
  EXPECT_EQ(parsed("max(a b)"), "',' is expected at position 6: 'max(a b)'");
  EXPECT_EQ(parsed("floordiv"), "a number, a name or '(' is expected at position 0: 'floordiv'");
  EXPECT_EQ(parsed("`a"), "a name without control characters and a closing '`' are expected at position 1: '`a'");
  EXPECT_EQ(parsed("99999999999999999999"), "the number does not fit in 64 bits at position 0: '99999999999999999999'");
  EXPECT_EQ(parsed("a floordiv 0"), "the expression has no value: 'a floordiv 0'");
  EXPECT_EQ(parsed("9223372036854775807*a*2"), "the expression has no value: '9223372036854775807*a*2'");
}

// Hostile text costs neither stack nor time.
TEST(Extent, LongAndDeepTextIsRefused) {
  EXPECT_NE(parsed(std::string(5000, '(') + "a").find("nested too deeply"), std::string::npos);
  EXPECT_NE(parsed(std::string(100000, '1')).find("100000 characters"), std::string::npos);
  std::string wide = "(a0";
  for (int i = 1; i < 200; ++i)
    wide += "+a" + std::to_string(i);
  EXPECT_NE(parsed(wide + ")*" + wide + ")").find("no value"), std::string::npos);
}

// Parts are shared: without a limit on the written form this would have 2^100 terms.
TEST(Extent, SharedPartsDoNotExplode) {
  Extent grown = sym("N");
  for (int i = 0; i < 100; ++i)
    grown = max(grown * sym("A"), grown * sym("B"));
  EXPECT_TRUE(grown.overflowed());
}

} // namespace
