//===- Scatter.cpp - elements written to positions that come from data ----------===//
#include "kumiko/Import/Onnx/Registry.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// The reduction attribute in the words of the notation.
StringRef combination(NodeContext &n) {
  StringRef name = n.text("reduction", "none");
  for (auto [onnx, nn] : {std::pair("none", "set"), {"add", "+"}, {"mul", "*"}, {"max", "max"}, {"min", "min"}})
    if (name == onnx)
      return nn;
  if (!n.failed())
    n.fail(Code::AttributeValue, "reduction is \"" + name + "\", expected none, add, mul, max or min");
  return "set";
}

Results importScatterElements(NodeContext &n) {
  StringRef kind = combination(n);
  Value x = n.input(0);
  int64_t rank = n.rankOf(x), axis = n.axis(n.integer("axis", 0), rank);
  if (n.failed() || !n.expectRank(1, rank, rank) || !n.expectRank(2, rank, rank))
    return {};
  return {n.make("scatter_elements", n.inputs(), {n.is("axis", axis), n.is("kind", kind)})};
}

Results importScatterNd(NodeContext &n) {
  StringRef kind = combination(n);
  if (n.failed() || !n.expectRank(0, 1) || !n.expectRank(1, 1))
    return {};
  Value x = n.input(0), index = n.input(1), update = n.input(2);
  // An index has as many parts as the ranks of the others leave, also where its size is not a number.
  int64_t parts = n.rankOf(x) + n.rankOf(index) - 1 - n.rankOf(update);
  if (parts >= 0 && !n.sizesOf(index).back().isStatic()) {
    Sizes shape = n.sizesOf(index);
    n.agree(shape.back(), parts, "indices have one part for each dimension that they choose");
    shape.back() = parts;
    index = n.reshape(index, shape);
  }
  return {n.make("scatter_nd", {x, index, update}, {n.is("kind", kind)})};
}

/// A cache with new entries along `axis`, from a position of its own for each entry of the batch.
Results importTensorScatter(NodeContext &n) {
  StringRef mode = n.text("mode", "linear");
  Value x = n.input(0), update = n.input(1), start = n.input(2);
  int64_t rank = n.rankOf(x), axis = n.axis(n.integer("axis", -2), rank);
  if (!n.failed() && mode != "linear" && mode != "circular")
    n.fail(Code::AttributeValue, "mode is \"" + mode + "\", expected linear or circular");
  if (!n.failed() && axis == 0)
    n.fail(Code::AttributeValue, "axis is that of the batch").helped("the first dimension cannot be written along");
  if (n.failed() || !n.expectRank(1, rank, rank) || (start && !n.expectRank(2, 1, 1)))
    return {};
  for (auto [dim, pair] : enumerate(zip_equal(n.sizesOf(x), n.sizesOf(update)))) {
    auto [cache, fresh] = pair;
    bool isShorter = int64_t(dim) == axis;
    if (isShorter)
      n.atMost(fresh, cache, "the update is not longer than the cache");
    bool fits = isShorter ? !(cache.isStatic() && fresh.isStatic()) || fresh.value() <= cache.value()
                          : n.agree(fresh, cache, "the update fits the cache");
    if (!fits) {
      n.fail(Code::OperandShape, "the update does not fit the cache in dimension " + Twine(dim))
          .helped("it may be shorter along the axis; all other dimensions are equal");
      return {};
    }
  }
  if (start && !n.agree(n.sizesOf(start)[0], n.sizesOf(x)[0], "write_indices has the batch's size")) {
    n.fail(Code::OperandShape, "write_indices must have one number for each entry of the batch");
    return {};
  }
  if (start)
    start = n.cast(start, n.builder().getI64Type());
  return {n.make("tensor_scatter", {x, update, start}, {n.is("axis", axis), n.is("circular", mode == "circular")})};
}

constexpr OpCode codes[] = {
    {"Scatter", 3, 3, 1, importScatterElements},
    {"ScatterElements", 3, 3, 1, importScatterElements},
    {"ScatterND", 3, 3, 1, importScatterNd},
    {"TensorScatter", 2, 3, 1, importTensorScatter},
};

} // namespace

ArrayRef<OpCode> scatterOps() { return codes; }

} // namespace kumiko::onnx
