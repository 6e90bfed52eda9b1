//===- ImportTest.cpp - good models, and the rules around nodes ----------------===//
#include "Imported.h"
#include "kumiko/Import/Onnx/Fields.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

bool has(const std::string &text, llvm::StringRef part) { return llvm::StringRef(text).contains(part); }

Message chain(std::vector<Message> nodes, std::vector<Message> inputs, std::vector<Message> initializers = {},
              int64_t opset = 17, DataType result = DataType::Float) {
  GraphParts parts;
  parts.nodes = nodes;
  parts.inputs = inputs;
  parts.initializers = initializers;
  parts.outputs = {valueInfo("y", result)};
  return model(graph(parts), opset);
}

TEST(Import, NamesAndLocations) {
  Imported m(chain({node("Relu", {"x"}, {"h"}, "first"), node("Neg", {"h"}, {"y"})},
                   {valueInfo("x", DataType::Float, {2, 3})}));
  ASSERT_TRUE(m.module) << m.errors();
  std::string text;
  llvm::raw_string_ostream os(text);
  m.module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  EXPECT_TRUE(has(text, "func.func @main(%arg0: tensor<2x3xf32> {nn.name = \"x\"}")) << text;
  EXPECT_TRUE(has(text, "-> (tensor<2x3xf32> {nn.name = \"y\"})")) << text;
  EXPECT_TRUE(has(text, "loc(\"first\")")) << text;
  EXPECT_TRUE(has(text, "loc(\"#1 Neg\")")) << text;
  EXPECT_TRUE(has(text, "nn.source_nodes = 2")) << text;
}

// Weights stay in the file, whatever their alignment there.
TEST(Import, WeightsAreResources) {
  Imported m(chain({node("Add", {"x", "w"}, {"y"})}, {valueInfo("x", DataType::Float, {5, 7})}, {floats("w", {5, 7})}));
  EXPECT_TRUE(has(m.text(), "nn.constant dense_resource<w> : tensor<5x7xf32>")) << m.text() << m.errors();
}

TEST(Import, InitializersThatAreInputsAreConstants) {
  Imported m(chain({node("Add", {"x", "w"}, {"y"})},
                   {valueInfo("x", DataType::Float, {2}), valueInfo("w", DataType::Float, {2})}, {floats("w", {2})}));
  EXPECT_TRUE(has(m.text(), "@main(%arg0: tensor<2xf32> {nn.name = \"x\"})")) << m.text() << m.errors();
  EXPECT_EQ(m.summary.overridable, std::vector<std::string>{"w"});
  EXPECT_EQ(m.summary.inputs.size(), 1u);
}

TEST(Import, NodesInAnyOrder) {
  Imported m(chain({node("Neg", {"h"}, {"y"}), node("Relu", {"x"}, {"h"})}, {valueInfo("x", DataType::Float, {2})}));
  EXPECT_TRUE(m.module) << m.errors();
}

// Shape, Gather, Concat: a shape computed in the graph is known.
TEST(Import, ShapeArithmeticFolds) {
  Imported m(chain({node("Shape", {"x"}, {"s"}), node("Gather", {"s", "zero"}, {"n"}),
                    node("Concat", {"n", "rest"}, {"shape"}, "", {attribute("axis", int64_t(0))}),
                    node("Reshape", {"x", "shape"}, {"y"})},
                   {valueInfo("x", DataType::Float, {4, 2, 3})}, {integers("zero", {0}), integers("rest", {-1})}));
  EXPECT_TRUE(has(m.text(), "nn.reshape %arg0 : tensor<4x2x3xf32> -> tensor<4x6xf32>")) << m.text() << m.errors();
}

TEST(Import, ShapeFromAnInputIsRefused) {
  Imported m(chain({node("Reshape", {"x", "s"}, {"y"}, "reshape")},
                   {valueInfo("x", DataType::Float, {4}), valueInfo("s", DataType::Int64, {2})}));
  EXPECT_EQ(m.exitCode(), 4);
  EXPECT_TRUE(has(m.errors(), "error[K0506]: Reshape: shape must be known when compiling")) << m.errors();
}

//===----------------------------------------------------------------------===//
// Symbolic dimensions
//===----------------------------------------------------------------------===//

Message symbolic() {
  return chain({node("Relu", {"data"}, {"y"})}, {valueInfo("data", DataType::Float, {"batch", 3, -1})});
}

TEST(Import, SymbolsNeedNumbers) {
  Imported m(symbolic());
  EXPECT_EQ(m.exitCode(), 4);
  EXPECT_EQ(m.errors(),
            "error[K0601]: graph input \"data\" has dimensions without a number: axis 0 is \"batch\", axis 2\n"
            "  --> m.onnx\n"
            "      data: f32[batch,3,?]  graph input\n"
            "  help: say how large they are, for example --dim batch=1 --dim 'data[2]=1'\n");
  EXPECT_EQ(m.summary.inputs[0].type, "f32[batch,3,?]");
}

TEST(Import, SymbolsGetNumbers) {
  ImportOptions options;
  ProblemList problems;
  EXPECT_TRUE(parseDim("batch=2", options, problems));
  EXPECT_TRUE(parseDim("data[2]=8", options, problems));
  Imported m(symbolic(), options);
  EXPECT_TRUE(has(m.text(), "tensor<2x3x8xf32>")) << m.errors();
  EXPECT_FALSE(parseDim("batch", options, problems));
  EXPECT_FALSE(parseDim("=3", options, problems));
  EXPECT_FALSE(parseDim("batch=-3", options, problems));
  EXPECT_EQ(problems.exitCode(), 2);
}

TEST(Import, SymbolsThatAreNotThere) {
  ImportOptions options;
  options.dims = {{"batch", 2}, {"data[2]", 8}, {"bacth", 3}};
  Imported m(symbolic(), options);
  EXPECT_EQ(m.exitCode(), 2);
  EXPECT_TRUE(has(m.errors(), "--dim bacth fits no dimension")) << m.errors();
}

//===----------------------------------------------------------------------===//
// Faults of graphs and nodes
//===----------------------------------------------------------------------===//

/// Exit code and code of the first problem.
std::pair<int, int> faultOf(const Message &file) {
  Imported m(file);
  return {m.exitCode(), m.problems.all().empty() ? 0 : int(m.problems.all()[0].code)};
}
using Pair = std::pair<int, int>;
const std::vector<Message> vector2 = {valueInfo("x", DataType::Float, {2})};

TEST(Import, GraphFaults) {
  EXPECT_EQ(faultOf(chain({node("Relu", {"y"}, {"y"})}, vector2)), Pair(3, 303)); // self-loop
  EXPECT_EQ(faultOf(chain({node("Relu", {"x"}, {"y"}), node("Neg", {"x"}, {"y"})}, vector2)), Pair(3, 302));  // twice
  EXPECT_EQ(faultOf(chain({node("Relu", {"x"}, {"x"}), node("Relu", {"x"}, {"y"})}, vector2)), Pair(3, 302)); // input
  EXPECT_EQ(faultOf(chain({node("Relu", {"z"}, {"y"})}, vector2)), Pair(3, 301));
  EXPECT_EQ(faultOf(chain({node("Relu", {"x"}, {"z"})}, vector2)), Pair(3, 301)); // output
  EXPECT_EQ(faultOf(model(graph({}))), Pair(3, 304));
  EXPECT_EQ(faultOf(chain({node("Relu", {"x"}, {"y"})},
                          {valueInfo("x", DataType::Float, {2}), valueInfo("x", DataType::Float, {2})})),
            Pair(3, 302));
  EXPECT_EQ(faultOf(chain({node("Relu", {"x"}, {"y"})}, vector2, {}, 17, DataType::Int64)), Pair(3, 308));
}

TEST(Import, NodeFaults) {
  EXPECT_EQ(faultOf(chain({node("Relu", {}, {"y"})}, vector2)), Pair(3, 401));
  EXPECT_EQ(faultOf(chain({node("Relu", {"x", "x"}, {"y"})}, vector2)), Pair(3, 401));
  EXPECT_EQ(faultOf(chain({node("Relu", {"x"}, {"y", "z"})}, vector2)), Pair(3, 401));
  EXPECT_EQ(faultOf(chain({node("Add", {"", "x"}, {"y"})}, vector2)), Pair(3, 401));
  EXPECT_EQ(faultOf(chain({node("Flatten", {"x"}, {"y"}, "", {attribute("axis", 1.0f)})}, vector2)), Pair(3, 402));
  EXPECT_EQ(faultOf(chain({node("Concat", {"x"}, {"y"})}, vector2)), Pair(3, 403));
  EXPECT_EQ(faultOf(chain({node("Relu", {"x"}, {"y"}, "", {attribute("slope", 1.0f)})}, vector2)), Pair(3, 404));
  EXPECT_EQ(faultOf(chain({node("Softmax", {"x"}, {"y"}, "", {attribute("axis", int64_t(1))})}, vector2)),
            Pair(3, 405));
  EXPECT_EQ(faultOf(chain({node("Gelu", {"x"}, {"y"})}, vector2, {}, 19)), Pair(3, 414));
  EXPECT_EQ(faultOf(chain({node("Gelu", {"x"}, {"y"})}, vector2, {}, 20)), Pair(0, 0));
  EXPECT_EQ(faultOf(chain({node("LayerNormalization", {"x", "x"}, {"y"})}, vector2, {}, 11)), Pair(0, 0));
  EXPECT_EQ(faultOf(chain({node("StringNormalizer", {"x"}, {"y"})}, vector2)), Pair(4, 501));
  EXPECT_EQ(faultOf(chain({node("LinearAttention", {"x", "x", "x"}, {"y"})}, vector2)), Pair(3, 414));
}

TEST(Import, Bombs) {
  int64_t million = 1000000;
  auto bomb = [&](Message theNode, std::vector<int64_t> numbers) {
    return faultOf(chain({theNode}, vector2, {integers("n", numbers)}));
  };
  EXPECT_EQ(bomb(node("ConstantOfShape", {"n"}, {"y"}), {million, million, million}), Pair(4, 507));
  EXPECT_EQ(bomb(node("ConstantOfShape", {"n"}, {"y"}), {INT64_MAX, INT64_MAX}), Pair(4, 507));
  EXPECT_EQ(bomb(node("ConstantOfShape", {"n"}, {"y"}), {0, INT64_MAX}), Pair(4, 507));
  EXPECT_EQ(bomb(node("ConstantOfShape", {"n"}, {"y"}), {-1}), Pair(3, 413));
  EXPECT_EQ(bomb(node("Expand", {"x", "n"}, {"y"}), {million, million, 2}), Pair(4, 507));
  EXPECT_EQ(bomb(node("Tile", {"x", "n"}, {"y"}), {million * million}), Pair(4, 507));
  EXPECT_EQ(bomb(node("Tile", {"x", "n"}, {"y"}), {INT64_MAX}), Pair(3, 413));
  EXPECT_EQ(bomb(node("Pad", {"x", "n"}, {"y"}), {million * million, 0}), Pair(4, 507));
  EXPECT_EQ(bomb(node("Pad", {"x", "n"}, {"y"}), {INT64_MAX, INT64_MAX}), Pair(4, 507));
}

//===----------------------------------------------------------------------===//
// Functions of the model
//===----------------------------------------------------------------------===//

Message function(llvm::StringRef name, std::vector<std::string> inputs, std::vector<std::string> outputs,
                 std::vector<Message> nodes, std::vector<std::string> attributes = {}) {
  namespace f = field::function;
  Message result;
  result.text(f::Name, name).text(f::Domain, "local");
  for (const std::string &input : inputs)
    result.text(f::Input, input);
  for (const std::string &output : outputs)
    result.text(f::Output, output);
  for (const std::string &attribute : attributes)
    result.text(f::Attribute, attribute);
  for (const Message &node : nodes)
    result.message(f::Node, node);
  return result.message(f::OpsetImport, Message().text(1, "").varint(2, 17))
      .message(f::OpsetImport, Message().text(1, "local").varint(2, 1));
}

Message calling(std::vector<Message> functions, std::vector<Message> attributes = {}) {
  GraphParts parts;
  parts.nodes = {node("F", {"x"}, {"y"}, "call", attributes, "local")};
  parts.inputs = {valueInfo("x", DataType::Float, {2, 3})};
  parts.outputs = {valueInfo("y", DataType::Float, {2, 3})};
  Message file = model(graph(parts), 17, functions);
  return file.message(field::model::OpsetImport, Message().text(1, "local").varint(2, 1));
}

TEST(Import, FunctionsAreInlined) {
  Message axis;
  axis.text(field::attribute::Name, "axis")
      .text(field::attribute::Reference, "along")
      .varint(field::attribute::Type, static_cast<uint64_t>(Attribute::Kind::Int));
  Imported m(calling(
      {function("F", {"a"}, {"b"}, {node("Softmax", {"a"}, {"h"}, "", {axis}), node("Neg", {"h"}, {"b"})}, {"along"})},
      {attribute("along", int64_t(0))}));
  EXPECT_TRUE(has(m.text(), "nn.softmax %arg0 {axis = 0 : i64}")) << m.text() << m.errors();
}

TEST(Import, RecursiveFunctions) {
  Message self = function("F", {"a"}, {"b"}, {node("F", {"a"}, {"b"}, "", {}, "local")});
  EXPECT_EQ(faultOf(calling({self})), Pair(3, 309));
  Message f = function("F", {"a"}, {"b"}, {node("G", {"a"}, {"b"}, "", {}, "local")});
  Message g = function("G", {"a"}, {"b"}, {node("F", {"a"}, {"b"}, "", {}, "local")});
  EXPECT_EQ(faultOf(calling({f, g})), Pair(3, 309));
}

} // namespace
