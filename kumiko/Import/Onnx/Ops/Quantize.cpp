//===- Quantize.cpp - conversion to small integers, and arithmetic on them -----===//
#include "kumiko/Import/Onnx/Ops/Window.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Where the scales lie: one for all, one per position of `axis`, or one per `block` positions of it.
struct Granularity {
  int64_t axis = 0, block = 1;
  bool blocked = false;
};

std::optional<Granularity> granularity(NodeContext &n, ArrayRef<int64_t> shape) {
  int64_t rank = shape.size(), axis = n.integer("axis", 1), block = n.integer("block_size", 0);
  if (n.failed())
    return std::nullopt;
  int64_t scales = n.countOf(n.input(1));
  Granularity result;
  // The axis only counts when there is more than one scale; its default is wrong for vectors.
  result.axis = scales == 1 && (axis >= rank || axis < -rank) ? 0 : n.axis(axis, rank);
  result.blocked = scales > 1 && block > 0;
  if (n.failed())
    return std::nullopt;
  int64_t size = shape[result.axis];
  if (scales == 1)
    result.block = std::max<int64_t>(size, 1);
  else if (result.blocked)
    result.block = block;
  bool fits = scales == 1 || (result.blocked ? n.rankOf(n.input(1)) == rank : scales == size);
  if (block < 0 || !fits) {
    n.fail(Code::OperandShape,
           Twine(scales) + " scales do not fit axis " + Twine(result.axis) + " of size " + Twine(size))
        .helped("one scale for the tensor, one per position of the axis, or one per block of it");
    return std::nullopt;
  }
  return result;
}

/// Scale or zero point with as many dimensions as the tensor.
Value spread(NodeContext &n, Value parameter, int64_t rank, const Granularity &where) {
  if (!parameter || n.failed() || (where.blocked && n.countOf(parameter) > 1))
    return parameter;
  Ints shape(rank, 1);
  shape[where.axis] = n.countOf(parameter);
  return n.reshape(parameter, shape);
}

/// The element type that an integer attribute names; `otherwise` when it is 0 or not there.
mlir::Type namedType(NodeContext &n, StringRef attribute, mlir::Type otherwise) {
  int64_t number = n.integer(attribute, 0);
  if (number == 0 || n.failed())
    return otherwise;
  std::optional<ElementType> type = elementTypeOf(static_cast<DataType>(number));
  if (!type)
    n.fail(Code::AttributeValue, attribute + " is " + Twine(number) + ", which is no type");
  return type ? nn::fromEquation(n.context(), *type) : otherwise;
}

Results importQuantizeLinear(NodeContext &n) {
  Value x = n.input(0), zero = n.input(2);
  bool saturate = n.flag("saturate", true);
  mlir::Type asked = namedType(n, "output_dtype", nn::fromEquation(n.context(), ElementType::U8));
  mlir::Type to = zero ? n.elementOf(zero) : asked;
  mlir::Type f32 = n.builder().getF32Type();
  mlir::Type acc = namedType(n, "precision", isa<FloatType>(n.elementOf(x)) ? n.elementOf(x) : f32);
  Ints shape(n.shapeOf(x));
  if (n.failed())
    return {};
  if (shape.empty())
    x = n.reshape(x, {1});
  std::optional<Granularity> where = granularity(n, n.shapeOf(x));
  if (!where)
    return {};
  ElementType element = nn::toEquation(to);
  bool whole = isInteger(element);
  if (!whole && !saturate) {
    n.fail(Code::UnsupportedForm, "saturate=0 is not supported");
    return {};
  }
  // The zero point of a float type is 0.
  Value used = whole ? spread(n, zero, n.rankOf(x), *where) : Value();
  double low = whole ? double(lowestInteger(element)) : -INFINITY,
         high = whole ? double(highestInteger(element)) : INFINITY;
  Value y = n.make("quantize", {x, spread(n, n.input(1), n.rankOf(x), *where), used},
                   {n.is("axis", where->axis), n.is("block", where->block), n.is("lo", low), n.is("hi", high),
                    n.is("whole", whole), n.is("acc", acc), n.is("to", to)});
  return {y ? n.reshape(y, shape) : y};
}

Results importDequantizeLinear(NodeContext &n) {
  Value x = n.input(0), scale = n.input(1);
  mlir::Type to = namedType(n, "output_dtype", n.elementOf(scale));
  Ints shape(n.shapeOf(x));
  if (n.failed())
    return {};
  if (shape.empty())
    x = n.reshape(x, {1});
  std::optional<Granularity> where = granularity(n, n.shapeOf(x));
  if (!where)
    return {};
  Value y = n.make("dequantize", {x, spread(n, scale, n.rankOf(x), *where), spread(n, n.input(2), n.rankOf(x), *where)},
                   {n.is("axis", where->axis), n.is("block", where->block), n.is("to", to)});
  return {y ? n.reshape(y, shape) : y};
}

/// Scale and zero point from the range of the values, which always includes 0.
Results importDynamicQuantizeLinear(NodeContext &n) {
  Value x = n.input(0);
  int64_t rank = n.rankOf(x);
  Ints all = counting(0, rank);
  auto extreme = [&](StringRef kind) {
    return n.make(kind, {n.make("reduce", {x}, {n.is("kind", kind), n.is("axes", all)}), n.scalar(0, x)});
  };
  Value high = extreme("max"), low = extreme("min");
  Value scale = n.make("div", {n.make("sub", {high, low}), n.scalar(255, x)});
  // Of zeros alone the standard's formula makes 0 / 0; a scale of 1 represents them, as in ONNX Runtime.
  scale = n.make("select", {n.make("eq", {scale, n.scalar(0, x)}), n.scalar(1, x), scale});
  Value zero = n.make("round", {n.make("div", {n.make("neg", {low}), scale})});
  zero = n.make("min", {n.make("max", {zero, n.scalar(0, x)}), n.scalar(255, x)});
  mlir::Type u8 = nn::fromEquation(n.context(), ElementType::U8);
  if (n.failed())
    return {};
  zero = n.cast(zero, u8);
  Ints shape(n.shapeOf(x)), flat(std::max<int64_t>(rank, 1), 1);
  Value wide = rank ? x : n.reshape(x, {1});
  Value y = n.make("quantize", {wide, n.reshape(scale, flat), n.reshape(zero, flat)},
                   {n.is("axis", 0), n.is("block", std::max<int64_t>(n.shapeOf(wide)[0], 1)), n.is("lo", 0.0),
                    n.is("hi", 255.0), n.is("whole", true), n.is("acc", n.elementOf(x)), n.is("to", u8)});
  return {y ? n.reshape(y, shape) : y, scale, zero};
}

/// x - zero as i32. A zero point per position of `axis` is laid along it.
Value centred(NodeContext &n, Value x, Value zero, int64_t axis) {
  mlir::Type i32 = n.builder().getI32Type();
  Value y = n.cast(x, i32);
  if (!zero || n.failed())
    return y;
  Ints shape;
  if (n.countOf(zero) > 1) {
    shape.assign(n.rankOf(x), 1);
    shape[axis] = n.countOf(zero);
  }
  return n.make("sub", {y, n.cast(n.reshape(zero, shape), i32)});
}

/// round(y * factor + zero), cut to the range of the zero point's type.
Value requantized(NodeContext &n, Value y, Value factor, Value zero) {
  mlir::Type f32 = n.builder().getF32Type();
  if (n.failed())
    return {};
  ElementType to = nn::toEquation(n.elementOf(zero));
  if (!isInteger(to)) {
    n.fail(Code::UnsupportedType, "zero points of " + nameOf(to) + " are not supported");
    return {};
  }
  Value shift = n.reshape(n.cast(zero, f32), {});
  Value real = n.make("round", {n.make("add", {n.make("mul", {n.cast(y, f32), factor}), shift})});
  real = n.make("max", {real, n.scalar(lowestInteger(to), f32)});
  real = n.make("min", {real, n.scalar(highestInteger(to), f32)});
  return n.failed() ? Value() : n.cast(real, n.elementOf(zero));
}

/// scaleA * scaleB / scaleY in f32; B's scale may be one per position of `axis` in a result of rank `rank`.
Value factor(NodeContext &n, Value a, Value b, Value y, int64_t rank, int64_t axis) {
  mlir::Type f32 = n.builder().getF32Type();
  if (n.failed())
    return {};
  Ints shape;
  if (n.countOf(b) > 1) {
    shape.assign(rank, 1);
    shape[axis] = n.countOf(b);
  }
  auto scalar = [&](Value value) { return n.reshape(n.cast(value, f32), {}); };
  return n.make("div", {n.make("mul", {scalar(a), n.reshape(n.cast(b, f32), shape)}), scalar(y)});
}

Value product(NodeContext &n, Value a, Value zeroA, Value b, Value zeroB) {
  if (n.rankOf(a) < 2 || n.rankOf(b) < 2) {
    n.fail(Code::UnsupportedForm, "operands with fewer than two dimensions are not supported");
    return {};
  }
  Value left = centred(n, a, zeroA, n.rankOf(a) - 2), right = centred(n, b, zeroB, n.rankOf(b) - 1);
  return n.make("matmul", {left, right});
}

Results importMatMulInteger(NodeContext &n) { return {product(n, n.input(0), n.input(2), n.input(1), n.input(3))}; }

Results importQLinearMatMul(NodeContext &n) {
  Value y = product(n, n.input(0), n.input(2), n.input(3), n.input(5));
  if (!y)
    return {};
  Value scale = factor(n, n.input(1), n.input(4), n.input(6), n.rankOf(y), n.rankOf(y) - 1);
  return {requantized(n, y, scale, n.input(7))};
}

/// A convolution of integers; the window is read with the first input as the image.
Value convolution(NodeContext &n, Value x, Value zeroX, Value w, Value zeroW, Value bias) {
  int64_t group = n.integer("group", 1);
  if (!n.expectRank(0, 3))
    return {};
  if (n.rankOf(w) != n.rankOf(x)) {
    n.fail(Code::OperandRank, "input and weight have different ranks");
    return {};
  }
  std::optional<Window> window = readWindow(n, n.shapeOf(w).drop_front(2));
  if (!window || !checkFits(n, *window))
    return {};
  return n.make("conv", {centred(n, x, zeroX, 1), centred(n, w, zeroW, 0), bias},
                {n.is("stride", window->stride), n.is("dilation", window->dilation), n.is("lo", window->lo),
                 n.is("hi", window->hi), n.is("group", group)});
}

Results importConvInteger(NodeContext &n) {
  return {convolution(n, n.input(0), n.input(2), n.input(1), n.input(3), Value())};
}

Results importQLinearConv(NodeContext &n) {
  Value y = convolution(n, n.input(0), n.input(2), n.input(3), n.input(5), n.input(8));
  if (!y)
    return {};
  return {requantized(n, y, factor(n, n.input(1), n.input(4), n.input(6), n.rankOf(y), 1), n.input(7))};
}

constexpr OpCode codes[] = {
    {"ConvInteger", 2, 4, 1, importConvInteger},
    {"DequantizeLinear", 2, 3, 1, importDequantizeLinear},
    {"DynamicQuantizeLinear", 1, 1, 3, importDynamicQuantizeLinear},
    {"MatMulInteger", 2, 4, 1, importMatMulInteger},
    {"QLinearConv", 8, 9, 1, importQLinearConv},
    {"QLinearMatMul", 8, 8, 1, importQLinearMatMul},
    {"QuantizeLinear", 2, 3, 1, importQuantizeLinear},
};

} // namespace

ArrayRef<OpCode> quantizeOps() { return codes; }

} // namespace kumiko::onnx
