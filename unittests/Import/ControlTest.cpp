// Control flow when compiling: a known branch and few turns are written out, others become ops with bodies.
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

// Both branches see x of the outer graph.
TEST(Control, AConditionFromInputsIsAChoice) {
  Imported m(choice(/*known=*/false));
  EXPECT_TRUE(has(m.text(), "nn.if %arg1 shared(%arg0)")) << m.text() << m.errors();
  EXPECT_TRUE(has(m.text(), "nn.neg") && has(m.text(), "nn.abs")) << m.text();
}

/// Neg or ReduceSum of x, which give different shapes, and then these nodes on their result `r`.
Message unlike(std::vector<Message> rest, llvm::StringRef output) {
  GraphParts yes, no, parts;
  yes.nodes = {node("Neg", {"x"}, {"a"})};
  no.nodes = {node("ReduceSum", {"x"}, {"a"})};
  yes.outputs = no.outputs = {Message().text(1, "a")};
  parts.nodes = {node("If", {"c"}, {"r"}, "choice", {subgraph("then_branch", yes), subgraph("else_branch", no)})};
  parts.nodes.insert(parts.nodes.end(), rest.begin(), rest.end());
  parts.inputs = {valueInfo("x", DataType::Float, {2}), valueInfo("c", DataType::Bool, {})};
  parts.outputs = {Message().text(1, output)};
  return model(graph(parts));
}

TEST(Control, OutputsOfDifferentSizesHaveThoseOfTheBranchTaken) {
  Imported m(unlike({}, "r"));
  ASSERT_EQ(m.exitCode(), 0) << m.errors();
  EXPECT_TRUE(has(m.text(), "nn.select") && has(m.text(), "nn.symbol")) << m.text();
}

TEST(Control, OutputsOfDifferentRanksAreRefused) {
  GraphParts yes, no, parts;
  yes.nodes = {node("Neg", {"x"}, {"a"})};
  no.nodes = {node("ReduceSum", {"x"}, {"a"}, "sum", {attribute("keepdims", int64_t(0))})};
  yes.outputs = no.outputs = {Message().text(1, "a")};
  parts.nodes = {node("If", {"c"}, {"r"}, "choice", {subgraph("then_branch", yes), subgraph("else_branch", no)})};
  parts.inputs = {valueInfo("x", DataType::Float, {2}), valueInfo("c", DataType::Bool, {})};
  parts.outputs = {Message().text(1, "r")};
  Imported m(model(graph(parts)));
  EXPECT_EQ(m.exitCode(), 4);
  EXPECT_TRUE(has(m.errors(), "the branches lead to f32[2] and to f32[]")) << m.errors();
}

// What follows is part of both branches.
TEST(Control, BranchesOfDifferentShapesLeadToOne) {
  Imported m(unlike({node("Exp", {"r"}, {"e"}), node("ReduceMax", {"e"}, {"y"})}, "y"));
  std::string text = m.text();
  EXPECT_TRUE(has(text, "nn.if")) << text << m.errors();
  EXPECT_EQ(llvm::StringRef(text).count("nn.exp"), 2u) << text;
}

/// x[n,m] without its axis 1 when that is 1, then what only a list can have.
Message squeezed(bool byShape) {
  GraphParts yes, no, parts;
  yes.nodes = {node("Squeeze", {"x", "axis"}, {"a"})};
  no.nodes = {node("Identity", {"x"}, {"a"})};
  yes.outputs = no.outputs = {Message().text(1, "a")};
  if (byShape)
    parts.nodes = {node("Shape", {"x"}, {"shape"}), node("Gather", {"shape", "axis"}, {"m"}),
                   node("Equal", {"m", "one"}, {"c"})};
  parts.nodes.push_back(
      node("If", {"c"}, {"r"}, "choice", {subgraph("then_branch", yes), subgraph("else_branch", no)}));
  parts.nodes.push_back(node("Transpose", {"r"}, {"y"}, "turn", {attribute("perm", std::vector<int64_t>{0})}));
  parts.inputs = {valueInfo("x", DataType::Float, {"n", "m"})};
  if (!byShape)
    parts.inputs.push_back(valueInfo("c", DataType::Bool, {}));
  parts.initializers = {integers("axis", {1}), integers("one", {1})};
  parts.outputs = {Message().text(1, "y")};
  return model(graph(parts));
}

ImportOptions symbolic() {
  ImportOptions options;
  options.symbols = true;
  return options;
}

// The other branch can never be right, so there is no choice, but a condition that must hold.
TEST(Control, ABranchThatCannotBeRight) {
  Imported shape(squeezed(/*byShape=*/true), symbolic());
  EXPECT_FALSE(has(shape.text(), "nn.if")) << shape.text() << shape.errors();
  EXPECT_TRUE(has(shape.text(),
                  "lhs = #nn.extent<\"m\">, message = \"node 3 \\22choice\\22 (If): the condition must be "
                  "true, since the other branch fails: Transpose:"))
      << shape.text();
  Imported data(squeezed(/*byShape=*/false), symbolic());
  EXPECT_FALSE(has(data.text(), "nn.if")) << data.text() << data.errors();
  EXPECT_TRUE(has(data.text(), "nn.symbol \"If.0\"")) << data.text();
}

// What a branch asks of sizes counts only when it is taken.
TEST(Control, ChecksOfABranch) {
  GraphParts yes, no, parts;
  yes.nodes = {node("MatMul", {"x", "w"}, {"a"})};
  no.nodes = {node("ReduceSum", {"x"}, {"a"}, "", {attribute("keepdims", int64_t(0))})};
  yes.outputs = no.outputs = {Message().text(1, "a")};
  parts.nodes = {node("If", {"c"}, {"y"}, "choice", {subgraph("then_branch", yes), subgraph("else_branch", no)})};
  parts.inputs = {valueInfo("x", DataType::Float, {"n"}), valueInfo("w", DataType::Float, {"k"}),
                  valueInfo("c", DataType::Bool, {})};
  parts.outputs = {Message().text(1, "y")};
  Imported m(model(graph(parts)), symbolic());
  EXPECT_TRUE(has(m.text(), "nn.check {row = {lhs = #nn.extent<")) << m.text() << m.errors();
  EXPECT_FALSE(has(m.text(), "nn.checks")) << m.text();
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

// The value of the outer graph is shared by all turns.
TEST(Control, ManyTurnsAreALoop) {
  Imported m(sum(100));
  EXPECT_TRUE(has(m.text(), "nn.scan states(%arg0)")) << m.text() << m.errors();
  EXPECT_TRUE(has(m.text(), "shared(%arg0)")) << m.text();
}

// Nothing is made for each of them.
TEST(Control, ATripCountMayBeAbsurd) {
  Imported m(sum(int64_t(1) << 40));
  EXPECT_TRUE(has(m.text(), "most 1099511627776")) << m.text() << m.errors();
}

/// Adds x to what is carried `count` times, an input, or until its sum is not below 9; `collects` the sums.
Message dynamicSum(bool grows, bool collects) {
  GraphParts body, parts;
  body.nodes = {node("Add", {"v", "x"}, {"sum"}), node("ReduceSum", {"sum"}, {"s"}),
                node("Less", {"s", "nine"}, {"go"})};
  if (grows)
    body.nodes.push_back(node("Concat", {"sum", "sum"}, {"next"}, "", {attribute("axis", int64_t(0))}));
  body.inputs = {valueInfo("i", DataType::Int64, {}), valueInfo("on", DataType::Bool, {}), Message().text(1, "v")};
  body.outputs = {Message().text(1, "go"), Message().text(1, grows ? "next" : "sum")};
  if (collects)
    body.outputs.push_back(Message().text(1, "s"));
  parts.nodes = {node("Cast", {"limit"}, {"nine"}, "", {attribute("to", int64_t(DataType::Float))}),
                 node("Loop", {"count", "", "x"},
                      collects ? std::vector<std::string>{"y", "z"} : std::vector<std::string>{"y"}, "loop",
                      {subgraph("body", body)})};
  parts.inputs = {valueInfo("x", DataType::Float, {2}), valueInfo("count", DataType::Int64, {})};
  parts.initializers = {integers("limit", {9})};
  parts.outputs = {Message().text(1, "y")};
  return model(graph(parts));
}

TEST(Control, TurnsThatDataDecide) {
  Imported m(dynamicSum(/*grows=*/false, /*collects=*/false));
  EXPECT_TRUE(has(m.text(), "nn.loop while(")) << m.text() << m.errors();
}

TEST(Control, WhatGrowsWithoutABoundIsRefused) {
  Imported grows(dynamicSum(/*grows=*/true, /*collects=*/false));
  EXPECT_EQ(grows.exitCode(), 4);
  EXPECT_TRUE(has(grows.errors(), "a value that is carried begins as f32[2] and becomes")) << grows.errors();
}

// The number of turns is a symbol that the loop finds, and the size of what it collects.
TEST(Control, WhatIsCollectedUntilDataEndIt) {
  Imported m(dynamicSum(/*grows=*/false, /*collects=*/true), symbolic());
  EXPECT_TRUE(has(m.text(), "nn.turns = \"Loop.1\"")) << m.text() << m.errors();
  EXPECT_TRUE(has(m.text(), "most #nn.extent<")) << m.text();
}

/// Doubles x while a counter, which begins at `first` and grows by `step`, compares with 9.
static Message countingLoop(const char *compare, int64_t first, int64_t step, bool asked) {
  GraphParts body, parts;
  body.nodes = {node("Add", {"at", "step"}, {"then"}), node(compare, {"then", "limit"}, {"go"}),
                node("Add", {"v", "v"}, {"twice"})};
  body.inputs = {valueInfo("i", DataType::Int64, {}), valueInfo("on", DataType::Bool, {}), Message().text(1, "at"),
                 Message().text(1, "v")};
  body.outputs = {Message().text(1, "go"), Message().text(1, "then"), Message().text(1, "twice")};
  parts.nodes = {node("Less", {"first", "limit"}, {"begins"}), node("Loop", {"", asked ? "begins" : "", "first", "x"},
                                                                    {"last", "y"}, "loop", {subgraph("body", body)})};
  parts.inputs = {valueInfo("x", DataType::Float, {2}), valueInfo("limit", DataType::Int64, {1})};
  parts.initializers = {integers("first", {first}), integers("step", {step})};
  parts.outputs = {Message().text(1, "last"), Message().text(1, "y")};
  if (asked) // a size instead of data
    parts.nodes.insert(parts.nodes.begin(), node("Shape", {"rows"}, {"limit"}));
  parts.inputs[1] = asked ? valueInfo("rows", DataType::Float, {9}) : parts.inputs[1];
  return model(graph(parts));
}

TEST(Control, ACounterTellsTheTurns) {
  struct Case {
    const char *compare;
    int64_t first, step, turns;
  };
  for (auto [compare, first, step, turns] :
       {Case{"Less", 0, 1, 9}, {"Less", 0, 2, 5}, {"LessOrEqual", 0, 3, 4}, {"Less", -20, 4, 8}, {"Less", 3, 1, 6}}) {
    Imported m(countingLoop(compare, first, step, /*asked=*/true), symbolic());
    EXPECT_TRUE(has(m.text(), "nn.scan")) << compare << m.text() << m.errors();
    EXPECT_TRUE(has(m.text(), "tensor<" + std::to_string(turns) + "xi64>")) << compare << step << m.text();
  }
}

TEST(Control, ACounterThatDataStopDoesNot) {
  Imported data(countingLoop("Less", 0, 1, /*asked=*/false), symbolic());
  EXPECT_TRUE(has(data.text(), "nn.loop while(")) << data.text() << data.errors();
  Imported still(countingLoop("Less", 0, 0, /*asked=*/true), symbolic());
  EXPECT_TRUE(has(still.text(), "nn.loop while(")) << still.text() << still.errors();
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
