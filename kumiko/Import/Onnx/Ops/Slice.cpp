//===- Slice.cpp - Slice, Split, Pad and what is made of them ----------------===//
#include "kumiko/Import/Onnx/Registry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Limits of amounts that are added to extents.
constexpr int64_t amountLimit = int64_t(1) << 47;

/// Start, step and length along one axis, inside the tensor.
struct Range {
  Extent start;
  int64_t step;
  Extent length;
};

/// A position: negative numbers count from the end, everything beyond is cut.
Extent inside(NodeContext &n, const Extent &position, const Extent &size, const Extent &low, const Extent &high) {
  // Beyond every end, as exporters write "all of it".
  constexpr int64_t huge = std::numeric_limits<int32_t>::max();
  bool isHuge = position.isStatic() && (position.value() >= huge || position.value() <= -huge);
  if (isHuge && !size.isStatic()) {
    n.atMost(size, huge, "an axis that is cut by a large number is not longer than that");
    return position.value() > 0 ? high : low;
  }
  bool fromEnd = position.isStatic() ? position.value() < 0 : (position + Extent(1)).knownNonPositive();
  // From which end n - 1 counts is decided here; a run in which that is wrong is refused.
  if (!fromEnd)
    n.atMost(0, position, "a position that follows from shapes is not negative");
  return min(max(fromEnd ? position + size : position, low), high);
}

/// start:end:step on `size` elements.
Range clamped(NodeContext &n, const Extent &start, const Extent &end, int64_t step, const Extent &size) {
  // With a step beyond the size only the first element remains; this also keeps the arithmetic small.
  int64_t most = size.isStatic() ? size.value() + 1 : amountLimit;
  step = std::clamp(step, -most, most);
  Extent low = step > 0 ? 0 : -1, high = step > 0 ? size : size - Extent(1);
  Extent first = inside(n, start, size, low, high), last = inside(n, end, size, low, high);
  // Walking backwards, a start before the first element is the first element.
  if (step < 0 && !size.is(0))
    first = max(first, 0);
  Extent distance = step > 0 ? last - first : first - last;
  Extent length = ceilDiv(max(distance, 0), step > 0 ? step : -step);
  // An empty slice starts anywhere; 0 is always inside.
  return length.is(0) ? Range{0, 1, 0} : Range{first, step, length};
}

Value slice(NodeContext &n, Value x, const SizeList &start, ArrayRef<int64_t> step, const SizeList &out) {
  return n.make("slice", {x}, {n.is("start", start.list()), n.is("step", step), n.is("out", out.list())});
}

Results importSlice(NodeContext &n) {
  Value x = n.input(0);
  int64_t rank = n.rankOf(x);
  std::optional<Ints> axes = n.integersFrom("axes", 3), steps = n.constantIntegers(4, "steps");
  Sizes sizes = n.sizesOf(x);
  // What only a run can tell is cut to the axis there, in the way of `inside` for forward steps.
  auto bounds = [&](size_t i) {
    if (steps && i < steps->size() && (*steps)[i] < 0 && !n.failed())
      n.fail(Code::NotConstant, "with a negative step, starts and ends must be known when compiling");
    int64_t axis = axes && i < axes->size() ? (*axes)[i] : int64_t(i);
    axis = axis < 0 ? axis + rank : axis;
    Extent size = axis >= 0 && axis < rank ? sizes[axis] : Extent(0);
    return DataBounds{size, size, /*clamp=*/true};
  };
  std::optional<Sizes> starts = n.sizesFrom("starts", 1, bounds), ends = n.sizesFrom("ends", 2, bounds);
  if (n.failed())
    return {};
  size_t count = starts ? starts->size() : 0;
  if (!starts || !ends || ends->size() != count || (axes && axes->size() != count) ||
      (steps && steps->size() != count) || (!axes && int64_t(count) > rank)) {
    n.fail(Code::OperandShape, "starts, ends, axes and steps must have one length, at most the rank of the input")
        .helped("each list has one number for each axis that is cut");
    return {};
  }
  Sizes start(rank, 0), out = sizes;
  Ints step(rank, 1);
  SmallVector<bool> seen(rank);
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = n.axis(axes ? (*axes)[i] : i, rank), stride = steps ? (*steps)[i] : 1;
    if (!n.failed() && (stride == 0 || seen[axis]))
      n.fail(Code::OperandValue, stride == 0 ? Twine("a step is 0") : "axis " + Twine(axis) + " is given twice")
          .helped("each axis is cut once, by a step that is not 0; negative ones walk backwards");
    if (n.failed())
      return {};
    seen[axis] = true;
    Range range = clamped(n, (*starts)[i], (*ends)[i], stride, out[axis]);
    start[axis] = range.start;
    step[axis] = range.step;
    out[axis] = range.length;
  }
  return {slice(n, x, start, step, out)};
}

/// How long each output is: given, or as equal as possible with the last one shorter.
std::optional<Sizes> splitLengths(NodeContext &n, const Extent &size) {
  std::optional<Sizes> given = n.sizesFrom("split", 1, nullptr, n.outputCount());
  std::optional<int64_t> asked = n.integer("num_outputs");
  if (n.failed())
    return std::nullopt;
  size_t count = n.outputCount();
  if (given) {
    Extent sum = 0;
    bool good = given->size() == count;
    for (const Extent &length : *given) {
      good &= !length.isStatic() || length.value() >= 0;
      sum += length;
    }
    if (!good || !n.agree(sum, size, "the parts are the whole axis")) {
      if (!n.failed())
        n.fail(Code::OperandValue, "the parts have lengths [" +
                                       join(map_range(*given, [](const Extent &l) { return l.str(); }), ", ") +
                                       "] for " + Twine(count) + " outputs and an axis of " + size.str())
            .helped("one length per output, none negative, together the size of the axis");
      return std::nullopt;
    }
    // None is negative, so all parts of nothing are nothing.
    return size.is(0) ? Sizes(count, 0) : given;
  }
  if (asked && *asked != int64_t(count)) {
    n.fail(Code::AttributeValue, "num_outputs is " + Twine(*asked) + ", the node has " + Twine(count) + " outputs")
        .helped("num_outputs must be the number of outputs");
    return std::nullopt;
  }
  // Before opset 18 parts had to be equal.
  Extent part = ceilDiv(size, count), left = size;
  if (n.opset < 18 && !n.agree(part * Extent(count), size, "the parts are equal")) {
    if (!n.failed())
      n.fail(Code::OperandShape, size.str() + " elements cannot be split into " + Twine(count) + " equal parts");
    return std::nullopt;
  }
  Sizes lengths;
  for (size_t i = 0; i < count; ++i) {
    lengths.push_back(n.opset < 18 ? part : min(part, left));
    left = left - lengths.back();
  }
  return lengths;
}

Results importSplit(NodeContext &n) {
  Value x = n.input(0);
  int64_t axis = n.axis(n.integer("axis", 0), n.rankOf(x));
  std::optional<Sizes> lengths = n.failed() ? std::nullopt : splitLengths(n, n.sizesOf(x)[axis]);
  if (!lengths)
    return {};
  Sizes start(n.rankOf(x), 0), out = n.sizesOf(x);
  Ints step(n.rankOf(x), 1);
  Results results;
  for (const Extent &length : *lengths) {
    out[axis] = length;
    Sizes from = start;
    if (length.is(0))
      from[axis] = 0; // an empty part starts anywhere
    results.push_back(slice(n, x, from, step, out));
    start[axis] += length;
  }
  return results;
}

/// Fails unless every dimension stays at least 0 and amounts are small enough to add.
bool checkPads(NodeContext &n, const Sizes &lo, const Sizes &hi, StringRef mode) {
  auto isHuge = [](const Extent &amount) {
    return amount.isStatic() && (amount.value() > amountLimit || amount.value() < -amountLimit);
  };
  for (auto [axis, size] : enumerate(n.sizesOf(n.input(0)))) {
    Extent after = size + lo[axis] + hi[axis];
    if (isHuge(lo[axis]) || isHuge(hi[axis])) {
      n.fail(Code::TooLarge, "padding of axis " + Twine(axis) + " is too large");
    } else if (after.isStatic() && after.value() < 0) {
      n.fail(Code::OperandValue, "axis " + Twine(axis) + " of size " + size.str() + " would become " + after.str());
    } else if (mode != "constant" && size.is(0) && !after.is(0)) {
      n.fail(Code::OperandShape, "axis " + Twine(axis) + " is empty: there is nothing to repeat");
    } else {
      n.atMost(0, after, "no dimension is padded to less than nothing");
      continue;
    }
    return false;
  }
  return true;
}

Results importPad(NodeContext &n) {
  Value x = n.input(0), value;
  int64_t rank = n.rankOf(x);
  StringRef mode = n.text("mode", "constant");
  std::optional<Sizes> pads;
  std::optional<Ints> axes;
  if (n.opset < 11) {
    pads = n.sizesFrom(n.opset < 2 ? "paddings" : "pads", /*number=*/n.inputCount());
    value = n.scalar(n.real("value", 0), x);
  } else {
    pads = n.sizes(1, "pads", nullptr, n.input(3) ? std::nullopt : std::optional(2 * rank));
    axes = n.constantIntegers(3, "axes");
    if (n.input(2) && n.elementsOf(n.input(2)).is(1))
      value = n.reshape(n.input(2), {});
  }
  if (n.failed())
    return {};
  if (!is_contained({"constant", "edge", "reflect", "wrap"}, mode)) {
    n.fail(Code::AttributeValue, "mode is \"" + mode + "\", expected constant, edge, reflect or wrap");
    return {};
  }
  if (!axes)
    axes = counting(0, rank);
  size_t count = axes->size();
  if (!pads || pads->size() != 2 * count) {
    n.fail(Code::OperandShape, "pads has " + Twine(pads ? pads->size() : 0) + " numbers, expected " + Twine(2 * count))
        .helped("two numbers per axis: all in front, then all behind");
    return {};
  }
  Sizes lo(rank, 0), hi(rank, 0);
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = n.axis((*axes)[i], rank);
    if (n.failed())
      return {};
    lo[axis] = (*pads)[i];
    hi[axis] = (*pads)[i + count];
  }
  if (!checkPads(n, lo, hi, mode))
    return {};
  return {
      n.make("pad", {x, mode == "constant" ? value : Value()}, {n.is("lo", lo), n.is("hi", hi), n.is("mode", mode)})};
}

/// Cuts or pads both ends so that the middle stays in the middle.
Results importCenterCropPad(NodeContext &n) {
  Value x = n.input(0);
  int64_t rank = n.rankOf(x);
  std::optional<Ints> given = n.integers("axes");
  Ints axes = given.value_or(counting(0, rank));
  std::optional<Sizes> wanted = n.sizes(1, "shape", nullptr, axes.size());
  if (!wanted)
    return {};
  Sizes lo(rank, 0), hi(rank, 0);
  if (axes.size() != wanted->size()) {
    n.fail(Code::OperandShape, "shape and axes have different lengths");
    return {};
  }
  for (auto [number, size] : zip_equal(axes, *wanted)) {
    int64_t axis = n.axis(number, rank);
    if (n.failed())
      return {};
    if (size.isStatic() && (size.value() < 0 || size.value() > amountLimit)) {
      n.fail(Code::OperandValue, "the shape has the number " + size.str());
      return {};
    }
    // Half of it, rounded towards 0 whether it is more or less.
    Extent more = size - n.sizesOf(x)[axis];
    lo[axis] = max(floorDiv(more, 2), 0) + min(ceilDiv(more, 2), 0);
    hi[axis] = more - lo[axis];
  }
  return {n.make("pad", {x, Value()}, {n.is("lo", lo), n.is("hi", hi)})};
}

constexpr OpCode codes[] = {
    {"CenterCropPad", 2, 2, 1, importCenterCropPad},
    {"Pad", 1, 4, 1, importPad},
    {"Slice", 1, 5, 1, importSlice},
    {"Split", 1, 2, OpCode::any, importSplit},
};

} // namespace

ArrayRef<OpCode> sliceOps() { return codes; }

} // namespace kumiko::onnx
