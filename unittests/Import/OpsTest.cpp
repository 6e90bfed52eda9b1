//===- OpsTest.cpp - how ops with code of their own are normalised -------------===//
//
// What numbers mean is judged by the ONNX suite on the evaluator; here stand the rules that its tests leave out or that
// are easier to read as text.
//
//===----------------------------------------------------------------------===//
#include "Imported.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<int64_t>;

/// The module of one node on float inputs of these shapes; the problems when there are any.
std::string import(Message theNode, std::vector<List> shapes, std::vector<Message> initializers = {},
                   int64_t opset = 17) {
  GraphParts parts;
  parts.nodes = {theNode};
  for (auto [number, shape] : llvm::enumerate(shapes))
    parts.inputs.push_back(
        valueInfo(std::string(1, 'a' + number), DataType::Float, std::vector<Dim>(shape.begin(), shape.end())));
  parts.initializers = initializers;
  // No element type: what comes out is not the point.
  parts.outputs = {Message().text(1, "y")};
  Imported m(model(graph(parts), opset));
  return m.module ? m.text() : m.errors();
}

#define EXPECT_PART(text, part) EXPECT_PRED2(contains, text, part)
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(Ops, ConvPadsItself) {
  auto conv = [](const char *mode, List stride) {
    return import(node("Conv", {"a", "w"}, {"y"}, "", {attribute("auto_pad", mode), attribute("strides", stride)}),
                  {{1, 3, 8, 5}}, {floats("w", {4, 3, 3, 2})});
  };
  // 8 rows, stride 2, kernel 3: 4 results reach 9 rows, so 1 is added; 5 columns, stride 1, kernel 2: 1 too.
  EXPECT_PART(conv("SAME_UPPER", {2, 1}), "hi = array<i64: 1, 1>, lo = array<i64: 0, 0>");
  EXPECT_PART(conv("SAME_LOWER", {2, 1}), "hi = array<i64: 0, 0>, lo = array<i64: 1, 1>");
  EXPECT_PART(conv("VALID", {2, 1}), "tensor<1x4x3x4xf32>");
  EXPECT_PART(conv("SAME", {1, 1}), "error[K0405]: Conv: auto_pad is \"SAME\"");
}

TEST(Ops, ConvInOneAndThreeDimensions) {
  EXPECT_PART(import(node("Conv", {"a", "w"}, {"y"}), {{1, 3, 8}}, {floats("w", {4, 3, 3})}), "tensor<1x4x6xf32>");
  EXPECT_PART(import(node("Conv", {"a", "w"}, {"y"}), {{1, 3, 8, 7, 6}}, {floats("w", {4, 3, 3, 3, 3})}),
              "tensor<1x4x6x5x4xf32>");
}

TEST(Ops, ConvRefusesWhatDoesNotFit) {
  auto conv = [](std::vector<Message> attributes) {
    return import(node("Conv", {"a", "w"}, {"y"}, "", attributes), {{1, 4, 8, 8}}, {floats("w", {6, 2, 3, 3})});
  };
  EXPECT_PART(conv({attribute("group", int64_t(2))}), "group = 2");
  EXPECT_PART(conv({attribute("group", int64_t(0))}), "K0405");
  EXPECT_PART(conv({attribute("group", INT64_MAX)}), "K0405");
  EXPECT_PART(conv({attribute("group", int64_t(2)), attribute("strides", List{1})}),
              "strides has 1 numbers, expected 2");
  EXPECT_PART(conv({attribute("group", int64_t(2)), attribute("strides", List{0, 1})}), "K0405");
  EXPECT_PART(conv({attribute("group", int64_t(2)), attribute("pads", List{0, 0, -1, 0})}), "K0405");
  EXPECT_PART(conv({attribute("group", int64_t(2)), attribute("dilations", List{4, 4})}),
              "a window of 9 does not fit into 8 elements of dimension 2");
  EXPECT_PART(conv({attribute("group", int64_t(2)), attribute("kernel_shape", List{2, 2})}), "K0412");
}

// ceil_mode: 7 elements, kernel 2, stride 2: a fourth window that is half outside.
TEST(Ops, PoolRoundsUp) {
  auto pool = [](const char *op, std::vector<Message> attributes) {
    attributes.push_back(attribute("kernel_shape", List{2}));
    attributes.push_back(attribute("strides", List{2}));
    return import(node(op, {"a"}, {"y"}, "", attributes), {{1, 1, 7}});
  };
  EXPECT_PART(pool("MaxPool", {}), "tensor<1x1x3xf32>");
  EXPECT_PART(pool("MaxPool", {attribute("ceil_mode", int64_t(1))}), "hi = array<i64: 1>");
  EXPECT_PART(pool("AveragePool", {attribute("ceil_mode", int64_t(1))}), "extra = array<i64: 1>");
  // A window that would start in the padding at the end is dropped: it could start at 8, where only padding is.
  EXPECT_PART(pool("MaxPool", {attribute("ceil_mode", int64_t(1)), attribute("pads", List{0, 1})}),
              "tensor<1x1x4xf32>");
}

TEST(Ops, MatMulOfVectors) {
  EXPECT_PART(import(node("MatMul", {"a", "b"}, {"y"}), {{3}, {3}}), "-> (tensor<f32>");
  EXPECT_PART(import(node("MatMul", {"a", "b"}, {"y"}), {{3}, {5, 3, 2}}), "-> (tensor<5x2xf32>");
  EXPECT_PART(import(node("MatMul", {"a", "b"}, {"y"}), {{5, 2, 3}, {3}}), "-> (tensor<5x2xf32>");
  EXPECT_PART(import(node("MatMul", {"a", "b"}, {"y"}), {{3}, {}}), "K0411");
}

TEST(Ops, GemmIsMatMul) {
  std::string text =
      import(node("Gemm", {"a", "b", "c"}, {"y"}, "", {attribute("transB", int64_t(1)), attribute("beta", 2.0f)}),
             {{2, 3}, {4, 3}, {4}});
  for (const char *part : {"nn.transpose", "nn.matmul", "nn.mul", "nn.add"})
    EXPECT_PART(text, part);
  EXPECT_PART(import(node("Gemm", {"a", "b", "c"}, {"y"}), {{2, 3}, {3, 4}, {5, 2, 4}}), "C does not broadcast");
}

// Before opset 13 everything from `axis` on is one distribution.
TEST(Ops, SoftmaxOfOldAndNew) {
  EXPECT_PART(import(node("Softmax", {"a"}, {"y"}), {{2, 3, 4}}, {}, 13), "{axis = 2 : i64} : tensor<2x3x4xf32>");
  EXPECT_PART(import(node("Softmax", {"a"}, {"y"}), {{2, 3, 4}}, {}, 12), "{axis = 1 : i64} : tensor<2x12xf32>");
}

// Before opset 7 the second operand was aligned at `axis`.
TEST(Ops, OldBroadcasting) {
  Message add = node("Add", {"a", "b"}, {"y"}, "", {attribute("axis", int64_t(1)), attribute("broadcast", int64_t(1))});
  EXPECT_PART(import(add, {{2, 3, 4}, {3}}, {}, 6), "nn.reshape %arg1 : tensor<3xf32> -> tensor<3x1xf32>");
  EXPECT_PART(import(node("Add", {"a", "b"}, {"y"}), {{2, 3}, {3}}, {}, 6), "broadcast is 0");
  EXPECT_PART(import(add, {{2, 3, 4}, {4}}, {}, 7), "K0404");
}

TEST(Ops, SliceIsCut) {
  auto slice = [](List starts, List ends, List steps) {
    return import(node("Slice", {"a", "s", "e", "", "p"}, {"y"}), {{10}},
                  {integers("s", starts), integers("e", ends), integers("p", steps)});
  };
  EXPECT_PART(slice({-100}, {100}, {3}), "{out = array<i64: 4>, start = array<i64: 0>, step = array<i64: 3>}");
  EXPECT_PART(slice({INT64_MAX}, {INT64_MIN}, {-1}),
              "{out = array<i64: 10>, start = array<i64: 9>, step = array<i64: -1>}");
  EXPECT_PART(slice({8}, {2}, {-4}), "{out = array<i64: 2>, start = array<i64: 8>, step = array<i64: -4>}");
  EXPECT_PART(slice({5}, {2}, {1}), "tensor<0xf32>");
  EXPECT_PART(slice({0}, {10}, {INT64_MAX}), "tensor<1xf32>");
  EXPECT_PART(slice({-1}, {INT64_MIN}, {INT64_MIN}), "tensor<1xf32>");
  EXPECT_PART(slice({0}, {10}, {0}), "K0413");
}

TEST(Ops, SplitsAddUp) {
  auto split = [](List lengths) {
    return import(node("Split", {"a", "s"}, {"y", "z"}), {{10}}, {integers("s", lengths)});
  };
  EXPECT_PART(split({3, 7}), "tensor<3xf32>");
  EXPECT_PART(split({10, 0}), "tensor<10xf32>");
  for (List wrong : {List{3, 6}, List{11, -1}, List{10}, List{INT64_MAX, INT64_MAX}})
    EXPECT_PART(split(wrong), "K0413");
}

TEST(Ops, ReshapeRules) {
  auto reshape = [](List shape, std::vector<Message> attributes = {}) {
    return import(node("Reshape", {"a", "s"}, {"y"}, "", attributes), {{2, 3, 4}}, {integers("s", shape)});
  };
  EXPECT_PART(reshape({0, -1}), "tensor<2x12xf32>");
  EXPECT_PART(reshape({4, 0, 2}), "tensor<4x3x2xf32>");
  EXPECT_PART(reshape({-1, -1}), "the shape has two -1");
  EXPECT_PART(reshape({24, 1, 1, 0}), "K0413");
  EXPECT_PART(reshape({5, -1}), "24 elements cannot be divided by 5");
  EXPECT_PART(reshape({0, 0}, {attribute("allowzero", int64_t(1))}), "24 elements cannot become 0");
  EXPECT_PART(reshape({INT64_MAX, INT64_MAX, -1}), "K0412");
}

TEST(Ops, ReductionsReadAxesBothWays) {
  EXPECT_PART(import(node("ReduceSum", {"a"}, {"y"}, "", {attribute("axes", List{-1})}), {{2, 3}}, {}, 11),
              "axes = array<i64: 1>");
  EXPECT_PART(import(node("ReduceSum", {"a", "s"}, {"y"}), {{2, 3}}, {integers("s", {0})}, 13), "axes = array<i64: 0>");
  EXPECT_PART(import(node("ReduceSum", {"a", "s"}, {"y"}), {{2, 3}}, {integers("s", {0, -2})}, 13), "is given twice");
  // Without axes and told to do nothing: the scalar part remains.
  std::string l1 =
      import(node("ReduceL1", {"a"}, {"y"}, "", {attribute("noop_with_empty_axes", int64_t(1))}), {{2, 3}}, {}, 18);
  EXPECT_PART(l1, "nn.abs");
  EXPECT_EQ(l1.find("nn.reduce"), std::string::npos);
}

TEST(Ops, TypesAreNamed) {
  GraphParts parts;
  parts.nodes = {node("Exp", {"x"}, {"y"}, "exp")};
  parts.inputs = {valueInfo("x", DataType::Int64, {2})};
  parts.outputs = {Message().text(1, "y")};
  Imported m(model(graph(parts)));
  EXPECT_PART(m.errors(), "error[K0410]: Exp: input 0 is i64, expected a float type\n");
}

TEST(Ops, BroadcastingIsExplained) {
  EXPECT_PART(import(node("Add", {"a", "b"}, {"y"}), {{2, 3}, {4, 3}}),
              "error[K0412]: Add: shapes do not broadcast: f32[2,3] and f32[4,3] differ in dimension -2, 2 and 4\n");
}

} // namespace
