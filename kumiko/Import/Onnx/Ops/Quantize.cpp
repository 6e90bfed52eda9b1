//===- Quantize.cpp - conversion to small integers, and arithmetic on them -----===//
#include "kumiko/Import/Onnx/Ops/Cast.h"
#include "kumiko/Import/Onnx/Ops/Contraction.h"
#include "kumiko/Import/Onnx/Ops/QuantizeParts.h"
#include "kumiko/Import/Onnx/Ops/Window.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// A tensor as a list, or where its length is an expression as a column, so that the one scale of all elements is
/// reached without a division.
struct Flat {
  Value x;
  int64_t axis, block;
  Sizes one; ///< the shape of the scale
};
static Flat flattened(NodeContext &n, Value x) {
  Extent count = n.elementsOf(x);
  if (count.isStatic())
    return {n.reshape(x, {count}), 0, std::max<int64_t>(count.value(), 1), {1}};
  return {n.reshape(x, {count, 1}), 1, 1, {1, 1}};
}

/// A scale or zero point for a whole tensor as one number of this shape; fails when it is more. Null stays null.
static Value forAll(NodeContext &n, Value parameter, const SizeList &shape) {
  if (!parameter || n.failed())
    return {};
  if (n.elementsOf(parameter).is(1))
    return n.reshape(parameter, shape);
  n.fail(Code::OperandShape, "a scale or zero point is " + describe(parameter.getType()) + ", expected one number");
  return {};
}

Value dequantized(NodeContext &n, Value x, Value scale, Value zero) {
  if (n.failed())
    return {};
  Flat flat = flattened(n, x);
  Value y = n.make("dequantize", {flat.x, forAll(n, scale, flat.one), forAll(n, zero, flat.one)},
                   {n.is("axis", flat.axis), n.is("block", flat.block), n.is("to", n.builder().getF32Type())});
  return y ? n.reshape(y, n.sizesOf(x)) : y;
}

Value quantized(NodeContext &n, Value x, Value scale, Value zero, mlir::Type to) {
  if (n.failed())
    return {};
  ElementType element = nn::toEquation(to);
  if (!isInteger(element)) {
    n.fail(Code::UnsupportedType, "quantisation to " + nameOf(element) + " is not supported here");
    return {};
  }
  Flat flat = flattened(n, x);
  Value y = n.make("quantize", {flat.x, forAll(n, scale, flat.one), forAll(n, zero, flat.one)},
                   {n.is("axis", flat.axis), n.is("block", flat.block), n.is("lo", double(lowestInteger(element))),
                    n.is("hi", double(highestInteger(element))), n.is("whole", true), n.is("acc", n.elementOf(x)),
                    n.is("to", to)});
  return y ? n.reshape(y, n.sizesOf(x)) : y;
}

Quantized dynamicallyQuantized(NodeContext &n, Value x, bool rows) {
  if (n.failed())
    return {};
  int64_t rank = n.rankOf(x);
  Ints all = counting(rows ? rank - 1 : 0, rank);
  Sizes kept = n.sizesOf(x);
  if (rows)
    kept.back() = 1;
  else
    kept.clear();
  auto extreme = [&](StringRef kind) {
    Value best = n.make("reduce", {x}, {n.is("kind", kind), n.is("axes", all)});
    return n.make(kind, {best ? n.reshape(best, kept) : best, n.scalar(0, x)});
  };
  Value high = extreme("max"), low = extreme("min");
  Value scale = n.make("div", {n.make("sub", {high, low}), n.scalar(255, x)});
  // Nothing but zeros: any scale will do, as long as it can be divided by.
  scale = n.make("select", {n.make("eq", {scale, n.scalar(0, x)}), n.scalar(1, x), scale});
  Value zero = n.make("round", {n.make("div", {n.make("neg", {low}), scale})});
  zero = n.make("min", {n.make("max", {zero, n.scalar(0, x)}), n.scalar(255, x)});
  mlir::Type u8 = nn::fromEquation(n.context(), ElementType::U8);
  if (n.failed())
    return {};
  zero = n.cast(zero, u8);
  if (!rows)
    return {quantized(n, x, scale, zero, u8), scale, zero};
  Value y = n.make("quantize", {x, scale, zero},
                   {n.is("axis", rank - 1), n.is("block", max(n.sizesOf(x).back(), 1)), n.is("lo", 0.0),
                    n.is("hi", 255.0), n.is("whole", true), n.is("acc", n.elementOf(x)), n.is("to", u8)});
  return {y, scale, zero};
}

/// A scale or zero point for a tensor of rank `rank`: one number, one per position of `axis`, or with as many
/// dimensions as the tensor.
static Value laidAlong(NodeContext &n, Value parameter, int64_t rank, int64_t axis) {
  if (n.failed() || (n.rankOf(parameter) == rank && rank > 1))
    return parameter;
  Sizes shape;
  if (Extent count = n.elementsOf(parameter); !count.is(1) && !count.is(0) && axis < rank) {
    shape.assign(rank, 1);
    shape[axis] = count;
  }
  return n.reshape(parameter, shape);
}

/// x - zero as i32.
static Value centred(NodeContext &n, Value x, Value zero, int64_t axis) {
  mlir::Type i32 = n.builder().getI32Type();
  Value y = n.cast(x, i32);
  if (!zero || n.failed())
    return y;
  Sizes shape = n.sizesOf(y);
  y = n.make("sub", {y, n.cast(laidAlong(n, zero, shape.size(), axis), i32)});
  if (y && !llvm::equal(n.sizesOf(y), shape, [&](const Extent &a, const Extent &b) {
        return n.agree(a, b, "zero points fit the tensor");
      })) {
    n.fail(Code::OperandShape, "zero points of " + describe(zero.getType()) + " do not fit " + describe(x.getType()));
    return {};
  }
  return y;
}

Value integerProduct(NodeContext &n, Value a, Value zeroA, Value b, Value zeroB) {
  if (n.failed())
    return {};
  Value left = centred(n, a, zeroA, std::max<int64_t>(n.rankOf(a) - 2, 0));
  Value right = centred(n, b, zeroB, std::max<int64_t>(n.rankOf(b) - 1, 0));
  return matrixProduct(n, left, right);
}

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
  // Scales do not broadcast the product.
  bool fits = real && n.rankOf(real) == n.rankOf(y);
  for (auto [got, wanted] : zip(n.sizesOf(fits ? real : y), n.sizesOf(y)))
    fits = fits && n.agree(got, wanted, "scales fit the product");
  if (real && !fits && !n.failed()) {
    n.fail(Code::OperandShape, "scales of " + describe(factor.getType()) + " do not fit " + describe(y.getType()));
    return {};
  }
  return n.failed() ? Value() : n.cast(real, n.elementOf(zero));
}

namespace {

/// Where the scales lie: one for all, one per position of `axis`, or one per `block` positions of it.
struct Granularity {
  int64_t axis = 0;
  Extent block = 1;
  bool blocked = false;
};

std::optional<Granularity> granularity(NodeContext &n, ArrayRef<Extent> shape) {
  int64_t rank = shape.size(), axis = n.integer("axis", 1), block = n.integer("block_size", 0);
  if (n.failed())
    return std::nullopt;
  Extent scales = n.elementsOf(n.input(1));
  Granularity result;
  // The axis only counts when there is more than one scale; its default is wrong for vectors.
  result.axis = scales.is(1) && (axis >= rank || axis < -rank) ? 0 : n.axis(axis, rank);
  result.blocked = !scales.is(1) && block > 0;
  if (n.failed())
    return std::nullopt;
  Extent size = shape[result.axis];
  if (scales.is(1))
    result.block = max(size, 1);
  else if (result.blocked)
    result.block = block;
  Sizes blocks(shape);
  if (result.blocked)
    blocks[result.axis] = ceilDiv(size, block);
  auto same = [&](const Extent &a, const Extent &b) { return n.agree(a, b, "scales fit the axis"); };
  bool fits = scales.is(1) || (result.blocked ? llvm::equal(n.sizesOf(n.input(1)), blocks, same) : same(scales, size));
  if (block < 0 || !fits) {
    n.fail(Code::OperandShape,
           scales.str() + " scales do not fit axis " + Twine(result.axis) + " of size " + size.str())
        .helped("one scale for the tensor, one per position of the axis, or one per block of it");
    return std::nullopt;
  }
  if (Value zero = n.input(2); zero && !n.agree(n.elementsOf(zero), scales, "there is one zero point for each scale")) {
    n.fail(Code::OperandShape, scales.str() + " scales, but " + n.elementsOf(zero).str() + " zero points")
        .helped("there is one zero point for each scale");
    return std::nullopt;
  }
  return result;
}

/// Scale or zero point with as many dimensions as the tensor.
Value spread(NodeContext &n, Value parameter, int64_t rank, const Granularity &where) {
  if (!parameter || n.failed() || (where.blocked && !n.elementsOf(parameter).is(1)))
    return parameter;
  Sizes shape(rank, 1);
  shape[where.axis] = n.elementsOf(parameter);
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

/// A number is taken as a list of one, which is what the equations need.
std::optional<Granularity> granularityOf(NodeContext &n, Value &x) {
  if (n.rankOf(x) == 0)
    x = n.reshape(x, {1});
  Sizes shape = n.sizesOf(x);
  auto isStatic = [](const Extent &size) { return size.isStatic(); };
  if (n.failed() || llvm::all_of(shape, isStatic) || !n.elementsOf(n.input(1)).is(1))
    return granularity(n, shape);
  // One scale for all, and sizes that are expressions: a dimension of 1 at the end is its axis, so that no element
  // needs a division to find its scale.
  if (!granularity(n, shape))
    return std::nullopt;
  Granularity where;
  where.axis = shape.size();
  shape.push_back(1);
  x = n.reshape(x, shape);
  return n.failed() ? std::nullopt : std::optional(where);
}

Results importQuantizeLinear(NodeContext &n) {
  Value x = n.input(0), zero = n.input(2);
  bool saturate = n.flag("saturate", true);
  mlir::Type asked = namedType(n, "output_dtype", nn::fromEquation(n.context(), ElementType::U8));
  mlir::Type to = zero ? n.elementOf(zero) : asked;
  mlir::Type f32 = n.builder().getF32Type();
  mlir::Type acc = namedType(n, "precision", isa<FloatType>(n.elementOf(x)) ? n.elementOf(x) : f32);
  Sizes shape = n.sizesOf(x);
  if (n.failed())
    return {};
  std::optional<Granularity> where = granularityOf(n, x);
  if (!where)
    return {};
  ElementType element = nn::toEquation(to);
  bool whole = isInteger(element);
  // Only these have values to give to what is out of range.
  bool overflows = !saturate && element >= ElementType::F8E4M3FN && element <= ElementType::F8E5M2FNUZ;
  // The zero point of a float type is 0.
  Value used = whole ? spread(n, zero, n.rankOf(x), *where) : Value();
  double low = whole ? double(lowestInteger(element)) : -INFINITY,
         high = whole ? double(highestInteger(element)) : INFINITY;
  Value y = n.make("quantize", {x, spread(n, n.input(1), n.rankOf(x), *where), used},
                   {n.is("axis", where->axis), n.is("block", where->block), n.is("lo", low), n.is("hi", high),
                    n.is("whole", whole), n.is("acc", acc), n.is("to", overflows ? acc : to)});
  if (overflows && y)
    y = castUnsaturated(n, y, element);
  return {y ? n.reshape(y, shape) : y};
}

Results importDequantizeLinear(NodeContext &n) {
  Value x = n.input(0), scale = n.input(1);
  mlir::Type to = namedType(n, "output_dtype", n.elementOf(scale));
  Sizes shape = n.sizesOf(x);
  if (n.failed())
    return {};
  std::optional<Granularity> where = granularityOf(n, x);
  if (!where)
    return {};
  Value y = n.make("dequantize", {x, spread(n, scale, n.rankOf(x), *where), spread(n, n.input(2), n.rankOf(x), *where)},
                   {n.is("axis", where->axis), n.is("block", where->block), n.is("to", to)});
  return {y ? n.reshape(y, shape) : y};
}

Results importDynamicQuantizeLinear(NodeContext &n) {
  Quantized made = dynamicallyQuantized(n, n.input(0));
  return {made.y, made.scale, made.zero};
}

/// scaleA * scaleB / scaleY in f32, for a result of rank `rank`: A's scale may be one per position of its second to
/// last dimension, B's one per position of `axis`.
Value factor(NodeContext &n, Value a, Value b, Value y, int64_t rank, int64_t axis) {
  mlir::Type f32 = n.builder().getF32Type();
  if (n.failed())
    return {};
  auto laid = [&](Value value, int64_t along) { return laidAlong(n, n.cast(value, f32), rank, along); };
  Value both = n.make("mul", {laid(a, std::max<int64_t>(rank - 2, 0)), laid(b, axis)});
  return n.failed() ? Value() : n.make("div", {both, n.reshape(n.cast(y, f32), {})});
}

Results importMatMulInteger(NodeContext &n) {
  return {integerProduct(n, n.input(0), n.input(2), n.input(1), n.input(3))};
}

Results importQLinearMatMul(NodeContext &n) {
  Value y = integerProduct(n, n.input(0), n.input(2), n.input(3), n.input(5));
  if (!y)
    return {};
  Value scale = factor(n, n.input(1), n.input(4), n.input(6), n.rankOf(y), std::max<int64_t>(n.rankOf(y) - 1, 0));
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
  Extent channels = n.sizesOf(x)[1], features = n.sizesOf(w)[0], each = n.sizesOf(w)[1];
  Extent part = group < 1 ? 0 : floorDiv(features, group);
  if (group < 1 || !n.agree(channels, each * Extent(group), "channels are group times those of the weight") ||
      !n.agree(part * Extent(group), features, "features are a multiple of group")) {
    if (n.failed())
      return {};
    n.fail(Code::OperandShape, channels.str() + " channels and " + features.str() + " features of " + each.str() +
                                   " channels do not fit group=" + Twine(group))
        .helped("channels are group times those of the weight, and features a multiple of group");
    return {};
  }
  if (bias && (n.rankOf(bias) != 1 || !n.agree(n.sizesOf(bias)[0], features, "there is one bias for each feature"))) {
    n.fail(Code::OperandShape, "the bias does not have one number for each of " + features.str() + " features");
    return {};
  }
  Sizes kernel = n.sizesOf(w);
  std::optional<Window> window = readWindow(n, ArrayRef(kernel).drop_front(2));
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
