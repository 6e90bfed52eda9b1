//===- Signal.cpp - Fourier transforms and window functions --------------------===//
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

/// A constant scalar that is a length, at least `lowest`; nothing when the input is left out.
std::optional<int64_t> length(NodeContext &n, size_t input, StringRef role, int64_t lowest) {
  std::optional<Ints> list = n.constantIntegers(input, role);
  if (!list || n.failed())
    return std::nullopt;
  if (list->size() != 1 || list->front() < lowest || list->front() >= lengthLimit) {
    n.fail(Code::OperandValue, role + " must be one number from " + Twine(lowest) + " to " + Twine(lengthLimit - 1));
    return std::nullopt;
  }
  return list->front();
}

/// Part of one axis; all other dimensions whole.
Value sliceAxis(NodeContext &n, Value x, int64_t axis, int64_t start, int64_t step, int64_t count) {
  Ints starts(n.rankOf(x), 0), steps(n.rankOf(x), 1), out(n.shapeOf(x));
  starts[axis] = count ? start : 0;
  steps[axis] = step;
  out[axis] = count;
  return n.make("slice", {x}, {n.is("start", starts), n.is("step", steps), n.is("out", out)});
}

Value dft(NodeContext &n, Value x, int64_t axis, int64_t count, int64_t kept, bool inverse) {
  return n.make("dft", {x}, {n.is("axis", axis), n.is("n", count), n.is("out", kept), n.is("inverse", inverse)});
}

/// A real signal of `count` samples from the first half of its spectrum: the other half is its mirror image,
/// conjugated.
Value realInverse(NodeContext &n, Value x, int64_t axis, int64_t count) {
  int64_t rank = n.rankOf(x), half = count / 2 + 1, rest = count - half;
  Ints lo(rank, 0), hi(rank, 0);
  hi[axis] = half - n.shapeOf(x)[axis];
  hi.back() = 2 - n.shapeOf(x).back(); // a spectrum may come without imaginary parts
  Value front = n.make("pad", {x, Value()}, {n.is("lo", lo), n.is("hi", hi)});
  if (!front)
    return {};
  Value sign = n.cast(n.constantOf({1, -1}, {2}), n.elementOf(x));
  Value mirror = n.make("mul", {sliceAxis(n, front, axis, rest, -1, rest), sign});
  Value whole = n.make("concat", {front, mirror}, {n.is("axis", axis)});
  Value y = n.failed() ? Value() : dft(n, whole, axis, count, count, /*inverse=*/true);
  return y ? sliceAxis(n, y, rank - 1, 0, 1, 1) : y;
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
  ArrayRef<int64_t> shape = n.shapeOf(x);
  if (!n.failed() && (axis == rank - 1 || shape.back() < 1 || shape.back() > 2))
    n.fail(Code::OperandShape, "the last dimension holds real and imaginary parts: it has 1 or 2 elements and is not "
                               "transformed");
  else if (!n.failed() && oneSided && !inverse && shape.back() != 1)
    n.fail(Code::OperandShape, "onesided needs a real signal").helped("the last dimension must be 1");
  std::optional<int64_t> given = length(n, 1, "dft_length", 1);
  if (n.failed())
    return {};
  int64_t count = given.value_or(inverse && oneSided ? 2 * (shape[axis] - 1) : shape[axis]);
  if (count < 1 || count >= lengthLimit) {
    n.fail(Code::OperandShape, "a transform of " + Twine(count) + " samples is not possible");
    return {};
  }
  if (inverse && oneSided)
    return {realInverse(n, x, axis, count)};
  return {dft(n, x, axis, count, oneSided ? count / 2 + 1 : count, inverse)};
}

Results importStft(NodeContext &n) {
  Value x = n.input(0), window = n.input(2);
  bool oneSided = n.flag("onesided", true);
  std::optional<int64_t> hop = length(n, 1, "frame_step", 1), given = length(n, 3, "frame_length", 1);
  if (n.failed() || !n.expectRank(0, 2, 3) || (window && !n.expectRank(2, 1, 1)))
    return {};
  if (n.rankOf(x) == 2)
    x = n.reshape(x, {n.shapeOf(x)[0], n.shapeOf(x)[1], 1});
  int64_t samples = n.shapeOf(x)[1], parts = n.shapeOf(x)[2];
  int64_t count = given.value_or(window ? n.shapeOf(window)[0] : samples);
  if (count < 1 || count > samples || count >= lengthLimit || (window && n.shapeOf(window)[0] != count)) {
    n.fail(Code::OperandShape,
           "a frame of " + Twine(count) + " samples does not fit the signal of " + Twine(samples) + " or the window")
        .helped("the window has one number per sample of a frame, and a frame is at most the signal");
    return {};
  }
  if (parts < 1 || parts > 2 || (oneSided && parts != 1)) {
    n.fail(Code::OperandShape, "onesided needs a real signal").helped("the last dimension must be 1");
    return {};
  }
  Value frames =
      n.make("frames", {x, window}, {n.is("hop", *hop), n.is("n", count), n.is("out", 1 + (samples - count) / *hop)});
  return {frames ? dft(n, frames, 2, count, oneSided ? count / 2 + 1 : count, /*inverse=*/false) : frames};
}

/// a - b cos(2 pi i / N) + c cos(4 pi i / N)
Results importWindow(NodeContext &n, double a, double b, double c) {
  bool periodic = n.flag("periodic", true);
  std::optional<ElementType> to = elementTypeOf(static_cast<DataType>(n.integer("output_datatype", 1)));
  std::optional<int64_t> size = length(n, 0, "size", 0);
  if (!to && !n.failed())
    n.fail(Code::UnsupportedType, "output_datatype is not a number type");
  if (n.failed())
    return {};
  // A symmetric window of one element is its first.
  double period = std::max<int64_t>(periodic ? *size : *size - 1, 1), turn = 2 * std::numbers::pi / period;
  mlir::Type f64 = n.builder().getF64Type();
  Value i = n.make("range", {n.scalar(0, f64), n.scalar(1, f64)}, {n.is("n", *size)});
  auto wave = [&](double scale, double rate) {
    return n.make("mul", {n.make("cos", {n.make("mul", {i, n.scalar(rate, f64)})}), n.scalar(scale, f64)});
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
  std::optional<int64_t> bins = length(n, 0, "num_mel_bins", 0), samples = length(n, 1, "dft_length", 0);
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
    {"BlackmanWindow", 1, 1, 1, importBlackman},
    {"DFT", 1, 3, 1, importDft, /*takesLists=*/false, /*needsNumbers=*/true},
    {"HammingWindow", 1, 1, 1, importHamming},
    {"HannWindow", 1, 1, 1, importHann},
    {"MelWeightMatrix", 5, 5, 1, importMelWeightMatrix},
    {"STFT", 2, 4, 1, importStft, /*takesLists=*/false, /*needsNumbers=*/true},
};

} // namespace

ArrayRef<OpCode> signalOps() { return codes; }

} // namespace kumiko::onnx
