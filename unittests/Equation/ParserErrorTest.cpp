// Messages are part of the interface: place, caret, text and help.
#include "Apply.h"

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

std::string messages(llvm::StringRef text) { return parse("my.eq", text).rendered(); }

/// Only the first message, without the text of the line.
std::string first(llvm::StringRef text) {
  ParseResult result = parse("my.eq", text);
  if (result.ok())
    return "accepted";
  const Diagnostic &d = result.diagnostics[0];
  return std::to_string(d.line) + ":" + std::to_string(d.column) + ": " + d.message +
         (d.help.empty() ? "" : " | " + d.help);
}

TEST(ParserErrors, CaretAndHelp) {
  EXPECT_EQ(messages("op f(x: T) -> y: T {\n  y(i...) = expp(x(i...))\n}\n"),
            "my.eq:2:13: error: unknown function 'expp'\n"
            "    y(i...) = expp(x(i...))\n"
            "              ^~~~\n"
            "  help: did you mean 'exp'?\n");
}

TEST(ParserErrors, TabsKeepTheCaretInPlace) {
  EXPECT_EQ(messages("op f(x: T) -> y: T {\n\ty(i) = x(i) $\n}\n"),
            "my.eq:2:14: error: '$' is not part of the notation\n"
            "  \ty(i) = x(i) $\n"
            "  \t            ^\n");
}

TEST(ParserErrors, AllMistakesOfAFileInOrder) {
  ParseResult result = parse("my.eq", "op a(x: T) -> y: T { y(i) = x(i, k) }\n"
                                      "op b(x: T) -> y: T { y(i = x(i) }\n"
                                      "op c(x: T) -> y: T { y(i...) = x(i...) }\n"
                                      "op d(x: T) -> y: T { y(i) = sine(x(i)) }\n");
  ASSERT_EQ(result.diagnostics.size(), 3u) << result.rendered();
  EXPECT_EQ(result.diagnostics[0].line, 1u);
  EXPECT_EQ(result.diagnostics[1].line, 2u);
  EXPECT_EQ(result.diagnostics[2].line, 4u);
  // The op without a mistake is there.
  ASSERT_EQ(result.ops.size(), 1u);
  EXPECT_EQ(result.ops[0].name, "c");
}

struct Case {
  const char *text;
  const char *expected;
};
class ParserErrorCases : public testing::TestWithParam<Case> {};
TEST_P(ParserErrorCases, SaysWhatAndWhatToDo) { EXPECT_EQ(first(GetParam().text), GetParam().expected); }

const Case grammar[] = {
    {"opp f(x: T) -> y: T { }", "1:1: expected an op, found 'opp' | an op is written `op name(x: T) -> y: T { ... }`"},
    {"op f(x: T) y: T { }", "1:12: expected `->`, found 'y'"},
    {"op f(x: T) -> y: T { y(i) = x(i)",
     "1:33: expected `}`, found the end of the text | the op begins with 'f' and is not closed"},
    {"op f(x: T) -> y: T { y(i) x(i) }", "1:27: expected an assignment, found 'x' | one of `=`, `+=`, `*=`, `max=`, "
                                         "`min=`, `and=`, `or=`, or `[kind]=` with "
                                         "an attribute"},
    {"op f(x: T) -> y: T { y(i) = x(i) x(i) }",
     "1:34: expected the end of the statement, found 'x' | a statement ends at the end of the line or with `;`"},
    {"op f(x: T) -> y: T { y(i) = x(i) ? 1 }",
     "1:38: expected `:`, found '}' | a choice is written `condition ? a : b`"},
    {"op f(x: T) -> y: T { y(i) = 2 else 0 }",
     "1:31: `else` follows a read, found 'else' | `x(i) else 0` is 0 where x has no element i"},
    {"op f(x: T; n) -> y: T { y(i) = x(i) }", "1:13: expected `:`, found ')' | an attribute needs a type: `axis: int`"},
    {"op f(x: T; n: integer) -> y: T { y(i) = x(i) }",
     "1:15: expected the type of an attribute, found 'integer' | one of int, ints, float, floats, bool, str, type, "
     "combine"},
    {"op f(x: T = 3) -> y: T { y(i) = x(i) }",
     "1:11: a tensor has no default value, found '=' | only attributes, after `;`, have one; `x?` is optional"},
    {"op f(x: T) -> y: T { y(i) = 3x }",
     "1:29: '3x' is neither a number nor a name | names begin with a letter or `_`; a product needs `*`"},
    {"op f(x: T) -> y: T { y(i) = 99999999999999999999 }", "1:29: '99999999999999999999' does not fit in 64 bits"},
};
INSTANTIATE_TEST_SUITE_P(Grammar, ParserErrorCases, testing::ValuesIn(grammar));

const Case names[] = {
    {"op f(x: T, x: T) -> y: T { y(i) = x(i) }",
     "1:12: 'x' is declared twice | operands, attributes and results need different names"},
    {"op f(in: T) -> y: T { y(i) = 0 where i in 3 }",
     "1:6: 'in' is a reserved word | choose another name, for example `in_`"},
    {"op f(x: T) -> y: U { y(i) = x(i) }",
     "1:18: type variable 'U' is not the type of any operand | use the type of an operand, a type such as f32, or an "
     "attribute of type `type`"},
    {"op f(x: float) -> y: T { y(i) = x(i) }",
     "1:9: unknown type 'float' | types are b1, i8 to i64, u8 to u64, f16, bf16, f32, f64 and the small ones; a type "
     "variable begins with a capital letter"},
    {"op f(x: T; axis: int) -> y: T { y(i..., k at axes) = x(i..., k at axis) }",
     "1:46: 'axes' is not an attribute | did you mean 'axis'?"},
    {"op f(x: T) -> y: T { y(i) = x(i) where j in 3 }",
     "1:40: 'j' is not an index of this statement | a range belongs to an index that the statement uses"},
    {"op f(x: T; kind: str) -> y: T { y(i) [kind]= x(i) }",
     "1:39: 'kind' is not an attribute of type combine | declare it as `kind: combine`"},
    {"op f(x: T; n: int) -> y: T { n(i) = x(i) }", "1:30: 'n' cannot be assigned | only results and temporaries are"},
    {"op f(x: T) -> y: T { y(i...) = x(i) }",
     "1:34: 'i' is used with and without `...` | write `i...` everywhere, or give the single index another name"},
    {"op f(x: T) -> y: T { y(i) = x(i) }\n  from onnx F (z)",
     "2:16: 'z' is not an operand of the op | operands are listed in the foreign op's order"},
    {"op f(x: T, z: T) -> y: T { y(i) = x(i) + z(i) }\n  from onnx F (z)",
     "2:3: the clause leaves out operand 'x' | list it, or make it optional"},
    {"op f(x: T; n: int) -> y: T { y(i) = x(i) * n }\n  from onnx F (x)",
     "2:3: the clause leaves out attribute 'n', which has no default | list it, or give it a default"},
    {"op f(x: T) -> y: T { y(i) = x(i) }\nop f(x: T) -> y: T { y(i) = x(i) }", "2:1: op 'f' is defined twice"},
};
INSTANTIATE_TEST_SUITE_P(Names, ParserErrorCases, testing::ValuesIn(names));

const Case meaning[] = {
    {"op f(x: T) -> y: T { y(i) = x(i, k) }",
     "1:34: index 'k' is not on the left | `=` defines each point once; to sum over 'k' write `+=`"},
    {"op f(x: T) -> y: T { y(i, i) = x(i) }",
     "1:27: index 'i' stands twice on the left | each point of the result is defined once: use two indices and a "
     "condition"},
    {"op f(x: T, k: i64) -> y: T { y(k(i)) += x(i) }", "1:30: the shape of 'y' is not stated | a computed position on "
                                                       "the left needs `into x`, `where y like x` or `where "
                                                       "y : (...)`"},
    {"op f(x: T) -> (y: T, z: T) { y(i) = x(i) }",
     "1:22: result 'z' is never assigned | add a statement `z(...) = ...`"},
    {"op f(x: T) -> y: T { y(i) = s(i)\n s(i) = x(i) }", "1:29: 's' has no value yet | assign it in a statement above"},
    {"op f(x: T) -> y: T { y(i) = x(i)\n y(i) = x(i) }",
     "2:2: 'y' is assigned twice | a tensor has one statement; use another name"},
    {"op f(x: T) -> y: T { x(i) = 0 where i in 3\n y(i) = x(i) }",
     "1:22: operand 'x' cannot be assigned | assign a result or a temporary"},
    {"op f(x: T) -> y: T { y(i), z(i) += x(i), 1 }", "1:22: two targets need `max=` or `min=` | the first value "
                                                     "decides and the second comes along; otherwise write one "
                                                     "statement per target"},
    {"op f(x: T) -> y: T { y(i) += x(i), 1 }", "1:22: 1 target but 2 values | each target has one value"},
    {"op f(x: T) -> y: T { y(i) = exp(x(i), 2) }", "1:29: 'exp' takes 1 argument, found 2"},
    {"op f(x: T) -> y: T { y(i) = x(i) * dim(i, 0) }",
     "1:40: 'i' is not an attribute | only attributes and shapes are known here, not indices"},
    {"op f(x: T) -> y: T { y(i) = x((i, i + 1)) }", "1:35: a part of a tuple must be an index | `(g, c)` splits one "
                                                    "dimension; arithmetic goes outside the parentheses"},
    {"op f(x: T) -> y: T { y(i) = x(i) where x(i) > 0 }", "1:22: a condition removes points, so some of 'y' would not "
                                                          "be defined | use a reduction such as `+=`, or `condition "
                                                          "? a : b`"},
    {"op f(x: T; n: int = 0.5) -> y: T { y(i) = x(i) }", "1:21: the default of 'n' is not a value of type int"},
    {"op f(xs...: T, ys...: T) -> y: T { y(i) = xs[0](i) }", "1:16: an op has at most one variadic operand"},
    {"op f(x: T) -> y: T { y(i) = x[0](i) }",
     "1:29: 'x' is not variadic | only an operand declared `x...` has a number"},
    {"op f(x: T) -> y: T { y(i) = present(x) ? x(i) : 0 }",
     "1:37: 'x' is always present | only operands declared with `?` can be absent"},
    {"op f(x: T) -> y: T { y(i...) = x(i...) where i in 3, i in 4 }", "1:54: index 'i' has two ranges"},
};
INSTANTIATE_TEST_SUITE_P(Meaning, ParserErrorCases, testing::ValuesIn(meaning));

} // namespace
