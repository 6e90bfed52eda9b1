#include "Apply.h"

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

TEST(Types, ElementTypeNames) {
  for (int number = 1; number < 26; ++number) {
    auto type = static_cast<ElementType>(number);
    EXPECT_EQ(elementTypeNamed(nameOf(type)), type);
    EXPECT_GE(bytesOf(type), 1u);
  }
  EXPECT_EQ(elementTypeNamed("index"), std::nullopt);
  EXPECT_EQ(elementTypeNamed("invalid"), std::nullopt);
  EXPECT_TRUE(isUnsigned(ElementType::U4));
  EXPECT_FALSE(isInteger(ElementType::B1));
  EXPECT_TRUE(isInteger(ElementType::Index));
}

const char *const scaled = "op f(x: T; a: float) -> y: T { y(i) = a * x(i) + 1 }";

TEST(Types, LiteralsAdoptTheTypeTheyMeet) {
  Instance result = instance(scaled, "f32[3]; a=0.5");
  const Expr *sum = result.statements[0].values[0];
  EXPECT_EQ(sum->type, ElementType::F32);
  EXPECT_EQ(sum->operands[1]->kind, Expr::Kind::Real);
  EXPECT_EQ(sum->operands[1]->type, ElementType::F32);
  Instance integers = instance("op f(x: T) -> y: T { y(i) = x(i) + 1 }", "i32[3]");
  EXPECT_EQ(integers.statements[0].values[0]->operands[1]->kind, Expr::Kind::Integer);
  EXPECT_EQ(integers.statements[0].values[0]->operands[1]->type, ElementType::I32);
}

TEST(Types, SmallFloatsComputeInF32AndRoundOnce) {
  EXPECT_EQ(statements(scaled, "f16[3]; a=0.5"), "y[i] = f16(((0.5 * f32(x[i])) + 1.0))  i:3\n");
  // A copy needs no conversion at all.
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(i) = x(i) }", "bf16[3]"), "y[i] = x[i]  i:3\n");
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(i) = x(i - 1) else 0 where i in 5 }", "f16[3]"),
            "y[i] = x[(i - 1)] else 0.0  i:5\n");
  // An explicit conversion rounds in the middle.
  EXPECT_EQ(statements("op f(x: T) -> y: f32 { y(i) = f32(f16(x(i))) * 2 }", "f32[3]"),
            "y[i] = (f32(f16(x[i])) * 2.0)  i:3\n");
  // A sum stays in f32 until it is complete.
  Instance sum = instance("op f(x: T) -> y: T { y += x(k) }", "f16[3]");
  EXPECT_EQ(sum.statements[0].values[0]->type, ElementType::F32);
  EXPECT_EQ(sum.tensors[1].type.element, ElementType::F16);
}

TEST(Types, IndicesAsValues) {
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(i) = x(i) * i }", "f32[3]"), "y[i] = (x[i] * f32(i))  i:3\n");
  EXPECT_EQ(statements("op f(n_: T) -> y: i64 { y(i) = 2 * i + 1 where i in 4 }", "f32[]"),
            "y[i] = i64(((2 * i) + 1))  i:4\n");
  // Comparing indices needs no tensor type.
  Instance result = instance("op f(x: T) -> y: T { y(i, j) = i == j ? x(i) : 0 where j in 3 }", "f32[3]");
  const Expr *condition = result.statements[0].values[0]->operands[0];
  EXPECT_EQ(condition->type, ElementType::B1);
  EXPECT_EQ(condition->operands[0]->type, ElementType::Index);
  // An index times a fraction is a fraction.
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(i) = x(i) + i * 0.5 }", "f32[3]"),
            "y[i] = (x[i] + f32((f64(i) * 0.5)))  i:3\n");
}

TEST(Types, LimitsAreConstants) {
  auto limit = [](const char *type, const char *word) {
    Instance result =
        instance("op f(x: T) -> y: T { y(i) = max(x(i), " + std::string(word) + "(T)) }", std::string(type) + "[2]");
    const Expr *value = result.statements[0].values[0];
    if (value->kind == Expr::Kind::Cast)
      value = value->operands[0];
    return *value->operands[1];
  };
  EXPECT_EQ(limit("f32", "lowest").real, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(limit("f16", "highest").type, ElementType::F32);
  EXPECT_EQ(limit("i8", "lowest").integer, -128);
  EXPECT_EQ(limit("i64", "highest").integer, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(limit("u8", "highest").integer, 255);
  EXPECT_EQ(limit("u32", "lowest").integer, 0);
  EXPECT_EQ(limit("u64", "highest").integer, -1);
  EXPECT_EQ(limit("i4", "lowest").integer, -8);
  EXPECT_EQ(limit("u2", "highest").integer, 3);
}

TEST(Types, PowerHasTheTypeOfItsBase) {
  const char *text = "op f(a: T, b: U) -> y: T { y(i) = pow(a(i), b(i)) }";
  EXPECT_EQ(statements(text, "f32[2], f32[2]"), "y[i] = pow(a[i], b[i])  i:2\n");
  EXPECT_EQ(statements(text, "f32[2], i64[2]"), "y[i] = pow(a[i], f32(b[i]))  i:2\n");
  EXPECT_EQ(statements(text, "f32[2], f64[2]"), "y[i] = f32(pow(f64(a[i]), b[i]))  i:2\n");
  EXPECT_EQ(statements(text, "i32[2], i64[2]"), "y[i] = i32(pow(i64(a[i]), b[i]))  i:2\n");
  EXPECT_EQ(statements(text, "i32[2], f32[2]"), "y[i] = i32(pow(f64(a[i]), f64(b[i])))  i:2\n");
}

TEST(Types, NotIsLogicalOrBitwise) {
  const char *text = "op f(x: T) -> y: T { y(i) = not x(i) }";
  EXPECT_EQ(statements(text, "b1[2]"), "y[i] = not(x[i])  i:2\n");
  EXPECT_EQ(statements(text, "u8[2]"), "y[i] = bitnot(x[i])  i:2\n");
}

TEST(Types, WholeNumbersAreRound) {
  EXPECT_EQ(statements("op f(x: T) -> y: T { y(i) = floor(x(i)) }", "i32[2]"), "y[i] = x[i]  i:2\n");
  EXPECT_EQ(statements("op f(x: T) -> y: b1 { y(i) = isnan(x(i)) }", "i32[2]"), "y[i] = false  i:2\n");
}

std::string why(llvm::StringRef body, llvm::StringRef given) {
  std::string text = "op f" + body.str(), error = refusal(text, given);
  return llvm::StringRef(error).split(", in `").first.str();
}

TEST(Types, MistakesAreNamed) {
  EXPECT_EQ(why("(x: T, k: I) -> y: T { y(i) = x(i) * k(i) }", "f32[2], i64[2]"),
            "f: 'x(i) * k(i)' mixes f32 and i64; convert one side with cast(x, type)");
  EXPECT_EQ(why("(x: T) -> y: f64 { y(i) = x(i) }", "f32[2]"), "f: y is f64 but its value is f32; write f64(...)");
  EXPECT_EQ(why("(x: T) -> y: T { y(i) = x(i) * 0.5 }", "i32[2]"), "f: 'x(i) * 0.5' brings a fraction to type i32");
  EXPECT_EQ(why("(x: T) -> y: T { y(i) = x(i) + 300 }", "u8[2]"), "f: 'x(i) + 300': 300 does not fit in u8");
  EXPECT_EQ(why("(x: T) -> y: T { y(i) = exp(x(i)) }", "i32[2]"),
            "f: 'exp(x(i))': exp is not defined for i32; convert with cast(x, f32)");
  EXPECT_EQ(why("(x: T) -> y: T { y(i) = x(i) << x(i) }", "f32[2]"), "f: 'x(i) << x(i)': shl is not defined for f32");
  EXPECT_EQ(why("(x: T) -> y: T { y(i) = x(i) + x(i) }", "b1[2]"), "f: 'x(i) + x(i)': add is not defined for b1");
  EXPECT_EQ(why("(x: T) -> y: T { y(i) = x(i) ? x(i) : 0 }", "f32[2]"), "f: 'x(i)' is f32, not a condition");
  EXPECT_EQ(why("(x: T, k: U) -> y: T { y(i) = x(k(i)) }", "f32[2], f32[2]"),
            "f: the index 'k(i)' is f32; convert it with i64(...)");
  EXPECT_EQ(why("(x: T; s: str) -> y: T { y(i) = x(i) * s }", "f32[2]; s=a"), "f: 's' is not a number");
  EXPECT_EQ(why("(x: T; s: ints) -> y: T { y(i) = x(i) * s }", "i64[2]; s=[1]"),
            "f: 's' is a list; the item around it must end in `...`");
}

} // namespace
