//===- MicrosoftNormalize.cpp - com.microsoft: normalisations of sums ------------===//
#include "kumiko/Import/Onnx/Ops/Expect.h"
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Normalises the last dimension: y, mean, 1 / deviation, the last two with a dimension of 1. Without a mean
/// ("simplified") only y.
Results normalized(NodeContext &n, Value x, Value scale, Value bias, bool simplified, double eps) {
  if (n.failed())
    return {};
  auto fits = [&](Value parameter) {
    return n.rankOf(parameter) == 1 &&
           n.agree(n.sizesOf(parameter)[0], n.sizesOf(x).back(), "there is one number for each column");
  };
  if (n.rankOf(x) < 1 || !fits(scale) || (bias && !fits(bias))) {
    n.fail(Code::OperandShape, "gamma and beta must have one number for each of the last dimension of the input");
    return {};
  }
  int64_t axis = n.rankOf(x) - 1;
  mlir::Type f32 = n.builder().getF32Type();
  SmallVector<NamedAttribute, 3> attributes{n.is("axis", axis), n.is("eps", eps), n.is("acc", f32)};
  if (simplified)
    return {n.make("rms_norm", {x, scale}, attributes)};
  Results made = n.makeAll("layer_norm", {x, scale, bias}, attributes);
  if (n.failed())
    return {};
  Sizes kept = n.sizesOf(x);
  kept.back() = 1;
  return {made[0], n.reshape(made[1], kept), n.reshape(made[2], kept)};
}

/// x + skip + bias; skip may leave out the batch.
Value withSkip(NodeContext &n, Value bias) {
  Value x = n.input(0), sum = n.make("add", {x, n.input(1)});
  if (bias)
    sum = n.make("add", {sum, bias});
  if (sum && !llvm::equal(n.sizesOf(sum), n.sizesOf(x), [&](const Extent &a, const Extent &b) {
        return n.agree(a, b, "skip and bias fit the input");
      })) {
    n.fail(Code::OperandShape, "skip or bias does not fit the input").helped("they may only add to its own shape");
    return {};
  }
  return sum;
}

Results importSkipLayerNormalization(NodeContext &n) {
  double eps = n.real("epsilon", 1e-12f);
  Value sum = withSkip(n, n.input(4));
  Results made = normalized(n, sum, n.input(2), n.input(3), /*simplified=*/false, eps);
  if (n.failed())
    return {};
  return {made[0], made[1], made[2], sum};
}

Results importSkipSimplified(NodeContext &n) {
  double eps = n.real("epsilon", 1e-12f);
  Value sum = withSkip(n, n.input(3));
  Results made = normalized(n, sum, n.input(2), Value(), /*simplified=*/true, eps);
  if (n.failed())
    return {};
  return {made[0], Value(), Value(), sum};
}

Results importSimplified(NodeContext &n) { return findCode("", "RMSNormalization")->import(n); }

/// Words, positions and segments looked up, added and normalised; how many elements of the mask are set.
Results importEmbedLayerNormalization(NodeContext &n) {
  Value ids = n.input(0), segments = n.input(1), segmentTable = n.input(4), mask = n.input(7), positions = n.input(8);
  double eps = n.real("epsilon", 1e-12f);
  n.ignore("mask_index_type"); // whether the second output is asked for, which its name says
  if (!expectInputs(n, {2, 3, 5, 6}) || !n.expectRank(0, 2, 2) || !n.expectRank(2, 2, 2) || !n.expectRank(3, 2, 2))
    return {};
  Extent batch = n.sizesOf(ids)[0], length = n.sizesOf(ids)[1];
  auto lookUp = [&](Value table, Value index) { return n.make("gather", {table, index}, {n.is("axis", 0)}); };
  if (!positions) {
    mlir::Type i64 = n.builder().getI64Type();
    positions = n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", length)});
  }
  Value sum = n.make("add", {lookUp(n.input(2), ids), lookUp(n.input(3), positions)});
  if (segments && segmentTable)
    sum = n.make("add", {sum, lookUp(segmentTable, segments)});
  Results made = normalized(n, sum, n.input(5), n.input(6), /*simplified=*/false, eps);
  if (n.failed())
    return {};
  mlir::Type i32 = n.builder().getI32Type();
  Value lengths = n.make("expand", {n.scalar(0, i32)}, {n.is("shape", Sizes{batch})});
  if (mask && n.wants(1))
    lengths = n.make("reduce", {n.cast(mask, i32)}, {n.is("kind", "+"), n.is("axes", Ints{1})});
  return {made[0], lengths, sum};
}

constexpr OpCode codes[] = {
    {"EmbedLayerNormalization", 1, 9, 3, importEmbedLayerNormalization},
    {"SimplifiedLayerNormalization", 2, 2, 1, importSimplified},
    {"SkipLayerNormalization", 3, 5, 4, importSkipLayerNormalization},
    {"SkipSimplifiedLayerNormalization", 3, 4, 4, importSkipSimplified},
};

// ONNX Runtime writes it without a domain.
constexpr OpCode undomained[] = {
    {"SimplifiedLayerNormalization", 2, 2, 1, importSimplified},
};

} // namespace

ArrayRef<OpCode> microsoftNormalizeOps() { return codes; }
ArrayRef<OpCode> undomainedOps() { return undomained; }

} // namespace kumiko::onnx
