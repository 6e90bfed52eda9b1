//===- RecurrentTest.cpp - recurrent layers: what is built, what is refused ----===//
//
// Numbers are judged by the ONNX suite and by test/Import/compare_ort.py.
//
//===----------------------------------------------------------------------===//
#include "Imported.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<int64_t>;

/// Shapes of X, W, R, B, sequence_lens, initial_h, initial_c, P; empty lists are left out.
struct Layer {
  std::string op = "LSTM";
  List x{5, 2, 4}, w{1, 12, 4}, r{1, 12, 3}, b{}, lens{}, h{}, c{}, p{};
  DataType lensType = DataType::Int32;
  std::vector<Message> attributes{};
};

std::string import(const Layer &layer) {
  GraphParts parts;
  std::vector<std::string> inputs;
  for (auto [number, shape] :
       llvm::enumerate(std::vector<List>{layer.x, layer.w, layer.r, layer.b, layer.lens, layer.h, layer.c, layer.p})) {
    inputs.push_back(shape.empty() ? "" : std::string(1, 'a' + number));
    if (!shape.empty())
      parts.inputs.push_back(valueInfo(inputs.back(), number == 4 ? layer.lensType : DataType::Float,
                                       std::vector<Dim>(shape.begin(), shape.end())));
  }
  parts.nodes = {node(layer.op, inputs, {"y"}, "layer", layer.attributes)};
  parts.outputs = {Message().text(1, "y")};
  Imported m(model(graph(parts), 22));
  return m.module ? m.text() : m.errors();
}

#define EXPECT_PART(text, part) EXPECT_PRED2(contains, text, part)
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

Message strings(llvm::StringRef name, std::vector<std::string> values) {
  Message message;
  message.text(1, name).varint(20, uint64_t(Attribute::Kind::Strings));
  for (const std::string &value : values)
    message.text(9, value);
  return message;
}

// The inputs meet their weights in one product for all steps; the state's product is in the body.
TEST(Recurrent, InputsAreProjectedAtOnce) {
  std::string text = import({});
  size_t product = text.find("nn.matmul"), scan = text.find("nn.scan");
  EXPECT_LT(product, scan);
  EXPECT_NE(text.find("nn.matmul", scan), std::string::npos);
  EXPECT_PART(text, "(tensor<5x2x4xf32>, tensor<4x12xf32>) -> tensor<5x2x12xf32>");
  EXPECT_PART(text, "return %");
  EXPECT_PART(text, "tensor<5x1x2x3xf32>");
}

TEST(Recurrent, BatchFirst) {
  EXPECT_PART(import({.x = {2, 5, 4}, .h = {2, 1, 3}, .attributes = {attribute("layout", int64_t(1))}}),
              "tensor<2x5x1x3xf32>");
}

// ONNX Runtime has another default here; the standard says that of the op.
TEST(Recurrent, DefaultOfThresholdedRelu) {
  std::string text = import(
      {.op = "RNN", .w = {1, 3, 4}, .r = {1, 3, 3}, .attributes = {strings("activations", {"ThresholdedRelu"})}});
  EXPECT_PART(text, "nn.constant dense<1.000000e+00>");
  EXPECT_PART(text, "nn.lt");
}

TEST(Recurrent, WrongShapes) {
  EXPECT_PART(import({.x = {5, 4}}), "LSTM: input 0 has rank 2, expected 3");
  EXPECT_PART(import({.w = {12, 4}}), "LSTM: input 1 has rank 2, expected 3");
  EXPECT_PART(import({.w = {1, 12, 5}}), "the weight W does not have the shape [1,12,4]");
  EXPECT_PART(import({.w = {2, 12, 4}, .r = {2, 12, 3}}), "the weight W does not have the shape [1,12,4]");
  EXPECT_PART(import({.r = {1, 9, 3}}), "the weight R does not have the shape [1,12,3]");
  EXPECT_PART(import({.b = {1, 12}}), "the bias B does not have the shape [1,24]");
  EXPECT_PART(import({.lens = {3}}), "sequence_lens does not have the shape [2]");
  EXPECT_PART(import({.lens = {2}, .lensType = DataType::Float}), "sequence_lens must be integers");
  EXPECT_PART(import({.h = {1, 2, 4}}), "initial_h does not have the shape [1,2,3]");
  EXPECT_PART(import({.c = {2, 2, 3}}), "initial_c does not have the shape [1,2,3]");
  EXPECT_PART(import({.p = {1, 12}}), "the peepholes P does not have the shape [1,9]");
  EXPECT_PART(import({.op = "GRU"}), "the weight W does not have the shape [1,9,4]");
  EXPECT_PART(import({.op = "RNN", .p = {1, 9}}), "RNN: has 8 inputs, expected 3 to 6");
  EXPECT_PART(import({.r = {1, 0, int64_t(1) << 62}}), "is too large");
}

TEST(Recurrent, WrongAttributes) {
  auto with = [](Message attribute) { return import({.attributes = {attribute}}); };
  EXPECT_PART(with(attribute("hidden_size", int64_t(7))), "hidden_size is 7, the weights have 3");
  EXPECT_PART(with(attribute("direction", "sideways")), "direction is \"sideways\"");
  EXPECT_PART(with(attribute("clip", -1.0f)), "clip is negative or no number");
  EXPECT_PART(with(strings("activations", {"Tanh"})), "1 activations are given, expected 3");
  EXPECT_PART(with(strings("activations", {"Tanh", "Tanh", "Tahn"})), "\"Tahn\" is no activation");
  EXPECT_PART(with(attribute("activations", "Tanh")),
              "attribute \"activations\" is of type string, expected list of str");
  EXPECT_PART(with(attribute("linear_before_reset", int64_t(1))), "has no attribute \"linear_before_reset\"");
}

// No steps, no batch entries and no hidden numbers are all something.
TEST(Recurrent, Empty) {
  EXPECT_PART(import({.x = {0, 2, 4}}), "tensor<0x1x2x3xf32>");
  EXPECT_PART(import({.x = {5, 0, 4}}), "tensor<5x1x0x3xf32>");
  EXPECT_PART(import({.w = {1, 0, 4}, .r = {1, 0, 0}}), "tensor<5x1x2x0xf32>");
}

} // namespace
