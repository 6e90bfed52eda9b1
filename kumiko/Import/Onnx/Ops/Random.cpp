//===- Random.cpp - nodes that draw ----------------------------------------------===//
//
// All of them are equations on `random_bits`; which numbers come out is said in docs/random.md.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <bit>
#include <numbers>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Nodes with the same seed draw the same numbers; without a seed a node has numbers of its own, in every run the same.
int64_t keyOf(NodeContext &n, std::optional<double> seed) {
  if (seed)
    return std::bit_cast<uint32_t>(float(*seed));
  StringRef name = n.node.outputs.empty() ? StringRef() : n.node.outputs.front();
  return int64_t(xxh3_64bits(name));
}

/// Independent f64 numbers, uniform in (0, 1): the middles of 2^32 equal parts.
Value uniform(NodeContext &n, const SizeList &shape, int64_t key) {
  mlir::Type f64 = n.builder().getF64Type();
  // Before the op is made: its numbers are four bytes each, those that follow eight.
  if (n.failed() || !n.typeOf(shape, f64))
    return {};
  Value bits = n.make("random_bits", {}, {n.is("shape", shape.list()), n.is("key", key)});
  if (!bits)
    return {};
  Value middle = n.make("add", {n.cast(bits, f64), n.scalar(0.5, f64)});
  return n.make("mul", {middle, n.scalar(0x1p-32, f64)});
}

/// The type that the attribute dtype names; `otherwise` without one.
mlir::Type typeNamed(NodeContext &n, mlir::Type otherwise) {
  std::optional<int64_t> given = n.integer("dtype");
  if (!given)
    return otherwise;
  std::optional<ElementType> element = elementTypeOf(static_cast<DataType>(*given));
  if (!element && !n.failed())
    n.fail(Code::UnsupportedType, "dtype " + Twine(*given) + " is not a type of numbers");
  return element ? nn::fromEquation(n.context(), *element) : otherwise;
}

Value drawUniform(NodeContext &n, const SizeList &shape, mlir::Type element) {
  double low = n.real("low", 0), high = n.real("high", 1);
  mlir::Type f64 = n.builder().getF64Type();
  Value u = uniform(n, shape, keyOf(n, n.real("seed")));
  Value y = n.make("add", {n.make("mul", {u, n.scalar(high - low, f64)}), n.scalar(low, f64)});
  return y ? n.cast(y, element) : y;
}

/// Box and Muller: two uniform numbers are radius and angle of a normal one.
Value drawNormal(NodeContext &n, const SizeList &shape, mlir::Type element) {
  double mean = n.real("mean", 0), scale = n.real("scale", 1);
  mlir::Type f64 = n.builder().getF64Type();
  Sizes pairs{2};
  append_range(pairs, shape.list());
  Value u = uniform(n, pairs, keyOf(n, n.real("seed")));
  if (!u)
    return {};
  Ints start(pairs.size(), 0), step(pairs.size(), 1);
  Sizes out = pairs;
  out[0] = 1;
  auto half = [&](int64_t number) {
    start[0] = number;
    Value part = n.make("slice", {u}, {n.is("start", start), n.is("step", step), n.is("out", out)});
    return part ? n.reshape(part, shape) : part;
  };
  Value radius = n.make("sqrt", {n.make("mul", {n.make("log", {half(0)}), n.scalar(-2, f64)})});
  Value angle = n.make("mul", {half(1), n.scalar(2 * std::numbers::pi, f64)});
  Value normal = n.make("mul", {radius, n.make("cos", {angle})});
  Value y = n.make("add", {n.make("mul", {normal, n.scalar(scale, f64)}), n.scalar(mean, f64)});
  return y ? n.cast(y, element) : y;
}

using Draw = Value (*)(NodeContext &, const SizeList &, mlir::Type);

/// With the shape in an attribute.
Results importShaped(NodeContext &n, Draw draw) {
  std::optional<Ints> shape = n.integers("shape");
  mlir::Type element = typeNamed(n, n.builder().getF32Type());
  if (!n.failed() && !shape)
    n.fail(Code::AttributeMissing, "attribute \"shape\" is missing").helped("the op needs it");
  if (!n.failed() && any_of(*shape, [](int64_t size) { return size < 0; }))
    n.fail(Code::AttributeValue, "the shape has a negative number");
  return {n.failed() ? Value() : draw(n, *shape, element)};
}
Results importRandomUniform(NodeContext &n) { return importShaped(n, drawUniform); }
Results importRandomNormal(NodeContext &n) { return importShaped(n, drawNormal); }

/// With the shape of the input.
Results importRandomUniformLike(NodeContext &n) {
  mlir::Type element = typeNamed(n, n.elementOf(n.input(0)));
  return {drawUniform(n, n.sizesOf(n.input(0)), element)};
}
Results importRandomNormalLike(NodeContext &n) {
  mlir::Type element = typeNamed(n, n.elementOf(n.input(0)));
  return {drawNormal(n, n.sizesOf(n.input(0)), element)};
}

/// 1 with the probability that the input gives.
Results importBernoulli(NodeContext &n) {
  Value x = n.input(0);
  mlir::Type element = typeNamed(n, n.elementOf(x));
  Value u = uniform(n, n.sizesOf(x), keyOf(n, n.real("seed")));
  Value hit = u ? n.make("lt", {u, n.cast(x, n.builder().getF64Type())}) : u;
  return {hit ? n.cast(hit, element) : hit};
}

/// The number of the class in whose share of the sum of probabilities a uniform number falls.
Results importMultinomial(NodeContext &n) {
  int64_t samples = n.integer("sample_size", 1);
  mlir::Type element = typeNamed(n, n.builder().getI32Type()), f64 = n.builder().getF64Type();
  if (n.failed() || !n.expectRank(0, 2, 2))
    return {};
  Value x = n.input(0);
  Extent batch = n.sizesOf(x)[0], classes = n.sizesOf(x)[1];
  n.atMost(1, classes, "there is a class to choose");
  if (samples < 0 || classes.is(0)) {
    n.fail(samples < 0 ? Code::AttributeValue : Code::OperandShape, "there is nothing to choose from");
    return {};
  }
  Value u = uniform(n, {batch, samples, 1}, keyOf(n, n.real("seed")));
  Value shares = u ? n.make("softmax", {n.cast(x, f64)}, {n.is("axis", 1)}) : u;
  Value ends = n.make("cumulate", {shares}, {n.is("kind", "+"), n.is("axis", 1)});
  Value passed = ends ? n.make("le", {n.reshape(ends, {batch, 1, classes}), u}) : ends;
  mlir::Type i64 = n.builder().getI64Type();
  Value counted = passed ? n.make("reduce", {n.cast(passed, i64)}, {n.is("kind", "+"), n.is("axes", Ints{2})}) : passed;
  // The last end may be rounded to less than 1.
  Value chosen = n.make("min", {counted, n.numbersOf({classes - Extent(1)}, {})});
  return {chosen ? n.cast(chosen, element) : chosen};
}

/// At inference the input itself, and a mask that keeps everything. In training each element stays with probability
/// 1 - ratio, and is divided by it.
Results importDropout(NodeContext &n) {
  n.ignore("is_test");
  Value x = n.input(0);
  double ratio = n.real("ratio", 0.5); // an attribute before opset 12
  std::optional<int64_t> seed = n.integer("seed");
  bool training = false;
  if (n.opset >= 12) {
    std::optional<Tensor> mode = n.input(2) ? n.constant(2, "training_mode") : std::nullopt;
    training = mode && mode->count() == 1 && valueAt(*mode, 0) != 0;
    std::optional<Tensor> given = training && n.input(1) ? n.constant(1, "ratio") : std::nullopt;
    ratio = given && given->count() == 1 ? valueAt(*given, 0) : 0.5;
  }
  if (!n.failed() && training && !(ratio >= 0 && ratio < 1))
    n.fail(Code::OperandValue, "ratio must be at least 0 and below 1");
  if (n.failed())
    return {};
  mlir::Type flag = n.opset < 10 ? n.elementOf(x) : n.builder().getI1Type(), f64 = n.builder().getF64Type();
  if (!training || ratio == 0)
    return {x, n.wants(1) ? n.make("expand", {n.scalar(1, flag)}, {n.is("shape", n.sizesOf(x))}) : Value()};
  std::optional<double> start = seed ? std::optional(double(*seed)) : std::nullopt;
  Value u = uniform(n, n.sizesOf(x), keyOf(n, start));
  Value mask = n.make("le", {n.scalar(ratio, f64), u});
  Value scaled = n.make("mul", {x, n.scalar(1 / (1 - ratio), x)});
  return {n.make("select", {mask, scaled, n.scalar(0, x)}), mask};
}

constexpr OpCode codes[] = {
    {"Bernoulli", 1, 1, 1, importBernoulli},
    {"Dropout", 1, 3, 2, importDropout},
    {"Multinomial", 1, 1, 1, importMultinomial},
    {"RandomNormal", 0, 0, 1, importRandomNormal},
    {"RandomNormalLike", 1, 1, 1, importRandomNormalLike},
    {"RandomUniform", 0, 0, 1, importRandomUniform},
    {"RandomUniformLike", 1, 1, 1, importRandomUniformLike},
};

} // namespace

ArrayRef<OpCode> randomOps() { return codes; }

} // namespace kumiko::onnx
