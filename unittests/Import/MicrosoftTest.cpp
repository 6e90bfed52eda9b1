//===- MicrosoftTest.cpp - com.microsoft: what is refused ------------------------===//
//
// Numbers are judged by test/Import/compare_ort.py.
//
//===----------------------------------------------------------------------===//
#include "Imported.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<int64_t>;
const List none{-1};

/// An input: its shape and type; `none` leaves it out, an empty shape is one number.
struct In {
  List shape;
  DataType type = DataType::Float;
  std::optional<int64_t> value = {}; ///< an initializer of this one number
};
In u8(List shape) { return {shape, DataType::Uint8}; }
In i32(List shape) { return {shape, DataType::Int32}; }

std::string import(const char *op, std::vector<In> operands, std::vector<Message> attributes = {}) {
  GraphParts parts;
  std::vector<std::string> inputs;
  for (auto [number, in] : llvm::enumerate(operands)) {
    inputs.push_back(in.shape == none ? "" : std::string(1, 'a' + number));
    if (in.value)
      parts.initializers.push_back(integers(inputs.back(), {*in.value}));
    else if (in.shape != none)
      parts.inputs.push_back(valueInfo(inputs.back(), in.type, std::vector<Dim>(in.shape.begin(), in.shape.end())));
  }
  parts.nodes = {node(op, inputs, {"y"}, "node", attributes, "com.microsoft")};
  parts.outputs = {Message().text(1, "y")};
  // Both domains are imported.
  Message whole = model(graph(parts), 17);
  whole.message(8, Message().text(1, "com.microsoft").varint(2, 1));
  Imported m(whole);
  return m.module ? m.text() : m.errors();
}

Message number(llvm::StringRef name, int64_t value) { return attribute(name, value); }

#define EXPECT_PART(text, part) EXPECT_PRED2(contains, text, part)
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(Microsoft, UnknownOp) { EXPECT_PART(import("FancyNorm", {{{2, 3}}}), "domain \"com.microsoft\""); }

TEST(Microsoft, Activations) {
  EXPECT_PART(import("Gelu", {{{2, 3}}}), "nn.gelu");
  EXPECT_PART(import("BiasGelu", {{{2, 3}}}), "has 1 inputs, expected 2");
  EXPECT_PART(import("BiasGelu", {{{2, 3}}, {{4}}}), "shapes do not broadcast");
  EXPECT_PART(import("QuickGelu", {{{2, 3}}}, {attribute("alpha", "x")}), "expected float");
}

TEST(Microsoft, Normalizations) {
  In x{{2, 3, 8}}, v{{8}};
  EXPECT_PART(import("SkipLayerNormalization", {x, x, v, v}), "nn.layer_norm");
  EXPECT_PART(import("SkipLayerNormalization", {x, x, {{7}}, v}), "gamma and beta must have");
  EXPECT_PART(import("SkipLayerNormalization", {x, x, v, {{8, 1}}}), "gamma and beta must have");
  EXPECT_PART(import("SkipLayerNormalization", {x, {{5, 2, 3, 8}}, v, v}), "skip or bias does not fit");
  EXPECT_PART(import("SkipSimplifiedLayerNormalization", {x, x, {{}}}), "gamma and beta must have");
  EXPECT_PART(import("EmbedLayerNormalization", {i32({2, 4}), {none}, {{9, 8}}, {{9, 8}}, {none}, v}),
              "input 6 is left out");
  EXPECT_PART(import("EmbedLayerNormalization", {i32({2, 4}), {none}, {{9, 8}}, {{9, 7}}, {none}, v, v}), "K04");
  EXPECT_PART(import("EmbedLayerNormalization", {i32({2}), {none}, {{9, 8}}, {{9, 8}}, {none}, v, v}),
              "input 0 has rank 1, expected 2");
}

TEST(Microsoft, Products) {
  EXPECT_PART(import("FusedMatMul", {{{2, 3}}, {{2, 3}}}, {number("transA", 1)}), "tensor<3x3xf32>");
  EXPECT_PART(import("FusedMatMul", {{{2, 3}}, {{2, 3}}}), "inner dimensions differ: 3 and 2");
  EXPECT_PART(import("FusedMatMul", {{{}}, {{2, 3}}}), "at least one dimension");
  EXPECT_PART(import("FusedConv", {{{1, 4, 6, 6}}, {{6, 4, 3, 3}}}, {attribute("activation", "Fancy")}),
              "the activation \"Fancy\" is not supported");
  EXPECT_PART(import("FusedConv", {{{1, 4, 6, 6}}, {{6, 3, 3, 3}}}), "the weight expects 3");
  EXPECT_PART(import("FusedGemm", {{{2, 3}}, {{4, 5}}}), "inner dimensions differ");
  EXPECT_PART(import("MatMulIntegerToFloat", {u8({2, 3}), u8({3, 4}), {{}}, {{5}}}), "K04");
  EXPECT_PART(import("MatMulIntegerToFloat", {u8({1, 3}), u8({3, 1}), {{}}, {{5}}}), "do not fit the product");
  EXPECT_PART(import("DynamicQuantizeMatMul", {{{2, 3}}, u8({3, 4}), {{}}, u8({3})}), "K04");
}

TEST(Microsoft, BitWeights) {
  auto with = [](int64_t k, int64_t features, int64_t bits, int64_t size, In b, In scales, In zero = {none}) {
    return import("MatMulNBits", {{{2, 32}}, b, scales, zero},
                  {number("K", k), number("N", features), number("bits", bits), number("block_size", size)});
  };
  EXPECT_PART(with(32, 3, 4, 16, u8({3, 2, 8}), {{6}}), "tensor<2x3xf32>");
  EXPECT_PART(with(32, 3, 5, 16, u8({3, 2, 8}), {{6}}), "bits is 2, 4 or 8");
  EXPECT_PART(with(32, 3, 4, 0, u8({3, 2, 8}), {{6}}), "block_size at least 8");
  EXPECT_PART(with(INT64_MAX, 3, 4, 16, u8({3, 2, 8}), {{6}}), "not supported");
  EXPECT_PART(with(32, 3, 4, 16, u8({3, 2, 7}), {{6}}), "K04");
  EXPECT_PART(with(32, 3, 4, 16, u8({3, 2, 8}), {{5}}), "K04");
  EXPECT_PART(with(32, 3, 4, 16, u8({3, 2, 8}), {{6}}, u8({2})), "K04");
  EXPECT_PART(with(32, 3, 4, 16, {{3, 2, 8}}, {{6}}), "the weight B must be u8");
  EXPECT_PART(import("MatMulNBits", {{{2, 32}}, u8({3, 2, 8}), {{6}}}), "attribute \"K\" is missing");
}

TEST(Microsoft, Attention) {
  In x{{2, 3, 8}}, w{{8, 24}}, b{{24}};
  std::vector<Message> heads{number("num_heads", 2)};
  EXPECT_PART(import("Attention", {x, w, b}, heads), "tensor<2x3x8xf32>");
  EXPECT_PART(import("Attention", {x, w, b}), "attribute \"num_heads\" is missing");
  EXPECT_PART(import("Attention", {x, w, b}, {number("num_heads", 0)}), "cannot be split into 0 heads");
  EXPECT_PART(import("Attention", {{{2, 8}}, w, b}, heads), "input 0 has rank 2, expected 3");
  EXPECT_PART(import("Attention", {x, {{7, 24}}, b}, heads), "inner dimensions differ");
  EXPECT_PART(import("Attention", {x, {{8, 25}}}, heads), "cannot be split into query, key and value");
  EXPECT_PART(import("Attention", {x, w, b, i32({2, 4})}, heads), "is not supported");
  EXPECT_PART(import("Attention", {x, w, b, {none}, {{2, 2, 5, 4}}}, heads),
              "past is not (2, batch, heads, sequence, depth)");
  EXPECT_PART(import("Attention", {x, w, b, {none}, {{2, 2, 3, 5, 4}}}, heads), "K04");
  EXPECT_PART(import("MultiHeadAttention", {x, x, x}, heads), "tensor<2x3x8xf32>");
  EXPECT_PART(import("MultiHeadAttention", {x}, heads), "are not supported");
  EXPECT_PART(import("MultiHeadAttention", {x, {{2, 8}}, {{2, 8}}}, heads), "cannot be split into 2 heads");
  EXPECT_PART(import("MultiHeadAttention", {x, x, x, {{23}}}, heads), "the bias does not have");
  EXPECT_PART(import("MultiHeadAttention", {x, {{2, 5, 8}}, x}, heads), "do not fit together");
  EXPECT_PART(import("GroupQueryAttention", {x, x, x}, {number("num_heads", 2), number("kv_num_heads", 2)}),
              "input 5 is left out");
  EXPECT_PART(import("GroupQueryAttention", {x, x, x, {none}, {none}, i32({2}), i32({})},
                     {number("num_heads", 2), number("kv_num_heads", 2)}),
              "total_sequence_length must be known");
  auto grouped = [&](int64_t total, int64_t window) {
    return import("GroupQueryAttention", {x, x, x, {none}, {none}, i32({2}), {{1}, DataType::Int64, total}},
                  {number("num_heads", 2), number("kv_num_heads", 2), number("local_window_size", window)});
  };
  EXPECT_PART(grouped(3, -1), "tensor<2x3x8xf32>");
  EXPECT_PART(grouped(2, -1), "total_sequence_length, seqlens_k or local_window_size does not fit");
  EXPECT_PART(grouped(3, INT64_MAX), "total_sequence_length, seqlens_k or local_window_size does not fit");
  EXPECT_PART(grouped(INT64_MAX, -1), "K0");
  In q = u8({2, 3, 8}), weight = u8({8, 24}), one{{}};
  EXPECT_PART(import("QAttention", {q, weight, b, one, one}, heads), "tensor<2x3x8xf32>");
  EXPECT_PART(import("QAttention", {q, weight, b, one}, heads), "has 4 inputs, expected 5 to 9");
  EXPECT_PART(import("QAttention", {q, weight, b, one, {{7}}}, heads), "K04");
  EXPECT_PART(import("QAttention", {q, u8({8, 1}), {{24}}, one, one}, heads), "do not fit the product");
}

TEST(Microsoft, RotaryEmbedding) {
  In x{{2, 3, 32}}, angles{{20, 8}}, ids{{2, 3}, DataType::Int64};
  EXPECT_PART(import("RotaryEmbedding", {x, ids, angles, angles}), "nn.rotary");
  EXPECT_PART(import("RotaryEmbedding", {x, ids, angles}), "has 3 inputs, expected 4");
  EXPECT_PART(import("RotaryEmbedding", {x, ids, angles, {{20, 7}}}), "cannot rotate 16 numbers");
  EXPECT_PART(import("RotaryEmbedding", {x, ids, {{20, 0}}, angles}), "cannot be split into 0 heads");
  EXPECT_PART(import("RotaryEmbedding", {x, {{5, 3}, DataType::Int64}, angles, angles}), "does not broadcast");
  EXPECT_PART(import("RotaryEmbedding", {x, ids, angles, angles}, {number("is_packed_batching", 1)}), "not supported");
}

TEST(Microsoft, Quantised) {
  In x = u8({2, 3}), one{{}}, zero = u8({});
  EXPECT_PART(import("QLinearAdd", {x, one, zero, x, one, zero, one, zero}), "nn.quantize");
  EXPECT_PART(import("QLinearAdd", {x, one, zero, x, one, zero}), "input 6 is left out");
  EXPECT_PART(import("QLinearAdd", {x, {{3}}, zero, x, one, zero, one, zero}), "expected one number");
  EXPECT_PART(import("QLinearAdd", {x, one, zero, u8({4}), one, zero, one, zero}), "shapes do not broadcast");
  EXPECT_PART(import("QLinearSigmoid", {x, one, i32({}), one, zero}), "element types differ");
  EXPECT_PART(import("QLinearConcat", {one, zero, x, one}, {number("axis", 0)}), "three inputs for each operand");
  EXPECT_PART(import("QLinearConcat", {one, zero, x, one, zero}), "needs the attribute axis");
  EXPECT_PART(import("QLinearConcat", {one, zero, x, one, zero}, {number("axis", 5)}), "axis 5 is outside");
  EXPECT_PART(import("QLinearGlobalAveragePool", {x, one, zero, one, zero}), "input 0 has rank 2");
  EXPECT_PART(import("QLinearAveragePool", {u8({1, 2, 4, 4}), one, zero, one, zero}), "kernel_shape");
  EXPECT_PART(import("QGemm", {x, one, zero, u8({4, 2}), one, zero}), "inner dimensions differ");
  EXPECT_PART(import("QGemm", {x, one, zero, u8({3, 2}), one}), "input 5 is left out");
  EXPECT_PART(import("DynamicQuantizeLSTM", {{{5, 2, 4}}, u8({1, 4, 12}), u8({1, 3, 12})}), "input 8 is left out");
  In scale{{1}}, zeros = u8({1}), gone{none};
  // Inputs are quantised together, states by batch entry.
  std::string lstm =
      import("DynamicQuantizeLSTM",
             {{{5, 2, 4}}, u8({1, 4, 12}), u8({1, 3, 12}), gone, gone, gone, gone, gone, scale, zeros, scale, zeros});
  EXPECT_PART(lstm.substr(0, lstm.find("nn.scan")), "axes = array<i64: 0, 1, 2>");
  EXPECT_PART(lstm.substr(lstm.find("nn.scan")), "{axes = array<i64: 1>, kind = \"max\"}");
  EXPECT_PART(
      import("DynamicQuantizeLSTM",
             {{{5, 2, 4}}, u8({1, 4, 12}), u8({1, 3, 12}), gone, gone, gone, gone, gone, scale, zeros, {{2}}, zeros}),
      "input 10 does not have one entry for each direction");
  EXPECT_PART(
      import("DynamicQuantizeLSTM",
             {{{5, 2, 4}}, u8({1, 12, 4}), u8({1, 3, 12}), gone, gone, gone, gone, gone, scale, zeros, scale, zeros}),
      "the weight W does not have the shape [1,4,12]");
}

} // namespace
