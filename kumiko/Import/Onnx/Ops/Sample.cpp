//===- Sample.cpp - images sampled at computed positions -----------------------===//
#include "kumiko/Import/Onnx/Real.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// `x` with a dimension of one behind the first `at`.
Value withOne(NodeContext &n, Value x, unsigned at) {
  Sizes sizes = x ? n.sizesOf(x) : Sizes();
  if (x)
    sizes.insert(sizes.begin() + at, 1);
  return x ? n.reshape(x, sizes) : x;
}

/// `x` with its dimensions `first` to `first + count` as one.
Value merged(NodeContext &n, Value x, unsigned first, unsigned count) {
  if (!x)
    return x;
  Sizes sizes = n.sizesOf(x), whole(ArrayRef(sizes).take_front(first));
  whole.push_back(product(ArrayRef(sizes).slice(first, count)));
  append_range(whole, ArrayRef(sizes).drop_front(first + count));
  return n.reshape(x, whole);
}

/// Places in the flattened image and their weights, which all channels share.
struct Taps {
  Value places, weights; ///< [n, tap, points...]
};

/// Positions and weights per axis, all combinations of which are taps.
Taps tapsOf(NodeContext &n, Value grid, ArrayRef<Extent> image, ArrayRef<NamedAttribute> how, mlir::Type real) {
  Taps taps;
  Extent rows = 1, all = product(image);
  bool small = all.isStatic() && all.value() <= std::numeric_limits<int32_t>::max();
  mlir::Type number = n.builder().getIntegerType(small ? 32 : 64);
  for (auto [axis, size] : enumerate(image)) {
    // Coordinates of the grid come in the opposite order: x, y, z.
    int64_t which = image.size() - 1 - axis;
    SmallVector<NamedAttribute> attributes(how);
    attributes.append({n.is("which", which), n.is("n", size)});
    Results sampled = n.makeAll("sample_axis", {grid}, attributes);
    if (n.failed())
      return {};
    Value weights = n.cast(sampled[1], real);
    if (axis == 0) {
      taps = {sampled[0], weights};
    } else {
      Value places =
          n.make("places", {taps.places, sampled[0]},
                 {n.is("rows", rows), n.is("columns", size), n.builder().getNamedAttr("to", TypeAttr::get(number))});
      Value products = n.make("mul", {withOne(n, taps.weights, 2), withOne(n, weights, 1)});
      taps = {merged(n, places, 1, 2), merged(n, products, 1, 2)};
    }
    rows *= size;
  }
  return taps;
}

Results importGridSample(NodeContext &n) {
  StringRef mode = n.text("mode", n.opset < 20 ? "bilinear" : "linear"), border = n.text("padding_mode", "zeros");
  bool align = n.flag("align_corners");
  if (n.failed() || !n.expectRank(0, 4, 5) || !n.expectRank(1, n.rankOf(n.input(0)), n.rankOf(n.input(0))))
    return {};
  // The names of opset 16 to 19.
  mode = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
  int64_t taps = mode == "nearest" ? 1 : mode == "linear" ? 2 : mode == "cubic" ? 4 : 0;
  if (!taps || !is_contained({"zeros", "border", "reflection"}, border)) {
    n.fail(Code::AttributeValue, "mode is \"" + mode + "\" and padding_mode \"" + border + "\"")
        .helped("mode is linear, nearest or cubic; padding_mode is zeros, border or reflection");
    return {};
  }
  Value x = n.input(0), grid = n.input(1);
  Sizes sizes = n.sizesOf(x), places = n.sizesOf(grid);
  ArrayRef<Extent> image = ArrayRef(sizes).drop_front(2);
  if (!n.agree(places.back(), image.size(), "the grid has one coordinate for each dimension") ||
      !n.agree(places[0], sizes[0], "the grid has the batch's size") ||
      any_of(image, [](const Extent &size) { return size.is(0); })) {
    n.fail(Code::OperandShape, "the grid does not fit the image")
        .helped("its first dimension is the batch, its last one has " + Twine(image.size()) +
                " coordinates; the image must not be empty");
    return {};
  }
  // Positions in f16 would be too coarse for images of some size.
  if (n.elementOf(grid).getIntOrFloatBitWidth() < 32)
    grid = n.cast(grid, n.builder().getF32Type());
  // Weights are multiplied in the wider of the two types.
  bool wider = n.elementOf(x).getIntOrFloatBitWidth() > n.elementOf(grid).getIntOrFloatBitWidth();
  mlir::Type real = isa<FloatType>(n.elementOf(x)) && wider ? n.elementOf(x) : n.elementOf(grid);
  Taps all = tapsOf(n, grid, image,
                    {n.is("mode", mode), n.is("border", border), n.is("align", align), n.is("taps", taps)}, real);
  if (n.failed())
    return {};
  return {n.make("sample", {merged(n, x, 2, image.size()), all.places, all.weights})};
}

/// Coordinates of the centres (or corners) of `size` pixels in [-1, 1].
Value centres(NodeContext &n, const Extent &size, bool align) {
  mlir::Type f64 = n.builder().getF64Type();
  Real pixels(n, max(size, 1));
  // A single pixel has its corner at the start, and no step.
  Real step = align ? ifEqual(pixels, 1, 0, 2 / (pixels - 1)) : 2 / pixels, start = align ? Real(-1) : 1 / pixels - 1;
  return n.make("range", {start.as(n, f64), step.as(n, f64)}, {n.is("n", size)});
}

/// theta applied to the homogeneous coordinates (x, y, (z,) 1) of each pixel.
Results importAffineGrid(NodeContext &n) {
  bool align = n.flag("align_corners");
  std::optional<Sizes> size = n.sizes(1, "size");
  if (!size || !n.expectRank(0, 3, 3))
    return {};
  Value theta = n.input(0);
  int64_t dims = int64_t(size->size()) - 2;
  Sizes given = n.sizesOf(theta);
  if ((dims != 2 && dims != 3) || !n.agree(given[1], dims, "theta has one row for each dimension") ||
      !n.agree(given[2], dims + 1, "theta has one column more than rows") ||
      !n.agree(given[0], size->front(), "theta has the batch's size")) {
    n.fail(Code::OperandShape, "theta does not fit the size")
        .helped("size is N, C, H, W with theta N x 2 x 3, or N, C, D, H, W with theta N x 3 x 4");
    return {};
  }
  ArrayRef<Extent> image = ArrayRef(*size).drop_front(2);
  if (any_of(image, [](const Extent &extent) { return extent.isStatic() && extent.value() < 0; })) {
    n.fail(Code::OperandValue, "the size has a negative number");
    return {};
  }
  mlir::Type f64 = n.builder().getF64Type();
  Sizes whole(image), column(image);
  column.push_back(1);
  if (!n.typeOf(column, f64))
    return {};
  SmallVector<Value, 4> parts;
  for (int64_t axis = dims - 1; axis >= 0; --axis) {
    Sizes along(dims, 1);
    along[axis] = image[axis];
    Value line = centres(n, image[axis], align);
    Value spread = line ? n.make("expand", {n.reshape(line, along)}, {n.is("shape", whole)}) : line;
    parts.push_back(spread ? n.reshape(spread, column) : spread);
  }
  parts.push_back(n.make("expand", {n.scalar(1, f64)}, {n.is("shape", column)}));
  Value base = n.make("concat", parts, {n.is("axis", dims)});
  if (n.failed())
    return {};
  base = n.reshape(n.cast(base, n.elementOf(theta)), {n.elementsOf(parts.front()), dims + 1});
  Value grid = n.failed() ? Value() : n.make("matmul", {base, n.transpose(theta, {0, 2, 1})});
  Sizes result{given[0]};
  append_range(result, image);
  result.push_back(dims);
  return {grid ? n.reshape(grid, result) : grid};
}

constexpr OpCode codes[] = {
    {"AffineGrid", 2, 2, 1, importAffineGrid},
    {"GridSample", 2, 2, 1, importGridSample},
};

} // namespace

ArrayRef<OpCode> sampleOps() { return codes; }

} // namespace kumiko::onnx
