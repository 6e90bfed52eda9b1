// Control flow when compiling: branches and turns that are known are written out, others refused.
#include "Imported.h"
#include <gtest/gtest.h>

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

bool has(const std::string &text, llvm::StringRef part) { return llvm::StringRef(text).contains(part); }

Message subgraph(llvm::StringRef name, const GraphParts &parts) {
  return attribute(name, Attribute::Kind::Graph, graph(parts));
}

Message branch(llvm::StringRef op) {
  GraphParts parts;
  parts.nodes = {node(op, {"x"}, {"r"})};
  parts.outputs = {Message().text(1, "r")};
  return graph(parts);
}

/// Neg or Abs of x, by the bool `c`: an input of the model, or whether x has two elements.
Message choice(bool known) {
  GraphParts parts;
  if (known)
    parts.nodes = {node("Size", {"x"}, {"size"}), node("Equal", {"size", "two"}, {"c"})};
  parts.nodes.push_back(node("If", {"c"}, {"y"}, "choice",
                             {attribute("then_branch", Attribute::Kind::Graph, branch("Neg")),
                              attribute("else_branch", Attribute::Kind::Graph, branch("Abs"))}));
  parts.inputs = {valueInfo("x", DataType::Float, {2})};
  if (!known)
    parts.inputs.push_back(valueInfo("c", DataType::Bool, {}));
  parts.initializers = {integers("two", {2})};
  parts.outputs = {Message().text(1, "y")};
  return model(graph(parts));
}

TEST(Control, AKnownConditionPicksTheBranch) {
  Imported m(choice(/*known=*/true));
  EXPECT_TRUE(has(m.text(), "nn.neg")) << m.text() << m.errors();
  EXPECT_FALSE(has(m.text(), "nn.abs"));
}

TEST(Control, AConditionFromInputsIsRefused) {
  Imported m(choice(/*known=*/false));
  EXPECT_EQ(m.exitCode(), 4);
  EXPECT_TRUE(has(m.errors(), "the condition must be known when compiling")) << m.errors();
}

/// `count` turns that add x to what is carried.
Message sum(int64_t count) {
  GraphParts body, parts;
  body.nodes = {node("Add", {"v", "x"}, {"next"}), node("Identity", {"on"}, {"go"})};
  body.inputs = {valueInfo("i", DataType::Int64, {}), valueInfo("on", DataType::Bool, {}),
                 valueInfo("v", DataType::Float, {2})};
  body.outputs = {Message().text(1, "go"), Message().text(1, "next")};
  parts.nodes = {node("Loop", {"count", "", "x"}, {"y"}, "loop", {subgraph("body", body)})};
  parts.inputs = {valueInfo("x", DataType::Float, {2})};
  parts.initializers = {integers("count", {count})};
  parts.outputs = {Message().text(1, "y")};
  return model(graph(parts));
}

TEST(Control, FewTurnsAreWrittenOut) {
  Imported m(sum(3));
  size_t adds = 0;
  std::string text = m.text();
  for (size_t at = text.find("nn.add"); at != std::string::npos; at = text.find("nn.add", at + 1))
    ++adds;
  EXPECT_EQ(adds, 3u) << text << m.errors();
}

TEST(Control, ManyTurnsAreRefused) {
  Imported m(sum(int64_t(1) << 40));
  EXPECT_EQ(m.exitCode(), 4);
  EXPECT_TRUE(has(m.errors(), "have more than 20000 nodes when written out")) << m.errors();
}

// In a function, a subgraph may refer to the attributes of the call.
TEST(Control, SubgraphsInFunctionsSeeTheCall) {
  Message axis;
  axis.text(1, "axis").text(21, "along").varint(20, uint64_t(Attribute::Kind::Int));
  GraphParts yes, no, parts;
  yes.nodes = {node("Softmax", {"a"}, {"r"}, "", {axis})};
  yes.outputs = no.outputs = {Message().text(1, "r")};
  no.nodes = {node("Neg", {"a"}, {"r"})};
  Message function;
  function.text(1, "F").text(4, "a").text(5, "b").text(6, "along").text(10, "local");
  function.message(7, node("Constant", {}, {"one"}, "", {attribute("value_int", int64_t(1))}));
  function.message(7, node("Cast", {"one"}, {"c"}, "", {attribute("to", int64_t(DataType::Bool))}));
  function.message(7, node("If", {"c"}, {"b"}, "", {subgraph("then_branch", yes), subgraph("else_branch", no)}));
  function.message(9, Message().text(1, "").varint(2, 17));
  parts.nodes = {node("F", {"x"}, {"y"}, "call", {attribute("along", int64_t(0))}, "local")};
  parts.inputs = {valueInfo("x", DataType::Float, {2, 3})};
  parts.outputs = {Message().text(1, "y")};
  Imported m(model(graph(parts), 17, {function}).message(8, Message().text(1, "local").varint(2, 1)));
  EXPECT_TRUE(has(m.text(), "nn.softmax %arg0 {axis = 0 : i64}")) << m.text() << m.errors();
}

} // namespace
