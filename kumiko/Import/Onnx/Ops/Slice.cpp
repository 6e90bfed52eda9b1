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

/// Start, step and length along one axis, as numbers inside the tensor.
struct Range {
  int64_t start, step, length;
};

/// start:end:step on `size` elements: negative numbers count from the end, everything beyond is cut.
Range clamped(int64_t start, int64_t end, int64_t step, int64_t size) {
  // With a step beyond the size only the first element remains; this also keeps the arithmetic small.
  step = std::clamp(step, -size - 1, size + 1);
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  auto inside = [&](int64_t position) { return std::clamp(position < 0 ? position + size : position, low, high); };
  // Walking backwards, a start before the first element is the first element.
  start = step > 0 ? inside(start) : std::max<int64_t>(inside(start), size ? 0 : -1);
  end = inside(end);
  int64_t distance = step > 0 ? end - start : start - end;
  int64_t length = distance <= 0 ? 0 : divideCeil(uint64_t(distance), uint64_t(step > 0 ? step : -step));
  // An empty slice starts anywhere; 0 is always inside.
  return length == 0 ? Range{0, 1, 0} : Range{start, step, length};
}

Value slice(NodeContext &n, Value x, ArrayRef<int64_t> start, ArrayRef<int64_t> step, ArrayRef<int64_t> out) {
  return n.make("slice", {x}, {n.is("start", start), n.is("step", step), n.is("out", out)});
}

Results importSlice(NodeContext &n) {
  Value x = n.input(0);
  int64_t rank = n.rankOf(x);
  std::optional<Ints> starts = n.integersFrom("starts", 1), ends = n.integersFrom("ends", 2);
  std::optional<Ints> axes = n.integersFrom("axes", 3), steps = n.constantIntegers(4, "steps");
  if (n.failed())
    return {};
  size_t count = starts ? starts->size() : 0;
  if (!starts || !ends || ends->size() != count || (axes && axes->size() != count) ||
      (steps && steps->size() != count) || (!axes && int64_t(count) > rank)) {
    n.fail(Code::OperandShape, "starts, ends, axes and steps must have one length, at most the rank of the input")
        .helped("each list has one number for each axis that is cut");
    return {};
  }
  Ints start(rank, 0), step(rank, 1), out(n.shapeOf(x));
  SmallVector<bool> seen(rank);
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = n.axis(axes ? (*axes)[i] : i, rank), stride = steps ? (*steps)[i] : 1;
    if (!n.failed() && (stride == 0 || seen[axis]))
      n.fail(Code::OperandValue, stride == 0 ? Twine("a step is 0") : "axis " + Twine(axis) + " is given twice")
          .helped("each axis is cut once, by a step that is not 0; negative ones walk backwards");
    if (n.failed())
      return {};
    seen[axis] = true;
    Range range = clamped((*starts)[i], (*ends)[i], stride, out[axis]);
    start[axis] = range.start;
    step[axis] = range.step;
    out[axis] = range.length;
  }
  return {slice(n, x, start, step, out)};
}

/// How long each output is: given, or as equal as possible with the last one shorter.
std::optional<Ints> splitLengths(NodeContext &n, int64_t size) {
  std::optional<Ints> given = n.integersFrom("split", 1);
  std::optional<int64_t> asked = n.integer("num_outputs");
  if (n.failed())
    return std::nullopt;
  size_t count = n.outputCount();
  if (given) {
    int64_t sum = 0;
    bool good = given->size() == count;
    for (int64_t length : *given) {
      good &= length >= 0 && length <= size - sum;
      sum += good ? length : 0;
    }
    if (!good || sum != size) {
      n.fail(Code::OperandValue, "the parts have lengths [" +
                                     join(map_range(*given, [](int64_t l) { return std::to_string(l); }), ", ") +
                                     "] for " + Twine(count) + " outputs and an axis of " + Twine(size))
          .helped("one length per output, none negative, together the size of the axis");
      return std::nullopt;
    }
    return given;
  }
  if (asked && *asked != int64_t(count)) {
    n.fail(Code::AttributeValue, "num_outputs is " + Twine(*asked) + ", the node has " + Twine(count) + " outputs")
        .helped("num_outputs must be the number of outputs");
    return std::nullopt;
  }
  // Before opset 18 parts had to be equal.
  if (n.opset < 18 && size % count != 0) {
    n.fail(Code::OperandShape, Twine(size) + " elements cannot be split into " + Twine(count) + " equal parts");
    return std::nullopt;
  }
  int64_t part = divideCeil(uint64_t(size), uint64_t(count)), left = size;
  Ints lengths;
  for (size_t i = 0; i < count; ++i) {
    lengths.push_back(std::min(part, left));
    left -= lengths.back();
  }
  return lengths;
}

Results importSplit(NodeContext &n) {
  Value x = n.input(0);
  int64_t axis = n.axis(n.integer("axis", 0), n.rankOf(x));
  std::optional<Ints> lengths = n.failed() ? std::nullopt : splitLengths(n, n.shapeOf(x)[axis]);
  if (!lengths)
    return {};
  Ints start(n.rankOf(x), 0), step(n.rankOf(x), 1), out(n.shapeOf(x));
  Results results;
  for (int64_t length : *lengths) {
    out[axis] = length;
    Ints from = start;
    if (length == 0)
      from[axis] = 0; // an empty part starts anywhere
    results.push_back(slice(n, x, from, step, out));
    start[axis] += length;
  }
  return results;
}

/// Fails unless every dimension stays at least 0 and amounts are small enough to add.
bool checkPads(NodeContext &n, ArrayRef<int64_t> lo, ArrayRef<int64_t> hi, StringRef mode) {
  for (auto [axis, size] : enumerate(n.shapeOf(n.input(0)))) {
    bool huge = lo[axis] > amountLimit || lo[axis] < -amountLimit || hi[axis] > amountLimit || hi[axis] < -amountLimit;
    if (huge) {
      n.fail(Code::TooLarge, "padding of axis " + Twine(axis) + " is too large");
    } else if (size + lo[axis] + hi[axis] < 0) {
      n.fail(Code::OperandValue,
             "axis " + Twine(axis) + " of size " + Twine(size) + " would become " + Twine(size + lo[axis] + hi[axis]));
    } else if (mode != "constant" && size == 0 && (lo[axis] > 0 || hi[axis] > 0)) {
      n.fail(Code::OperandShape, "axis " + Twine(axis) + " is empty: there is nothing to repeat");
    } else {
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
  std::optional<Ints> pads, axes;
  if (n.opset < 11) {
    pads = n.integers(n.opset < 2 ? "paddings" : "pads");
    value = n.scalar(n.real("value", 0), x);
  } else {
    pads = n.constantIntegers(1, "pads");
    axes = n.constantIntegers(3, "axes");
    if (n.input(2) && n.countOf(n.input(2)) == 1)
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
  Ints lo(rank, 0), hi(rank, 0);
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
  std::optional<Ints> given = n.integers("axes"), wanted = n.constantIntegers(1, "shape");
  if (!wanted)
    return {};
  Ints axes = given.value_or(counting(0, rank)), lo(rank, 0), hi(rank, 0);
  if (axes.size() != wanted->size()) {
    n.fail(Code::OperandShape, "shape and axes have different lengths");
    return {};
  }
  for (auto [number, size] : zip_equal(axes, *wanted)) {
    int64_t axis = n.axis(number, rank);
    if (n.failed())
      return {};
    if (size < 0 || size > amountLimit) {
      n.fail(Code::OperandValue, "the shape has the number " + Twine(size));
      return {};
    }
    int64_t more = size - n.shapeOf(x)[axis];
    lo[axis] = more / 2;
    hi[axis] = more - more / 2;
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
