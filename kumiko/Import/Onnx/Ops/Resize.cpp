//===- Resize.cpp - images of another size -------------------------------------===//
//
// One axis after the other. Every coordinate mode is affine. Nearest neighbours are a gather, the others the op
// `resize_axis`.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Known.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

struct Axis {
  int64_t axis;
  eq::Extent from, to;
  double scale, length;      ///< the length is `to` before it is made whole; not for expressions
  double begin = 0, end = 1; ///< region of interest, as fractions

  /// Sizes that are numbers; elsewhere only what follows from the scale alone can be computed.
  bool isStatic() const { return from.isStatic() && to.isStatic(); }
  double size() const { return double(from.value()); }
};

struct Method {
  StringRef mode, coordinates, nearest;
  double cubic, extrapolation;
  bool antialias, exclude;
};

/// A constant list of numbers; empty when the input is left out or has no elements.
std::vector<double> numbers(NodeContext &n, size_t input, StringRef role) {
  std::vector<double> list;
  if (std::optional<Tensor> tensor = n.constant(input, role))
    for (int64_t i = 0; i < tensor->count(); ++i)
      list.push_back(valueAt(*tensor, i));
  return list;
}

/// Position o of the result lies at (o + before) * times / by + after of the source.
struct Affine {
  double before = 0, times = 1, by = 1, after = 0;
};

Affine affine(const Axis &a, StringRef coordinates) {
  double length = a.length;
  if (coordinates == "asymmetric")
    return {0, 1, a.scale, 0};
  if (!a.isStatic()) // half_pixel, by the scale; the caller has seen to that
    return {0.5, 1, a.scale, -0.5};
  if (coordinates == "align_corners")
    return length == 1 ? Affine{0, 0, 1, 0} : Affine{0, a.size() - 1, length - 1, 0};
  if (coordinates == "tf_crop_and_resize") {
    double span = (a.end - a.begin) * (a.size() - 1), start = a.begin * (a.size() - 1);
    return length == 1 ? Affine{0, 0, 1, span / 2 + start} : Affine{0, span, length - 1, start};
  }
  if (coordinates == "pytorch_half_pixel" && length == 1)
    return {0, 0, 1, 0};
  double offset = coordinates == "half_pixel_symmetric" ? a.size() / 2.0 * (1 - double(a.to.value()) / length) : 0;
  return {0.5, 1, a.scale, offset - 0.5};
}

/// Positions are computed step by step in f32, as other programs do: which neighbour is nearest may depend on the last
/// bit, and 2 / 0.8 is a tie there, although the float next to 0.8 is above it.
Value nearestAxis(NodeContext &n, Value x, const Axis &a, const Method &method) {
  Affine map = affine(a, method.coordinates);
  mlir::Type f32 = n.builder().getF32Type(), i64 = n.builder().getI64Type();
  Value position = n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", a.to)});
  if (!position)
    return {};
  Value source = n.make("add", {n.cast(position, f32), n.scalar(map.before, f32)});
  source = n.make("div", {n.make("mul", {source, n.scalar(map.times, f32)}), n.scalar(map.by, f32)});
  source = n.make("add", {source, n.scalar(map.after, f32)});
  Value half = n.scalar(0.5, f32);
  Value whole = method.nearest == "floor"               ? n.make("floor", {source})
                : method.nearest == "ceil"              ? n.make("ceil", {source})
                : method.nearest == "round_prefer_ceil" ? n.make("floor", {n.make("add", {source, half})})
                                                        : n.make("ceil", {n.make("sub", {source, half})});
  Value last = a.from.isStatic() ? n.scalar(a.size() - 1, f32) : n.numbersOf({a.from - eq::Extent(1)}, {});
  last = last ? n.cast(last, f32) : last;
  Value zero = n.scalar(0, f32);
  whole = n.make("min", {n.make("max", {whole, zero}), last});
  Value y = n.failed() ? Value() : n.make("gather", {x, n.cast(whole, i64)}, {n.is("axis", a.axis)});
  if (!y || method.coordinates != "tf_crop_and_resize")
    return y;
  Value outside = n.make("or", {n.make("lt", {source, zero}), n.make("lt", {last, source})});
  Sizes shape(n.rankOf(x), 1);
  shape[a.axis] = a.to;
  return outside ? n.make("select", {n.reshape(outside, shape), n.scalar(method.extrapolation, x), y}) : outside;
}

Value smoothAxis(NodeContext &n, Value x, const Axis &a, const Method &method) {
  Affine map = affine(a, method.coordinates);
  double gain = map.times / map.by, shift = map.before * gain + map.after;
  // Antialiasing widens the kernel when the image shrinks.
  double shrink = method.antialias ? std::min(a.scale, 1.0) : 1.0, support = method.mode == "linear" ? 1 : 2;
  double taps = 2 - 2 * (std::floor(-support / shrink) + 1);
  if (!(taps < 1e6)) {
    n.fail(Code::TooLarge, "a scale is too small for antialiasing");
    return {};
  }
  return n.make("resize_axis", {x},
                {n.is("axis", a.axis), n.is("out", a.to), n.is("gain", gain), n.is("shift", shift),
                 n.is("kernel", method.mode), n.is("a", method.cubic), n.is("shrink", shrink),
                 n.is("taps", int64_t(taps)), n.is("exclude", method.exclude),
                 n.is("crop", method.coordinates == "tf_crop_and_resize"), n.is("value", method.extrapolation)});
}

Value resized(NodeContext &n, ArrayRef<Axis> axes, const Method &method) {
  Value x = n.input(0);
  if (!is_contained({"nearest", "linear", "cubic"}, method.mode)) {
    n.fail(Code::AttributeValue, "mode is \"" + method.mode + "\", expected nearest, linear or cubic");
    return {};
  }
  for (const Axis &a : axes) {
    bool same = a.scale == 1 && a.to == a.from && method.coordinates != "tf_crop_and_resize";
    if (n.failed() || same)
      continue;
    if (a.from.is(0) || !(a.scale > 0) || !n.typeOf({a.to}, n.elementOf(x))) {
      if (!n.failed())
        n.fail(Code::OperandValue, "axis " + Twine(a.axis) + " cannot be resized").helped("scales must be positive");
      return {};
    }
    x = method.mode == "nearest" ? nearestAxis(n, x, a, method) : smoothAxis(n, x, a, method);
  }
  return x;
}

/// An axis whose size is an expression: the scale must be a number that does not round, and positions follow from it.
std::optional<Axis> symbolicAxis(NodeContext &n, int64_t axis, const eq::Extent &from, ArrayRef<double> scales,
                                 ArrayRef<eq::Extent> sizes, size_t i, StringRef policy, StringRef coordinates) {
  std::optional<eq::Known> factor = scales.empty() ? std::nullopt : eq::knownReal(scales[i]);
  if (!sizes.empty()) { // the sizes of exporters are the input's, times a number
    if (sizes[i] == from)
      factor = eq::Known{1, 1};
    for (int64_t by = 2; !factor && by <= 64; ++by)
      if (sizes[i] == from * eq::Extent(by))
        factor = eq::Known{by, 1};
  }
  bool byScale = is_contained({"asymmetric", "half_pixel", "pytorch_half_pixel"}, coordinates);
  if (!factor || !factor->numerator.isStatic() || factor->numerator.value() <= 0 || policy != "stretch" ||
      (!byScale && !(factor->numerator.is(1) && factor->denominator == 1))) {
    n.fail(Code::UnsupportedForm,
           "axis " + Twine(axis) + " has " + from.str() + " elements, and how they are resized needs that as a number")
        .helped("say how large the dimension is, with --dim NAME=N");
    return std::nullopt;
  }
  double scale = double(factor->numerator.value()) / double(factor->denominator);
  // A single element in pytorch_half_pixel lies elsewhere.
  eq::Extent to = floorDiv(from * factor->numerator, factor->denominator);
  if (coordinates == "pytorch_half_pixel")
    n.atMost(2, to, "an axis that is resized with pytorch_half_pixel has more than one element");
  return Axis{axis, from, to, scale, 0};
}

/// Scales or sizes for `axes`, by the policy on aspect ratios.
std::optional<SmallVector<Axis>> sized(NodeContext &n, ArrayRef<int64_t> axes, ArrayRef<double> scales,
                                       ArrayRef<eq::Extent> sizes, StringRef policy, StringRef coordinates) {
  if ((scales.size() == axes.size()) == (sizes.size() == axes.size()) || (!scales.empty() && !sizes.empty())) {
    n.fail(Code::OperandShape, "needs one scale or one size, not both, for each of " + Twine(axes.size()) + " axes");
    return std::nullopt;
  }
  SmallVector<Axis> result;
  double smallest = INFINITY, largest = 0;
  for (auto [i, axis] : enumerate(axes)) {
    eq::Extent size = n.sizesOf(n.input(0))[axis];
    if (!size.isStatic() || (!sizes.empty() && !sizes[i].isStatic())) {
      std::optional<Axis> symbolic = symbolicAxis(n, axis, size, scales, sizes, i, policy, coordinates);
      if (!symbolic)
        return std::nullopt;
      result.push_back(*symbolic);
      continue;
    }
    int64_t from = size.value();
    // The product is one of floats: 10 times 0.7 is 7, although the float next to 0.7 is below it.
    double asked = sizes.empty() ? 0 : double(sizes[i].value()), scale = sizes.empty() ? scales[i] : asked / from,
           length = sizes.empty() ? float(scale) * float(from) : asked, to = std::floor(length);
    if (!(to >= 0 && to < 1e15)) {
      n.fail(Code::OperandValue, "axis " + Twine(axis) + " would get an impossible size");
      return std::nullopt;
    }
    result.push_back({axis, from, int64_t(to), scale, length});
    smallest = std::min(smallest, scale);
    largest = std::max(largest, scale);
  }
  if (policy != "stretch" && !sizes.empty())
    for (Axis &a : result) {
      a.scale = policy == "not_larger" ? smallest : largest;
      a.length = a.scale * a.size();
      a.to = int64_t(a.length + 0.5);
    }
  return result;
}

Results importResize(NodeContext &n) {
  bool old = n.opset < 11;
  Method method{n.text("mode", "nearest"),
                n.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
                n.text("nearest_mode", old ? "floor" : "round_prefer_floor"),
                n.real("cubic_coeff_a", -0.75),
                n.real("extrapolation_value", 0),
                n.flag("antialias"),
                n.flag("exclude_outside")};
  StringRef policy = n.text("keep_aspect_ratio_policy", "stretch");
  std::optional<Ints> given = n.integers("axes");
  std::vector<double> roi = old ? std::vector<double>() : numbers(n, 1, "roi");
  std::vector<double> scales = numbers(n, old ? 1 : 2, "scales");
  Sizes sizes = old ? Sizes() : n.sizes(3, "sizes").value_or(Sizes());
  int64_t rank = n.rankOf(n.input(0));
  Ints axes;
  for (int64_t axis : given.value_or(counting(0, rank)))
    axes.push_back(n.axis(axis, rank));
  std::optional<SmallVector<Axis>> list =
      n.failed() ? std::nullopt : sized(n, axes, scales, sizes, policy, method.coordinates);
  if (!list)
    return {};
  if (method.coordinates == "tf_crop_and_resize") {
    if (roi.size() != 2 * axes.size()) {
      n.fail(Code::OperandShape, "roi must have a start and an end for each axis");
      return {};
    }
    for (auto [i, a] : enumerate(*list)) {
      a.begin = roi[i];
      a.end = roi[i + axes.size()];
    }
  }
  return {resized(n, *list, method)};
}

Results importUpsample(NodeContext &n) {
  StringRef mode = n.text("mode", "nearest");
  std::vector<double> scales = n.input(1) ? numbers(n, 1, "scales") : std::vector<double>();
  if (std::optional<ArrayRef<float>> list = n.reals("scales"))
    scales.assign(list->begin(), list->end());
  if (n.opset < 7) // images only, by name
    scales = {1, 1, n.real("height_scale", 1), n.real("width_scale", 1)};
  mode = mode == "bilinear" ? "linear" : mode;
  if (n.failed())
    return {};
  auto list = sized(n, counting(0, n.rankOf(n.input(0))), scales, {}, "stretch", "asymmetric");
  return {list ? resized(n, *list, {mode, "asymmetric", "floor", -0.75, 0, false, false}) : Value()};
}

constexpr OpCode codes[] = {
    {"Resize", 1, 4, 1, importResize},
    {"Upsample", 1, 2, 1, importUpsample},
};

} // namespace

ArrayRef<OpCode> resizeOps() { return codes; }

} // namespace kumiko::onnx
