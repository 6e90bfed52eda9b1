//===- Pooling.cpp - pooling over windows and whole images -------------------===//
#include "kumiko/Import/Onnx/Ops/Window.h"
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

std::optional<Window> readPool(NodeContext &n) {
  if (!n.expectRank(0, 3))
    return std::nullopt;
  std::optional<Window> window = readWindow(n, {});
  if (!window)
    return std::nullopt;
  roundUp(n, *window);
  if (n.failed() || !checkFits(n, *window))
    return std::nullopt;
  return window;
}

/// What ceil_mode adds counts as padding.
void mergeExtra(Window &window) {
  for (auto [hi, extra] : zip_equal(window.hi, window.extra))
    hi += extra;
}

SmallVector<NamedAttribute, 8> attributesOf(NodeContext &n, const Window &window) {
  return {n.is("kernel", window.kernel), n.is("stride", window.stride), n.is("dilation", window.dilation),
          n.is("lo", window.lo), n.is("hi", window.hi)};
}

/// Row-major positions in an image of this shape as positions with the first spatial dimension fastest. Which element
/// of a window wins does not depend on how it is counted.
Value columnMajor(NodeContext &n, Value index, ArrayRef<Extent> shape) {
  Extent image = product(shape.drop_front(2));
  if (image.is(0))
    return index; // windows of padding alone have no position
  auto apply = [&](StringRef op, Value a, const Extent &b) { return n.make(op, {a, n.numbersOf({b}, {})}); };
  Value result = apply("mul", apply("div", index, image), image);
  Extent faster = 1;
  ArrayRef<Extent> rest = shape.drop_front(2);
  while (!rest.empty()) {
    Extent extent = rest.front();
    rest = rest.drop_front();
    Extent slower = product(rest);
    Value coordinate = apply("mod", apply("div", index, slower), extent);
    result = n.make("add", {result, apply("mul", coordinate, faster)});
    faster *= extent;
  }
  return result;
}

Results importMaxPool(NodeContext &n) {
  bool countColumns = n.flag("storage_order");
  std::optional<Window> window = readPool(n);
  if (!window)
    return {};
  mergeExtra(*window);
  Value x = n.input(0);
  Results results = n.makeAll("max_pool", {x}, attributesOf(n, *window));
  if (countColumns && n.wants(1) && !n.failed())
    results[1] = columnMajor(n, results[1], n.sizesOf(x));
  return results;
}

Results importAveragePool(NodeContext &n) {
  bool countPad = n.flag("count_include_pad");
  std::optional<Window> window = readPool(n);
  if (!window)
    return {};
  SmallVector<NamedAttribute, 8> attributes = attributesOf(n, *window);
  attributes.push_back(n.is("extra", window->extra));
  attributes.push_back(n.is("count_pad", countPad));
  return {n.make("avg_pool", {n.input(0)}, attributes)};
}

/// |x|^p; its root is taken by the caller.
Value power(NodeContext &n, Value x, int64_t p) { return n.make("pow", {n.make("abs", {x}), n.scalar(p, x)}); }

std::optional<int64_t> readP(NodeContext &n) {
  // Opset 1 wrote it as a float.
  int64_t p = n.opset < 2 ? int64_t(n.real("p", 2)) : n.integer("p", 2);
  if (!n.failed() && (p < 1 || p > 64))
    n.fail(Code::AttributeValue, "p is " + Twine(p) + ", expected 1 to 64");
  return n.failed() ? std::nullopt : std::optional(p);
}

/// The p-th root of a sum over windows, which is a convolution with ones per channel.
Results importLpPool(NodeContext &n) {
  std::optional<int64_t> p = readP(n);
  std::optional<Window> window = p ? readPool(n) : std::nullopt;
  if (!window)
    return {};
  mergeExtra(*window);
  Value x = n.input(0);
  Extent channels = n.sizesOf(x)[1];
  Sizes shape{channels, 1};
  append_range(shape, window->kernel);
  Value ones = n.make("expand", {n.scalar(1, x)}, {n.is("shape", shape)});
  Value sum = n.make("conv", {power(n, x, *p), ones, Value()},
                     {n.is("stride", window->stride), n.is("dilation", window->dilation), n.is("lo", window->lo),
                      n.is("hi", window->hi), n.is("group", channels)});
  return {n.make("pow", {sum, n.scalar(1.0 / *p, x)})};
}

/// Reduces all spatial dimensions and keeps them as ones.
Value reduceImage(NodeContext &n, Value x, StringRef op, StringRef kind) {
  Ints axes = counting(2, n.rankOf(x));
  SmallVector<NamedAttribute, 2> attributes{n.is("axes", axes)};
  if (!kind.empty())
    attributes.push_back(n.is("kind", kind));
  Value y = n.make(op, {x}, attributes);
  Sizes shape = n.sizesOf(x);
  std::fill(shape.begin() + 2, shape.end(), Extent(1));
  return y ? n.reshape(y, shape) : y;
}

Results importGlobalAveragePool(NodeContext &n) {
  return n.expectRank(0, 2) ? Results{reduceImage(n, n.input(0), "mean", "")} : Results();
}
Results importGlobalMaxPool(NodeContext &n) {
  return n.expectRank(0, 2) ? Results{reduceImage(n, n.input(0), "reduce", "max")} : Results();
}
Results importGlobalLpPool(NodeContext &n) {
  std::optional<int64_t> p = readP(n);
  Value x = n.input(0);
  if (!p || !n.expectRank(0, 2))
    return {};
  Value powers = power(n, x, *p);
  Value sum = powers ? reduceImage(n, powers, "reduce", "+") : powers;
  return {n.make("pow", {sum, n.scalar(1.0 / *p, x)})};
}

constexpr OpCode codes[] = {
    {"AveragePool", 1, 1, 1, importAveragePool},
    {"GlobalAveragePool", 1, 1, 1, importGlobalAveragePool},
    {"GlobalLpPool", 1, 1, 1, importGlobalLpPool},
    {"GlobalMaxPool", 1, 1, 1, importGlobalMaxPool},
    {"LpPool", 1, 1, 1, importLpPool},
    {"MaxPool", 1, 1, 2, importMaxPool},
};

} // namespace

ArrayRef<OpCode> poolingOps() { return codes; }

} // namespace kumiko::onnx
