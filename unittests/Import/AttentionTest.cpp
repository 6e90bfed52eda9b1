//===- AttentionTest.cpp - attention: shapes, and what is refused ---------------===//
//
// Numbers are judged by the ONNX suite.
//
//===----------------------------------------------------------------------===//
#include "Imported.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<int64_t>;

/// One node on float inputs of these shapes; an empty list leaves one out. Input `wholes` is i64.
std::string import(const char *op, std::vector<List> shapes, std::vector<Message> attributes = {}, size_t wholes = 99) {
  GraphParts parts;
  std::vector<std::string> inputs;
  for (auto [number, shape] : llvm::enumerate(shapes)) {
    inputs.push_back(shape.empty() ? "" : std::string(1, 'a' + number));
    if (!shape.empty())
      parts.inputs.push_back(valueInfo(inputs.back(), number == wholes ? DataType::Int64 : DataType::Float,
                                       std::vector<Dim>(shape.begin(), shape.end())));
  }
  parts.nodes = {node(op, inputs, {"y"}, "node", attributes)};
  parts.outputs = {Message().text(1, "y")};
  Imported m(model(graph(parts), 27));
  return m.module ? m.text() : m.errors();
}

Message number(llvm::StringRef name, int64_t value) { return attribute(name, value); }

#define EXPECT_PART(text, part) EXPECT_PRED2(contains, text, part)
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(Attention, Shapes) {
  List q{2, 4, 3, 8}, k{2, 2, 5, 8}, v{2, 2, 5, 6};
  EXPECT_PART(import("Attention", {q, k, v}), "tensor<2x4x3x6xf32>");
  EXPECT_PART(
      import("Attention", {{2, 3, 32}, {2, 5, 16}, {2, 5, 12}}, {number("q_num_heads", 4), number("kv_num_heads", 2)}),
      "tensor<2x3x24xf32>");
  EXPECT_PART(import("Attention", {q, k, v, {}, {2, 2, 7, 8}, {2, 2, 7, 6}}), "tensor<2x2x12x8xf32>");
}

TEST(Attention, WrongInputs) {
  List q{2, 4, 3, 8}, k{2, 2, 5, 8}, v{2, 2, 5, 6};
  EXPECT_PART(import("Attention", {{2, 4, 8, 3, 8}, k, v}), "input 0 has rank 5, expected 3 to 4");
  EXPECT_PART(import("Attention", {q, {2, 5, 16}, v}), "input 1 has rank 3, expected 4");
  EXPECT_PART(import("Attention", {{2, 3, 32}, {2, 5, 16}, {2, 5, 12}}), "need q_num_heads and kv_num_heads");
  EXPECT_PART(
      import("Attention", {{2, 3, 32}, {2, 5, 16}, {2, 5, 12}}, {number("q_num_heads", 5), number("kv_num_heads", 0)}),
      "cannot be split into 5 heads");
  EXPECT_PART(import("Attention", {q, {2, 3, 5, 8}, {2, 3, 5, 6}}), "do not fit together");
  EXPECT_PART(import("Attention", {q, {2, 2, 5, 7}, v}), "do not fit together");
  EXPECT_PART(import("Attention", {q, k, {2, 2, 4, 6}}), "do not fit together");
  EXPECT_PART(import("Attention", {q, {1, 2, 5, 8}, {1, 2, 5, 6}}), "do not fit together");
  EXPECT_PART(import("Attention", {q, {2, 0, 5, 8}, {2, 0, 5, 6}}), "do not fit together");
  EXPECT_PART(import("Attention", {q, k, v, {3, 4, 3, 5}}), "does not broadcast to the scores");
  EXPECT_PART(import("Attention", {q, k, v, {3, 6}}), "does not broadcast to the scores");
  EXPECT_PART(import("Attention", {q, k, v, {}, {2, 2, 7, 8}}), "do not fit together");
  EXPECT_PART(import("Attention", {q, k, v, {}, {2, 7, 8}, {2, 7, 6}}), "K04");
  EXPECT_PART(import("Attention", {q, k, v, {}, {}, {}, {3}}, {}, 6), "nonpad_kv_seqlen is not one i64");
  EXPECT_PART(import("Attention", {q, k, v}, {number("qk_matmul_output_mode", 4)}), "the mode is 0 to 3");
  EXPECT_PART(import("Attention", {q, k, v}, {number("softmax_precision", 7)}), "which is no float type");
  EXPECT_PART(import("Attention", {q, k, v}, {number("left_window_size", -2)}), "window sizes are -2 and -1");
  EXPECT_PART(import("Attention", {q, k, v}, {number("right_window_size", INT64_MAX)}), "window sizes are");
}

/// FlexAttention with a modifier of one node, or none.
std::string flex(List q, List k, List v, const char *which = "", Message modifier = {},
                 std::vector<Message> more = {}) {
  GraphParts parts;
  for (auto [name, shape] : {std::pair("a", q), {"b", k}, {"c", v}})
    parts.inputs.push_back(valueInfo(name, DataType::Float, std::vector<Dim>(shape.begin(), shape.end())));
  GraphParts inner;
  inner.inputs = {Message().text(1, "s")};
  inner.nodes = {modifier};
  inner.outputs = {Message().text(1, "t")};
  if (*which)
    more.push_back(attribute(which, Attribute::Kind::Graph, graph(inner)));
  parts.nodes = {node("FlexAttention", {"a", "b", "c"}, {"y"}, "node", more, "ai.onnx.preview")};
  parts.outputs = {Message().text(1, "y")};
  Message whole = model(graph(parts), 27);
  whole.message(8, Message().text(1, "ai.onnx.preview").varint(2, 1));
  Imported m(whole);
  return m.module ? m.text() : m.errors();
}

TEST(Attention, FlexAttention) {
  List q{2, 4, 3, 8}, k{2, 2, 5, 8}, v{2, 2, 5, 6};
  EXPECT_PART(flex(q, k, v), "tensor<2x4x3x6xf32>");
  EXPECT_PART(flex(q, k, v, "score_mod", node("Tanh", {"s"}, {"t"})), "nn.tanh");
  EXPECT_PART(flex(q, k, v, "prob_mod", node("Abs", {"s"}, {"t"})), "nn.abs");
  EXPECT_PART(flex(q, k, v, "score_mod", node("Shape", {"s"}, {"t"})), "score_mod does not keep f32[2,4,3,5]");
  EXPECT_PART(flex(q, k, v, "prob_mod", node("Tanh", {"z"}, {"t"})), "K0");
  EXPECT_PART(flex({2, 4, 8}, k, v), "input 0 has rank 3, expected 4");
  EXPECT_PART(flex(q, {2, 3, 5, 8}, v), "do not fit together");
  EXPECT_PART(flex(q, k, v, "", {}, {number("softmax_precision", 6)}), "which is no float type");
  EXPECT_PART(flex(q, k, v, "", {}, {attribute("score_mod", int64_t(1))}), "K0402");
}

TEST(Attention, LinearAttention) {
  std::vector<Message> heads{number("q_num_heads", 4), number("kv_num_heads", 2)};
  std::vector<Message> linear = heads;
  linear.push_back(attribute("update_rule", "linear"));
  List q{2, 5, 32}, k{2, 5, 16}, v{2, 5, 6};
  EXPECT_PART(import("LinearAttention", {q, k, v}, linear), "tensor<2x5x12xf32>");
  EXPECT_PART(import("LinearAttention", {q, k, v}, linear), "nn.linear_attention_step");
  EXPECT_PART(import("LinearAttention", {q, k, v}, heads), "needs the input decay");
  EXPECT_PART(import("LinearAttention", {q, k, v, {}, {2, 5, 2}}, heads), "needs the input beta");
  EXPECT_PART(import("LinearAttention", {q, k, v}), "attribute \"q_num_heads\" is missing");
  EXPECT_PART(import("LinearAttention", {{2, 5, 33}, k, v}, linear), "is not (batch, time, 4 heads * depth)");
  EXPECT_PART(import("LinearAttention", {{2, 5, 16}, k, v}, linear), "do not fit together");
  EXPECT_PART(import("LinearAttention", {q, k, {2, 6, 6}}, linear), "sequences of 5 and of 6 steps");
  EXPECT_PART(import("LinearAttention", {q, k, v, {2, 2, 8, 4}}, linear), "past_state does not have the shape");
  EXPECT_PART(import("LinearAttention", {q, k, v, {}, {2, 5, 6}, {2, 5, 2}}, heads), "does not broadcast");
  EXPECT_PART(import("LinearAttention", {q, k, v, {}, {2, 5, 32}, {2, 5, 2}}, heads), "does not broadcast");
  EXPECT_PART(import("LinearAttention", {q, k, v, {}, {3, 5, 2}, {2, 5, 2}}, heads), "does not broadcast");
  EXPECT_PART(import("LinearAttention", {q, k, v, {}, {2, 5, 2}, {2, 5, 4}}, heads), "does not broadcast");
}

TEST(Attention, RotaryEmbedding) {
  List x{2, 3, 5, 8}, angles{2, 5, 4};
  EXPECT_PART(import("RotaryEmbedding", {x, angles, angles}), "nn.rotary");
  EXPECT_PART(import("RotaryEmbedding", {x, {50, 4}, {50, 4}, {2, 5}}, {}, 3), "nn.gather");
  EXPECT_PART(import("RotaryEmbedding", {x, {50, 4}, {50, 4}}), "input 1 has rank 2, expected 3");
  EXPECT_PART(import("RotaryEmbedding", {x, {2, 5, 3}, {2, 5, 3}}), "cannot rotate 8 numbers");
  EXPECT_PART(import("RotaryEmbedding", {x, angles, {2, 5, 3}}), "cannot rotate 8 numbers");
  EXPECT_PART(import("RotaryEmbedding", {x, angles, angles}, {number("rotary_embedding_dim", 10)}), "cannot rotate 10");
  EXPECT_PART(import("RotaryEmbedding", {x, angles, angles}, {number("rotary_embedding_dim", -2)}), "cannot rotate -2");
  EXPECT_PART(import("RotaryEmbedding", {{2, 5, 24}, angles, angles}), "cannot be split into 0 heads");
}

TEST(Attention, CausalConvWithState) {
  List x{2, 3, 7}, w{3, 1, 4};
  EXPECT_PART(import("CausalConvWithState", {x, w}), "tensor<2x3x7xf32>");
  EXPECT_PART(import("CausalConvWithState", {{2, 3}, w}), "input 0 has rank 2, expected 3");
  EXPECT_PART(import("CausalConvWithState", {x, {3, 2, 4}}), "the weight does not have the shape [3,1,4]");
  EXPECT_PART(import("CausalConvWithState", {x, {3, 1, 0}}), "empty");
  EXPECT_PART(import("CausalConvWithState", {x, w, {2}}), "the bias does not have the shape [3]");
  EXPECT_PART(import("CausalConvWithState", {x, w, {}, {2, 3, 4}}), "past_state does not have the shape [2,3,3]");
  EXPECT_PART(import("CausalConvWithState", {x, w}, {attribute("activation", "gelu")}), "activation is \"gelu\"");
}

} // namespace
