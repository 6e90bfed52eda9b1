//===- Resize.cpp - images of another size -------------------------------------===//
//
// One axis after the other. Every coordinate mode is affine. Nearest neighbours are a gather, the others the op
// `resize_axis`.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Known.h"
#include "kumiko/Import/Onnx/Real.h"
#include "kumiko/Import/Onnx/Registry.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

struct Axis {
  int64_t axis;
  Extent from, to;
  Real scale, length;      ///< the length is `to` before it is made whole
  Real begin = 0, end = 1; ///< region of interest, as fractions
  bool maybeSingle = true; ///< whether `to` can be 1
};

struct Method {
  StringRef mode, coordinates, nearest;
  double cubic, extrapolation;
  bool antialias, exclude;
};

/// Position o of the result lies at (o + before) * times / by + after of the source.
struct Affine {
  Real before = 0, times = 1, by = 1, after = 0;
};

Affine affine(NodeContext &n, const Axis &a, StringRef coordinates) {
  if (coordinates == "asymmetric")
    return {0, 1, a.scale, 0};
  auto unlessSingle = [&](const Real &single, const Real &other) {
    return a.maybeSingle ? ifEqual(a.length, 1, single, other) : other;
  };
  if (coordinates == "align_corners")
    return {0, unlessSingle(0, Real(n, a.from) - 1), unlessSingle(1, a.length - 1), 0};
  if (coordinates == "tf_crop_and_resize") {
    Real last = Real(n, a.from) - 1, span = (a.end - a.begin) * last, start = a.begin * last;
    return {0, unlessSingle(0, span), unlessSingle(1, a.length - 1), unlessSingle(span / 2 + start, start)};
  }
  if (coordinates == "pytorch_half_pixel")
    return {unlessSingle(0, 0.5), unlessSingle(0, 1), unlessSingle(1, a.scale), unlessSingle(0, -0.5)};
  if (coordinates != "half_pixel_symmetric")
    return {0.5, 1, a.scale, -0.5};
  return {0.5, 1, a.scale, Real(n, a.from) / 2 * (1 - Real(n, a.to) / a.length) - 0.5};
}

/// Positions are computed step by step in f32, as other programs do: which neighbour is nearest may depend on the last
/// bit, and 2 / 0.8 is a tie there, although the float next to 0.8 is above it.
Value nearestAxis(NodeContext &n, Value x, const Axis &a, const Method &method) {
  Affine map = affine(n, a, method.coordinates);
  mlir::Type f32 = n.builder().getF32Type(), i64 = n.builder().getI64Type();
  Value position = n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", a.to)});
  if (!position)
    return {};
  Value source = n.make("add", {n.cast(position, f32), map.before.as(n, f32)});
  source = n.make("div", {n.make("mul", {source, map.times.as(n, f32)}), map.by.as(n, f32)});
  source = n.make("add", {source, map.after.as(n, f32)});
  Value half = n.scalar(0.5, f32);
  Value whole = method.nearest == "floor"               ? n.make("floor", {source})
                : method.nearest == "ceil"              ? n.make("ceil", {source})
                : method.nearest == "round_prefer_ceil" ? n.make("floor", {n.make("add", {source, half})})
                                                        : n.make("ceil", {n.make("sub", {source, half})});
  Value last = Real(n, a.from - Extent(1)).as(n, f32), zero = n.scalar(0, f32);
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
  Affine map = affine(n, a, method.coordinates);
  Real gain = map.times / map.by, shift = map.before * gain + map.after;
  // Antialiasing widens the kernel when the image shrinks.
  Real shrink = method.antialias ? min(a.scale, 1) : 1, support = method.mode == "linear" ? 1 : 2;
  Real width = 2 - 2 * (floor(0 - support / shrink) + 1);
  constexpr int64_t mostTaps = 1'000'000;
  if (width.isNumber() && !(width.number() < mostTaps)) {
    n.fail(Code::TooLarge, "a scale is too small for antialiasing");
    return {};
  }
  Extent taps = wholeOf(n, width);
  n.atMost(taps, mostTaps, "a scale is too small for antialiasing");
  Value open;
  if (!gain.isNumber() || !shift.isNumber() || !shrink.isNumber()) {
    SmallVector<Value, 3> parts;
    for (const Real *part : {&gain, &shift, &shrink})
      parts.push_back(n.failed() ? Value() : n.reshape(part->as(n, n.builder().getF64Type()), {1}));
    open = n.make("concat", parts, {n.is("axis", 0)});
  }
  auto number = [&](const Real &real) { return open ? 0.0 : real.number(); };
  if (n.failed())
    return {};
  return n.make("resize_axis", {x, open},
                {n.is("axis", a.axis), n.is("out", a.to), n.is("gain", number(gain)), n.is("shift", number(shift)),
                 n.is("kernel", method.mode), n.is("a", method.cubic), n.is("shrink", number(shrink)),
                 n.is("taps", taps), n.is("exclude", method.exclude),
                 n.is("crop", method.coordinates == "tf_crop_and_resize"), n.is("value", method.extrapolation)});
}

Value resized(NodeContext &n, ArrayRef<Axis> axes, const Method &method) {
  Value x = n.input(0);
  if (!is_contained({"nearest", "linear", "cubic"}, method.mode)) {
    n.fail(Code::AttributeValue, "mode is \"" + method.mode + "\", expected nearest, linear or cubic");
    return {};
  }
  for (const Axis &a : axes) {
    bool same = a.scale.is(1) && a.to == a.from && method.coordinates != "tf_crop_and_resize";
    if (n.failed() || same)
      continue;
    n.atMost(1, a.from, "an axis that is resized is not empty");
    if (a.from.is(0) || (a.scale.isNumber() && !(a.scale.number() > 0)) || !n.typeOf({a.to}, n.elementOf(x))) {
      if (!n.failed())
        n.fail(Code::OperandValue, "axis " + Twine(a.axis) + " cannot be resized").helped("scales must be positive");
      return {};
    }
    x = method.mode == "nearest" ? nearestAxis(n, x, a, method) : smoothAxis(n, x, a, method);
  }
  return x;
}

/// `size` / `from` where that is a short number; nothing otherwise.
std::optional<eq::Known> factorOf(const Extent &size, const Extent &from) {
  for (int64_t by = 1; by <= 64; ++by) // the sizes of exporters are the input's, times a number
    if (size == from * Extent(by))
      return eq::Known{by, 1};
  return std::nullopt;
}

Axis axisByScale(NodeContext &n, int64_t axis, const Extent &from, const Real &scale) {
  // The product is one of floats: 10 times 0.7 is 7, although the float next to 0.7 is below it.
  Real length = singleProduct(scale, Real(n, from));
  std::optional<eq::Known> factor = scale.isNumber() ? eq::knownReal(scale.number()) : std::nullopt;
  if (from.isStatic() || !factor || !factor->numerator.isStatic() || factor->numerator.value() <= 0)
    return {axis, from, wholeOf(n, floor(length)), scale, length};
  Axis result{axis, from, floorDiv(from * factor->numerator, factor->denominator), scale, length};
  result.maybeSingle = scale.number() < 2; // it is not empty
  return result;
}

Axis axisBySize(NodeContext &n, int64_t axis, const Extent &from, const Extent &to) {
  Real length(n, to);
  std::optional<eq::Known> factor = to.isStatic() ? std::nullopt : factorOf(to, from);
  if (!factor)
    return {axis, from, to, length / Real(n, from), length};
  Axis result{axis, from, to, double(factor->numerator.value()), length};
  result.maybeSingle = factor->numerator.is(1);
  return result;
}

/// Scales or sizes for `axes`, by the policy on aspect ratios.
std::optional<SmallVector<Axis>> sized(NodeContext &n, ArrayRef<int64_t> axes, ArrayRef<Real> scales,
                                       ArrayRef<Extent> sizes, StringRef policy) {
  if ((scales.size() == axes.size()) == (sizes.size() == axes.size()) || (!scales.empty() && !sizes.empty())) {
    n.fail(Code::OperandShape, "needs one scale or one size, not both, for each of " + Twine(axes.size()) + " axes");
    return std::nullopt;
  }
  SmallVector<Axis> result;
  Real common = policy == "not_larger" ? INFINITY : 0;
  for (auto [i, axis] : enumerate(axes)) {
    Extent from = n.sizesOf(n.input(0))[axis];
    bool isPossible = sizes.empty() ? !scales[i].isNumber() || (scales[i].number() >= 0 && scales[i].number() < 1e15)
                                    : !sizes[i].isStatic() || sizes[i].value() >= 0;
    if (isPossible && !n.failed())
      result.push_back(sizes.empty() ? axisByScale(n, axis, from, scales[i]) : axisBySize(n, axis, from, sizes[i]));
    else if (!n.failed())
      n.fail(Code::OperandValue, "axis " + Twine(axis) + " would get an impossible size");
    if (n.failed())
      return std::nullopt;
    if (policy != "stretch")
      common = policy == "not_larger" ? min(common, result.back().scale) : max(common, result.back().scale);
  }
  if (policy != "stretch" && !sizes.empty())
    for (Axis &a : result) {
      a.scale = common;
      a.length = common * Real(n, a.from);
      a.to = wholeOf(n, floor(a.length + 0.5));
      a.maybeSingle = true;
    }
  return n.failed() ? std::nullopt : std::optional(std::move(result));
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
  int64_t rank = n.rankOf(n.input(0));
  Ints axes;
  for (int64_t axis : given.value_or(counting(0, rank)))
    axes.push_back(n.axis(axis, rank));
  int64_t count = axes.size();
  bool isCrop = method.coordinates == "tf_crop_and_resize";
  SmallVector<Real, 6> roi = old || !isCrop ? SmallVector<Real, 6>() : realsOf(n, 1, "roi", 2 * count);
  SmallVector<Real, 6> scales = realsOf(n, old ? 1 : 2, "scales", count);
  Sizes sizes = old ? Sizes() : n.sizes(3, "sizes", nullptr, count).value_or(Sizes());
  std::optional<SmallVector<Axis>> list = n.failed() ? std::nullopt : sized(n, axes, scales, sizes, policy);
  if (!list)
    return {};
  if (isCrop) {
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
  int64_t rank = n.rankOf(n.input(0));
  SmallVector<Real, 6> scales = realsOf(n, 1, "scales", rank);
  if (std::optional<ArrayRef<float>> list = n.reals("scales"))
    scales.assign(list->begin(), list->end());
  if (n.opset < 7) // images only, by name
    scales = {1, 1, n.real("height_scale", 1), n.real("width_scale", 1)};
  mode = mode == "bilinear" ? "linear" : mode;
  if (n.failed())
    return {};
  auto list = sized(n, counting(0, rank), scales, {}, "stretch");
  return {list ? resized(n, *list, {mode, "asymmetric", "floor", -0.75, 0, false, false}) : Value()};
}

constexpr OpCode codes[] = {
    {"Resize", 1, 4, 1, importResize},
    {"Upsample", 1, 2, 1, importUpsample},
};

} // namespace

ArrayRef<OpCode> resizeOps() { return codes; }

} // namespace kumiko::onnx
