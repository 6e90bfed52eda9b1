//===- QuantizeTest.cpp - quantised ops: what is refused --------------------------===//
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

struct In {
  List shape;
  DataType type = DataType::Float;
};
In u8(List shape) { return {shape, DataType::Uint8}; }

std::string import(const char *op, std::vector<In> operands, std::vector<Message> attributes = {}) {
  GraphParts parts;
  std::vector<std::string> inputs;
  for (auto [number, in] : llvm::enumerate(operands)) {
    inputs.push_back(std::string(1, 'a' + number));
    parts.inputs.push_back(valueInfo(inputs.back(), in.type, std::vector<Dim>(in.shape.begin(), in.shape.end())));
  }
  parts.nodes = {node(op, inputs, {"y"}, "node", attributes)};
  parts.outputs = {Message().text(1, "y")};
  Imported m(model(graph(parts), 25));
  return m.module ? m.text() : m.errors();
}

Message number(llvm::StringRef name, int64_t value) { return attribute(name, value); }

#define EXPECT_PART(text, part) EXPECT_PRED2(contains, text, part)
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(Quantize, Granularity) {
  In x{{3, 4, 5}}, one{{}};
  EXPECT_PART(import("QuantizeLinear", {x, one, u8({})}), "nn.quantize");
  EXPECT_PART(import("QuantizeLinear", {x, {{4}}, u8({4})}), "nn.quantize");
  EXPECT_PART(import("QuantizeLinear", {x, {{3}}, u8({3})}), "3 scales do not fit axis 1 of size 4");
  EXPECT_PART(import("QuantizeLinear", {x, {{4}}, u8({})}), "4 scales, but 1 zero points");
  EXPECT_PART(import("QuantizeLinear", {x, one, u8({4})}), "1 scales, but 4 zero points");
  EXPECT_PART(import("QuantizeLinear", {x, {{4}}, u8({4})}, {number("axis", 3)}), "axis 3 is outside");
  // 4 positions in blocks of 3: the last one is short.
  EXPECT_PART(import("DequantizeLinear", {u8({3, 4, 5}), {{3, 2, 5}}}, {number("block_size", 3)}), "nn.dequantize");
  EXPECT_PART(import("DequantizeLinear", {u8({3, 4, 5}), {{3, 3, 5}}}, {number("block_size", 3)}), "do not fit axis");
  EXPECT_PART(import("DequantizeLinear", {u8({3, 4, 5}), {{2, 5}}}, {number("block_size", 3)}), "do not fit axis");
  EXPECT_PART(import("DequantizeLinear", {u8({3, 4, 5}), {{3, 4, 5}}}, {number("block_size", -1)}), "do not fit axis");
}

TEST(Quantize, Types) {
  In x{{3, 4}}, one{{}};
  EXPECT_PART(import("QuantizeLinear", {x, one}, {number("output_dtype", 99)}), "output_dtype is 99, which is no type");
  EXPECT_PART(import("DequantizeLinear", {u8({3}), one, {{}, DataType::Int8}}), "element types differ");
  // Without saturation what is out of range becomes NaN; that is done on the codes.
  EXPECT_PART(import("QuantizeLinear", {x, one, {{}, DataType::Float8E4M3FN}}, {number("saturate", 0)}), "nn.bitcast");
}

TEST(Quantize, Products) {
  In one{{}}, zero = u8({});
  EXPECT_PART(import("MatMulInteger", {u8({2, 3}), u8({3, 4})}), "tensor<2x4xi32>");
  EXPECT_PART(import("MatMulInteger", {u8({3}), u8({3, 4})}), "tensor<4xi32>");
  EXPECT_PART(import("MatMulInteger", {u8({2, 3}), u8({4, 4})}), "inner dimensions differ: 3 and 4");
  EXPECT_PART(import("MatMulInteger", {u8({1, 3}), u8({3, 4}), u8({5})}), "zero points of u8[5] do not fit");
  EXPECT_PART(import("MatMulInteger", {u8({2, 3}), u8({3, 4}), zero, u8({3})}), "K04");
  EXPECT_PART(import("QLinearMatMul", {u8({2, 3}), one, zero, u8({3, 1}), {{5}}, u8({}), one, zero}), "do not fit");
  EXPECT_PART(import("QLinearMatMul", {u8({2, 3}), one, zero, u8({3, 4}), one, zero, one}), "has 7 inputs, expected 8");
  EXPECT_PART(import("QLinearMatMul", {u8({2, 3}), one, zero, u8({3, 4}), one, zero, one, u8({2})}), "K04");
}

TEST(Quantize, Convolutions) {
  In one{{}}, zero = u8({}), x = u8({1, 4, 6, 6});
  EXPECT_PART(import("ConvInteger", {x, u8({6, 4, 3, 3})}), "tensor<1x6x4x4xi32>");
  EXPECT_PART(import("ConvInteger", {x, u8({6, 3, 3, 3})}), "do not fit group=1");
  EXPECT_PART(import("ConvInteger", {x, u8({6, 4, 3, 3})}, {number("group", 0)}), "do not fit group=0");
  EXPECT_PART(import("ConvInteger", {x, u8({6, 4, 3})}), "different ranks");
  EXPECT_PART(import("ConvInteger", {u8({1, 4}), u8({6, 4})}), "input 0 has rank 2");
  In bias{{5}, DataType::Int32};
  EXPECT_PART(import("QLinearConv", {x, one, zero, u8({6, 4, 3, 3}), one, zero, one, zero, bias}),
              "the bias does not have one number");
  EXPECT_PART(import("QLinearConv", {x, one, zero, u8({6, 4, 3, 3}), {{5}}, zero, one, zero}), "K04");
  EXPECT_PART(import("QLinearConv", {x, one, zero, u8({6, 4, 3, 3}), one, u8({5}), one, zero}), "K04");
}

} // namespace
