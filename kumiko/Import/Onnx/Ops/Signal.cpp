//===- Signal.cpp - Fourier transforms and window functions --------------------===//
#include "kumiko/Import/Onnx/Real.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numbers>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Lengths of transforms stay below this, so that products of two of them do not overflow.
constexpr int64_t lengthLimit = int64_t(1) << 31;

/// Fails unless the length is from `lowest` to the limit; a run looks at what is not a number.
bool isLength(NodeContext &n, const Extent &length, const Twine &role, int64_t lowest, Code code = Code::OperandValue) {
  if (n.failed())
    return false;
  if (length.isStatic() && (length.value() < lowest || length.value() >= lengthLimit)) {
    n.fail(code, role + " must be one number from " + Twine(lowest) + " to " + Twine(lengthLimit - 1));
    return false;
  }
  n.atMost(lowest, length, role + " must be at least " + Twine(lowest));
  n.atMost(length, lengthLimit - 1, role + " must be at most " + Twine(lengthLimit - 1));
  return true;
}

/// A scalar that is a length, at least `lowest`; nothing when the input is left out.
std::optional<Extent> length(NodeContext &n, size_t input, StringRef role, int64_t lowest) {
  std::optional<Sizes> list = n.sizes(input, role);
  if (!list || n.failed())
    return std::nullopt;
  return isLength(n, list->size() == 1 ? list->front() : Extent(-1), role, lowest) ? std::optional(list->front())
                                                                                   : std::nullopt;
}

/// The same where only a number will do.
std::optional<int64_t> fixedLength(NodeContext &n, size_t input, StringRef role, int64_t lowest) {
  std::optional<Ints> list = n.constantIntegers(input, role);
  if (!list || n.failed() || !isLength(n, list->size() == 1 ? list->front() : -1, role, lowest))
    return std::nullopt;
  return list->front();
}

/// Part of one axis; all other dimensions whole.
Value sliceAxis(NodeContext &n, Value x, int64_t axis, const Extent &start, int64_t step, const Extent &count) {
  Ints steps(n.rankOf(x), 1);
  Sizes starts(n.rankOf(x), 0), out = n.sizesOf(x);
  starts[axis] = count.is(0) ? Extent(0) : start;
  steps[axis] = step;
  out[axis] = count;
  return n.make("slice", {x}, {n.is("start", starts), n.is("step", steps), n.is("out", out)});
}

Value dft(NodeContext &n, Value x, int64_t axis, const Extent &count, const Extent &kept, bool inverse) {
  return n.make("dft", {x}, {n.is("axis", axis), n.is("n", count), n.is("out", kept), n.is("inverse", inverse)});
}

/// A real signal of `count` samples from the first half of its spectrum: the other half is its mirror image,
/// conjugated.
Value realInverse(NodeContext &n, Value x, int64_t axis, const Extent &count) {
  int64_t rank = n.rankOf(x);
  Extent half = floorDiv(count, 2) + Extent(1), rest = count - half;
  Sizes lo(rank, 0), hi(rank, 0);
  hi[axis] = half - n.sizesOf(x)[axis];
  hi.back() = Extent(2) - n.sizesOf(x).back(); // a spectrum may come without imaginary parts
  Value front = n.make("pad", {x, Value()}, {n.is("lo", lo), n.is("hi", hi)});
  if (!front)
    return {};
  Value sign = n.cast(n.constantOf({1, -1}, {2}), n.elementOf(x));
  Value mirror = n.make("mul", {sliceAxis(n, front, axis, rest, -1, rest), sign});
  Value whole = n.make("concat", {front, mirror}, {n.is("axis", axis)});
  Value y = n.failed() ? Value() : dft(n, whole, axis, count, count, /*inverse=*/true);
  return y ? sliceAxis(n, y, rank - 1, 0, 1, 1) : y;
}

/// Fails unless the last dimension is that of real numbers, or (unless they must be real) of complex ones.
bool hasParts(NodeContext &n, const Extent &parts, bool isReal) {
  bool good = isReal ? n.agree(parts, 1, "a onesided transform takes a real signal")
                     : !parts.isStatic() || parts.is(1) || parts.is(2);
  if (!good && !n.failed())
    n.fail(Code::OperandShape, isReal ? "onesided needs a real signal"
                                      : "the last dimension holds real and imaginary parts, and has " + parts.str())
        .helped(isReal ? "the last dimension must be 1" : "it must be 1 or 2");
  n.atMost(1, parts, "the last dimension holds real and imaginary parts");
  n.atMost(parts, 2, "the last dimension holds real and imaginary parts");
  return good;
}

Results importDft(NodeContext &n) {
  Value x = n.input(0);
  bool inverse = n.flag("inverse"), oneSided = n.flag("onesided");
  int64_t rank = n.rankOf(x), axis = n.opset < 20 ? n.integer("axis", 1) : -2;
  if (n.opset >= 20)
    if (std::optional<Ints> given = n.constantIntegers(2, "axis"))
      axis = given->size() == 1 ? given->front() : rank;
  if (n.failed() || !n.expectRank(0, 2))
    return {};
  axis = n.axis(axis, rank);
  if (!n.failed() && axis == rank - 1)
    n.fail(Code::OperandShape, "the last dimension holds real and imaginary parts and is not transformed");
  std::optional<Extent> given = length(n, 1, "dft_length", 1);
  if (n.failed() || !hasParts(n, n.sizesOf(x).back(), oneSided && !inverse))
    return {};
  Extent samples = n.sizesOf(x)[axis];
  Extent count = given.value_or(inverse && oneSided ? (samples - Extent(1)) * Extent(2) : samples);
  if (!isLength(n, count, "the length of a transform", 1, Code::OperandShape))
    return {};
  if (inverse && oneSided)
    return {realInverse(n, x, axis, count)};
  return {dft(n, x, axis, count, oneSided ? floorDiv(count, 2) + Extent(1) : count, inverse)};
}

Results importStft(NodeContext &n) {
  Value x = n.input(0), window = n.input(2);
  bool oneSided = n.flag("onesided", true);
  std::optional<Extent> hop = length(n, 1, "frame_step", 1), given = length(n, 3, "frame_length", 1);
  if (n.failed() || !n.expectRank(0, 2, 3) || (window && !n.expectRank(2, 1, 1)))
    return {};
  if (n.rankOf(x) == 2)
    x = n.reshape(x, {n.sizesOf(x)[0], n.sizesOf(x)[1], 1});
  Extent samples = n.sizesOf(x)[1], count = given.value_or(window ? n.sizesOf(window)[0] : samples);
  bool isLonger = count.isStatic() && samples.isStatic() && count.value() > samples.value();
  if (isLonger || (window && !n.agree(n.sizesOf(window)[0], count, "the window is as long as a frame"))) {
    n.fail(Code::OperandShape,
           "a frame of " + count.str() + " samples does not fit the signal of " + samples.str() + " or the window")
        .helped("the window has one number per sample of a frame, and a frame is at most the signal");
    return {};
  }
  n.atMost(count, samples, "a frame is not longer than the signal");
  if (!isLength(n, count, "the length of a frame", 1, Code::OperandShape) || !hasParts(n, n.sizesOf(x)[2], oneSided))
    return {};
  Value frames =
      n.make("frames", {x, window},
             {n.is("hop", *hop), n.is("n", count), n.is("out", floorDiv(samples - count, *hop) + Extent(1))});
  Extent kept = oneSided ? floorDiv(count, 2) + Extent(1) : count;
  return {frames ? dft(n, frames, 2, count, kept, /*inverse=*/false) : frames};
}

/// a - b cos(2 pi i / N) + c cos(4 pi i / N)
Results importWindow(NodeContext &n, double a, double b, double c) {
  bool periodic = n.flag("periodic", true);
  std::optional<ElementType> to = elementTypeOf(static_cast<DataType>(n.integer("output_datatype", 1)));
  std::optional<Extent> size = length(n, 0, "size", 0);
  if (!to && !n.failed())
    n.fail(Code::UnsupportedType, "output_datatype is not a number type");
  if (n.failed())
    return {};
  // A symmetric window of one element is its first.
  Real period(n, max(periodic ? *size : *size - Extent(1), 1)), turn = Real(2 * std::numbers::pi) / period;
  mlir::Type f64 = n.builder().getF64Type();
  Value i = n.make("range", {n.scalar(0, f64), n.scalar(1, f64)}, {n.is("n", *size)});
  auto wave = [&](double scale, const Real &rate) {
    return n.make("mul", {n.make("cos", {n.make("mul", {i, rate.as(n, f64)})}), n.scalar(scale, f64)});
  };
  Value y = n.make("sub", {n.scalar(a, f64), wave(b, turn)});
  if (c != 0)
    y = n.make("add", {y, wave(c, 2 * turn)});
  return {n.failed() ? Value() : n.cast(y, nn::fromEquation(n.context(), *to))};
}
Results importHann(NodeContext &n) { return importWindow(n, 0.5, 0.5, 0); }
Results importHamming(NodeContext &n) { return importWindow(n, 25.0 / 46, 21.0 / 46, 0); }
Results importBlackman(NodeContext &n) { return importWindow(n, 0.42, 0.5, 0.08); }

/// A constant scalar of any type.
std::optional<double> scalar(NodeContext &n, size_t input, StringRef role) {
  std::optional<Tensor> tensor = n.constant(input, role);
  if (tensor && tensor->count() != 1)
    n.fail(Code::OperandShape, role + " must be one number");
  return tensor && !n.failed() ? std::optional(valueAt(*tensor, 0)) : std::nullopt;
}

/// The lines of the spectrum at which the triangles of the mel scale begin, peak and end: one more than bins, twice.
std::optional<Ints> melPoints(NodeContext &n, int64_t bins, int64_t samples) {
  std::optional<double> rate = scalar(n, 2, "sample_rate"), low = scalar(n, 3, "lower_edge_hertz"),
                        high = scalar(n, 4, "upper_edge_hertz");
  if (n.failed())
    return std::nullopt;
  auto mel = [](double hertz) { return 2595 * std::log1p(hertz / 700) / std::numbers::ln10; };
  double start = mel(*low), step = (mel(*high) - start) / double(bins + 2);
  Ints points;
  for (int64_t i = 0; i < bins + 2; ++i) {
    double hertz = 700 * std::expm1((start + double(i) * step) / 2595 * std::numbers::ln10);
    double line = std::floor(double(samples + 1) * hertz / *rate);
    if (!(std::abs(line) < 1e15)) {
      n.fail(Code::OperandValue, "the edges and the sample rate do not give a scale")
          .helped("all are finite, the sample rate is positive and no edge is below -700");
      return std::nullopt;
    }
    points.push_back(int64_t(line));
  }
  return points;
}

/// A triangle per column: rises from its first point to the second, falls to the third.
Results importMelWeightMatrix(NodeContext &n) {
  std::optional<ElementType> to = elementTypeOf(static_cast<DataType>(n.integer("output_datatype", 1)));
  std::optional<int64_t> bins = fixedLength(n, 0, "num_mel_bins", 0), samples = fixedLength(n, 1, "dft_length", 0);
  if (!to && !n.failed())
    n.fail(Code::UnsupportedType, "output_datatype is not a number type");
  mlir::Type f64 = n.builder().getF64Type();
  if (n.failed() || !n.typeOf({*samples / 2 + 1, *bins}, f64))
    return {};
  std::optional<Ints> points = melPoints(n, *bins, *samples);
  if (!points)
    return {};
  auto row = [&](int64_t from) { return n.cast(n.constantOf(ArrayRef(*points).slice(from, *bins), {*bins}), f64); };
  Value first = row(0), peak = row(1), last = row(2), zero = n.scalar(0, f64), one = n.scalar(1, f64);
  Value lines = n.make("range", {zero, one}, {n.is("n", *samples / 2 + 1)});
  if (!lines)
    return {};
  Value j = n.reshape(lines, {*samples / 2 + 1, 1});
  auto both = [&](Value a, Value b) { return n.make("and", {a, b}); };
  Value rise = n.make("div", {n.make("sub", {j, first}), n.make("sub", {peak, first})});
  Value fall = n.make("div", {n.make("sub", {last, j}), n.make("sub", {last, peak})});
  rise = n.make("select", {n.make("eq", {first, peak}), one, rise});
  rise = n.make("select", {both(n.make("le", {first, j}), n.make("le", {j, peak})), rise, zero});
  Value y = n.make("select", {both(n.make("le", {peak, j}), n.make("lt", {j, last})), fall, rise});
  return {y ? n.cast(y, nn::fromEquation(n.context(), *to)) : y};
}

constexpr OpCode codes[] = {
    {"BlackmanWindow", 1, 1, 1, importBlackman},         {"DFT", 1, 3, 1, importDft},
    {"HammingWindow", 1, 1, 1, importHamming},           {"HannWindow", 1, 1, 1, importHann},
    {"MelWeightMatrix", 5, 5, 1, importMelWeightMatrix}, {"STFT", 2, 4, 1, importStft},
};

} // namespace

ArrayRef<OpCode> signalOps() { return codes; }

} // namespace kumiko::onnx
