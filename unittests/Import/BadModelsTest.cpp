//===- BadModelsTest.cpp - what bad models are told, word for word -------------===//
//
// The nine faults that other engines were tried on, each with the full text of the answer.
//
//===----------------------------------------------------------------------===//
#include "Imported.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

Message one(Message theNode, std::vector<Message> inputs, std::vector<Message> initializers = {}, int64_t opset = 17) {
  GraphParts parts;
  parts.nodes = {theNode};
  parts.inputs = inputs;
  parts.initializers = initializers;
  parts.outputs = {valueInfo("y", DataType::Float, {1})};
  return model(graph(parts), opset);
}

TEST(BadModels, UnknownOp) {
  Imported m(one(node("FancyNorm", {"x"}, {"y"}, "block3/fancy_norm"), {valueInfo("x", DataType::Float, {1, 8})}));
  EXPECT_EQ(m.exitCode(), 3);
  EXPECT_EQ(m.errors(), "error[K0415]: FancyNorm: ONNX has no op of this name\n"
                        "  --> m.onnx, node 0 \"block3/fancy_norm\" (FancyNorm, opset 17)\n"
                        "      x: f32[1,8]  graph input\n"
                        "  help: custom ops belong to a domain of their own; --ops reads their equations\n");
  ASSERT_EQ(m.summary.ops.size(), 1u);
  EXPECT_FALSE(m.summary.ops["FancyNorm"].supported);
}

TEST(BadModels, UnknownDomain) {
  Message file = one(node("FancyNorm", {"x"}, {"y"}, "block3/fancy_norm", {}, "com.acme"),
                     {valueInfo("x", DataType::Float, {1, 8})});
  file.message(8, Message().text(1, "com.acme").varint(2, 3)); // imported, as it should be
  Imported m(file);
  EXPECT_EQ(m.exitCode(), 4);
  EXPECT_EQ(m.errors(), "error[K0502]: FancyNorm: ops of the domain \"com.acme\" are not supported\n"
                        "  --> m.onnx, node 0 \"block3/fancy_norm\" (com.acme.FancyNorm, opset 3)\n"
                        "      x: f32[1,8]  graph input\n"
                        "  help: replace the node by ops of ONNX, or describe the op as an equation and pass it with "
                        "--ops\n");
  ASSERT_EQ(m.summary.unsupported.size(), 1u);
  EXPECT_EQ(m.summary.unsupported[0].node, "node 0 \"block3/fancy_norm\" (com.acme.FancyNorm)");
}

TEST(BadModels, ConvChannels) {
  GraphParts parts;
  parts.nodes = {node("Relu", {"x"}, {"h"}, "relu_x"), node("Conv", {"h", "w"}, {"y"}, "conv_y")};
  parts.inputs = {valueInfo("x", DataType::Float, {1, 4, 8, 8})};
  parts.initializers = {floats("w", {16, 3, 3, 3})};
  parts.outputs = {valueInfo("y", DataType::Float, {1, 16, 6, 6})};
  Imported m(model(graph(parts)));
  EXPECT_EQ(m.exitCode(), 3);
  EXPECT_EQ(m.errors(), "error[K0412]: Conv: input has 4 channels, the weight expects 3\n"
                        "  --> m.onnx, node 1 \"conv_y\" (Conv, opset 17)\n"
                        "      h: f32[1,4,8,8]   from node 0 \"relu_x\"\n"
                        "      w: f32[16,3,3,3]  initializer;  group=1, so C must be 3\n"
                        "  help: w fits group=1 and C=3; with group=4 it would need 1 channel\n");
}

TEST(BadModels, MatMulInnerDimensions) {
  Imported m(one(node("MatMul", {"a", "b"}, {"y"}, "decoder/proj"),
                 {valueInfo("a", DataType::Float, {2, 5}), valueInfo("b", DataType::Float, {4, 7})}));
  EXPECT_EQ(m.exitCode(), 3);
  EXPECT_EQ(m.errors(), "error[K0412]: MatMul: inner dimensions differ: 5 and 4\n"
                        "  --> m.onnx, node 0 \"decoder/proj\" (MatMul, opset 17)\n"
                        "      a: f32[2,5]  graph input\n"
                        "      b: f32[4,7]  graph input\n"
                        "  help: the last dimension of the first operand must be the second to last one of the second; "
                        "a Transpose may be missing\n");
}

TEST(BadModels, AddOfTwoTypes) {
  Imported m(one(node("Add", {"x", "i"}, {"y"}, "decoder/add"),
                 {valueInfo("x", DataType::Float, {2}), valueInfo("i", DataType::Int64, {2})}));
  EXPECT_EQ(m.exitCode(), 3);
  EXPECT_EQ(m.errors(), "error[K0410]: Add: element types differ: f32 and i64\n"
                        "  --> m.onnx, node 0 \"decoder/add\" (Add, opset 17)\n"
                        "      x: f32[2]  graph input\n"
                        "      i: i64[2]  graph input\n"
                        "  help: put a Cast in front of one of them; ONNX never converts by itself\n");
}

TEST(BadModels, Cycle) {
  GraphParts parts;
  parts.nodes = {node("Add", {"x", "b"}, {"a"}, "add_a"), node("Relu", {"a"}, {"b"}, "relu_b"),
                 node("Neg", {"b"}, {"y"}, "neg_y")};
  parts.inputs = {valueInfo("x", DataType::Float, {2})};
  parts.outputs = {valueInfo("y", DataType::Float, {2})};
  Imported m(model(graph(parts)));
  EXPECT_EQ(m.exitCode(), 3);
  EXPECT_EQ(m.errors(), "error[K0303]: nodes wait for each other: \"add_a\", \"relu_b\"\n"
                        "  --> m.onnx, node 0 \"add_a\" (Add, opset 17)\n"
                        "      b:   needed by \"add_a\", made by \"relu_b\"\n"
                        "      a:   needed by \"relu_b\", made by \"add_a\"\n"
                        "  help: a graph must not contain cycles; break it at one of these values\n");
}

TEST(BadModels, OpsetOfTheFuture) {
  Imported m(one(node("Relu", {"x"}, {"y"}), {valueInfo("x", DataType::Float, {2})}, {}, 99));
  EXPECT_EQ(m.exitCode(), 4);
  EXPECT_EQ(m.errors(), "error[K0503]: the model uses operator set 99, the newest known is 28\n"
                        "  --> m.onnx\n"
                        "  help: export the model for opset 28 or older, or convert it with onnx.version_converter\n");
}

TEST(BadModels, Truncated) {
  Message whole = one(node("Relu", {"x"}, {"y"}), {valueInfo("x", DataType::Float, {2})});
  Message cut;
  cut.bytes = whole.bytes.substr(0, 30);
  Imported m(cut);
  EXPECT_EQ(m.exitCode(), 3);
  EXPECT_EQ(m.errors(), "error[K0102]: field graph claims 51 bytes, 26 are left\n"
                        "  --> m.onnx\n"
                        "  help: the file was cut off: copy or export it again\n");
}

TEST(BadModels, Png) {
  Message png;
  png.bytes = std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  Imported m(png);
  EXPECT_EQ(m.exitCode(), 3);
  EXPECT_EQ(m.errors(), "error[K0101]: this is a PNG image, not an ONNX model\n"
                        "  --> m.onnx\n"
                        "  help: export the model as .onnx in protobuf form\n");
}

TEST(BadModels, ExternalDataMissing) {
  Imported m(one(node("Add", {"x", "w"}, {"y"}, "add"), {valueInfo("x", DataType::Float, {2})},
                 {external("w", {2}, "gone.bin")}));
  EXPECT_EQ(m.exitCode(), 3);
  EXPECT_EQ(m.errors(),
            "error[K0211]: initializer \"w\": external data \"gone.bin\" does not exist\n"
            "  --> m.onnx\n"
            "  help: put the file into the folder of the model, or save the model with its weights inside\n");
}

// All errors of a model at once, and nothing about nodes that only follow from them.
TEST(BadModels, AllAtOnce) {
  GraphParts parts;
  parts.nodes = {node("FancyNorm", {"x"}, {"a"}, "one"), node("Relu", {"a"}, {"b"}, "follows"),
                 node("MatMul", {"x", "x"}, {"c"}, "two"), node("Relu", {"nowhere"}, {"d"}, "three"),
                 node("Relux", {"b"}, {"y"}, "four")};
  parts.inputs = {valueInfo("x", DataType::Float, {2, 3})};
  parts.outputs = {valueInfo("y", DataType::Float, {2})};
  Imported m(model(graph(parts)));
  std::string text = m.errors();
  EXPECT_EQ(m.problems.errorCount(), 4u) << text;
  for (const char *name : {"\"one\"", "\"two\"", "\"three\"", "\"four\""})
    EXPECT_NE(text.find(name), std::string::npos) << name;
  EXPECT_EQ(text.find("--> m.onnx, node 1"), std::string::npos);
  EXPECT_NE(text.find("did you mean Relu?"), std::string::npos);
}

} // namespace
