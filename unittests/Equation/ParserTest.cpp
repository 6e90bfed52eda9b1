#include "Apply.h"

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

TEST(Parser, ReadsTheSignature) {
  OpDef result = op("op f(a: T, b?: f32, cs...: U; axis: int = -1, eps: float = 1e-5, to: type, kind: combine)"
                    " -> (y: T, z: to) { y(i...) = a(i...) \n z(i...) = cast(a(i...), to) }");
  ASSERT_EQ(result.operands.size(), 3u);
  EXPECT_FALSE(result.operands[0].optional);
  EXPECT_TRUE(result.operands[1].optional);
  EXPECT_EQ(result.operands[1].type.element, ElementType::F32);
  EXPECT_TRUE(result.operands[2].variadic);
  EXPECT_EQ(result.variadicOperand(), 2u);
  EXPECT_EQ(result.typeVariables, (llvm::ArrayRef<llvm::StringRef>{"T", "U"}));
  ASSERT_EQ(result.attributes.size(), 4u);
  EXPECT_EQ(result.attributes[0].defaultValue->integer, -1);
  EXPECT_EQ(result.attributes[1].defaultValue->real, 1e-5);
  EXPECT_EQ(result.attributes[2].defaultValue, nullptr);
  ASSERT_EQ(result.results.size(), 2u);
  EXPECT_EQ(result.results[1].type.kind, TypeRef::Kind::Attribute);
  EXPECT_EQ(result.tensors.size(), 5u);
}

TEST(Parser, KeepsDocumentationImportsAndText) {
  ParseResult result = parse("t.eq", "# A heading\n\n# ---- part\n# Scales negative elements.\n#\n# Second line.\n"
                                     "op leaky(x: T; slope: float = 0.01) -> y: T { y(i...) = x(i...) * slope }\n"
                                     "  from onnx LeakyRelu (x; alpha -> slope)\n"
                                     "  from onnx com.acme.Fancy-16 (x; slope)\n"
                                     "op next(x: T) -> y: T { y(i...) = x(i...) }\n");
  ASSERT_TRUE(result.ok()) << result.rendered();
  ASSERT_EQ(result.ops.size(), 2u);
  const OpDef &leaky = result.ops[0];
  EXPECT_EQ(leaky.doc, (llvm::ArrayRef<llvm::StringRef>{"Scales negative elements.", "", "Second line."}));
  EXPECT_EQ(leaky.text, "op leaky(x: T; slope: float = 0.01) -> y: T { y(i...) = x(i...) * slope }");
  ASSERT_EQ(leaky.imports.size(), 2u);
  EXPECT_EQ(leaky.imports[0].name, "LeakyRelu");
  EXPECT_EQ(leaky.imports[0].domain, "");
  EXPECT_EQ(leaky.imports[0].version, 0u);
  EXPECT_EQ(leaky.imports[0].attributes[0].source, "alpha");
  EXPECT_EQ(leaky.imports[0].attributes[0].target, "slope");
  EXPECT_EQ(leaky.imports[1].domain, "com.acme");
  EXPECT_EQ(leaky.imports[1].name, "Fancy");
  EXPECT_EQ(leaky.imports[1].version, 16u);
  EXPECT_TRUE(result.ops[1].doc.empty());
}

TEST(Parser, OpsOutliveTheResult) {
  OpDef kept;
  {
    ParseResult result = parse("t.eq", "op id(x: T) -> y: T { y(i...) = x(i...) }");
    kept = result.ops[0];
  }
  EXPECT_EQ(kept.name, "id");
  EXPECT_EQ(kept.statements[0].text, "y(i...) = x(i...)");
}

TEST(Parser, LinesContinue) {
  OpDef result = op("op f(x: T; n: int) -> y: T {\n"
                    "  # a comment\n"
                    "  s(i) += x(i,\n"
                    "            k)   # inside parentheses\n"
                    "    * 2\n"
                    "    where k in n,\n"
                    "      i in 3\n"
                    "\n"
                    "  y(i) = s(i) > 0\n"
                    "    ? s(i)\n"
                    "    : -\n"
                    "      s(i); }");
  ASSERT_EQ(result.statements.size(), 2u);
  EXPECT_EQ(result.statements[0].text, "s(i) += x(i, k) * 2 where k in n, i in 3");
  EXPECT_EQ(result.statements[0].clauses.size(), 2u);
}

TEST(Parser, OperatorsBindAsDocumented) {
  struct {
    const char *written, *printed;
  } cases[] = {
      {"x(i) else 0 * 2", "x(i) else 0 * 2"},
      {"(x(i) else 0) * 2", "x(i) else 0 * 2"},
      {"x(i) else (0 * 2)", "x(i) else (0 * 2)"},
      {"1 + 2 * x(i)", "1 + 2 * x(i)"},
      {"(1 + 2) * x(i)", "(1 + 2) * x(i)"},
      {"1 - (2 - x(i))", "1 - (2 - x(i))"},
      {"1 - 2 - x(i)", "1 - 2 - x(i)"},
      {"x(i) > 0 and x(i) < 1 or x(i) == 2 ? x(i) : 0", "x(i) > 0 and x(i) < 1 or x(i) == 2 ? x(i) : 0"},
      {"(x(i) > 0 ? 1 : 2) + 3", "(x(i) > 0 ? 1 : 2) + 3"},
      {"-x(i) * -2", "-x(i) * -2"},
      {"-(x(i) * 2)", "-(x(i) * 2)"},
      {"1e-5 + inf + 0.1", "1e-05 + inf + 0.1"},
      {"max(x(i), 1.0)", "max(x(i), 1.0)"},
  };
  for (auto &row : cases) {
    OpDef result = op(("op f(x: T) -> y: T { y(i) = " + std::string(row.written) + " }"));
    ASSERT_EQ(result.statements.size(), 1u) << row.written;
    EXPECT_EQ(str(*result.statements[0].values[0]), row.printed);
  }
}

TEST(Parser, PacksAreNamesThatOnlyOccurWithDots) {
  OpDef result = op("op f(x: T; lo: ints) -> y: T { y(t, i...) = x(i + t - lo...) where t in 2, i in 3 }");
  ASSERT_EQ(result.statements[0].indices.size(), 2u);
  EXPECT_EQ(result.statements[0].indices[0].name, "t");
  EXPECT_FALSE(result.statements[0].indices[0].pack);
  EXPECT_TRUE(result.statements[0].indices[1].pack);
}

TEST(Parser, TensorsHideFunctions) {
  OpDef result = op("op f(x: T, cos: T) -> y: T { y(i) = cos(i) * sin(x(i)) }");
  const Node &value = *result.statements[0].values[0];
  EXPECT_EQ(value.operands[0]->kind, Node::Kind::Read);
  EXPECT_EQ(value.operands[1]->kind, Node::Kind::Call);
}

std::string printed(const OpDef &op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, op);
  return text;
}

// Reading what was printed gives the same text again, for every built-in op.
TEST(Parser, PrintingRoundTrips) {
  EXPECT_GE(builtinOps().size(), 93u);
  for (const OpDef &original : builtinOps()) {
    std::string once = printed(original), twice = printed(op(once));
    EXPECT_EQ(once, twice) << original.name.str();
  }
}

// Whatever is cut off, the answer is a message.
TEST(Parser, SurvivesTruncation) {
  for (const OpDef &original : builtinOps()) {
    for (size_t length = 0; length < original.text.size(); length += 7) {
      ParseResult result = parse("cut.eq", original.text.take_front(length));
      EXPECT_TRUE(length == 0 || !result.ok()) << original.text.take_front(length).str();
    }
  }
}

TEST(Parser, SurvivesDamage) {
  const char noise[] = "()[]{}.,;:?=+-*/<>&|^~\"# \nx0";
  unsigned state = 1;
  auto random = [&] { return state = state * 1664525u + 1013904223u, state >> 8; };
  for (const OpDef &original : builtinOps()) {
    for (int round = 0; round < 30; ++round) {
      std::string text = original.text.str();
      for (int change = 0; change < 3; ++change)
        text[random() % text.size()] = noise[random() % (sizeof(noise) - 1)];
      ParseResult result = parse("damaged.eq", text);
      result.rendered();
    }
  }
}

TEST(Parser, DepthAndLengthAreBounded) {
  std::string deep(100000, '('), minus(100000, '-'), sum = "x(i)";
  for (int i = 0; i < 100000; ++i)
    sum += " + x(i)";
  for (const std::string &text : {deep, minus, sum}) {
    ParseResult result = parse("deep.eq", "op f(x: T) -> y: T { y(i) = " + text + " }");
    ASSERT_FALSE(result.ok());
    EXPECT_LE(result.diagnostics.size(), 50u);
  }
}

} // namespace
