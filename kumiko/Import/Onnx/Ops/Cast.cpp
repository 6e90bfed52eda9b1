//===- Cast.cpp - other element types, by value and by bits ----------------------===//
#include "kumiko/Import/Onnx/Ops/Cast.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

Value bitcast(NodeContext &n, Value x, mlir::Type element) {
  if (n.failed() || n.elementOf(x) == element)
    return x;
  RankedTensorType type = n.typeOf(n.sizesOf(x), element);
  return type ? nn::BitcastOp::create(n.builder(), n.location(), type, x) : Value();
}

/// The smallest magnitude that rounds past the largest finite number of a small float, and whether it does so itself.
std::pair<double, bool> overflowOf(ElementType type) {
  double largest = 0, below = 0;
  for (unsigned code = 0; code < 128; ++code)
    if (double value = decodeSmallFloat(type, code); std::isfinite(value) && value > largest)
      below = std::exchange(largest, value);
  double middle = largest + (largest - below) / 2;
  double rounded = decodeSmallFloat(type, encodeSmallFloat(type, middle, {.saturate = false}));
  return {middle, !std::isfinite(rounded)};
}

} // namespace

/// nn.cast stays inside the range; here what is outside becomes infinity or NaN. Written on codes, because a small
/// float that is stored is always brought into its range.
Value castUnsaturated(NodeContext &n, Value x, ElementType to) {
  auto [limit, itself] = overflowOf(to);
  mlir::Type code = n.builder().getIntegerType(8, /*isSigned=*/false);
  if (!isa<FloatType>(n.elementOf(x))) // whole numbers: every f32 beyond the limit is beyond it
    x = n.cast(x, n.builder().getF32Type());
  Value bits = bitcast(n, n.cast(x, nn::fromEquation(n.context(), to)), code);
  for (double sign : {1.0, -1.0}) {
    Value size = n.make("mul", {x, n.scalar(sign, x)}), bound = n.scalar(limit, x);
    Value outside = n.make(itself ? "le" : "lt", {bound, size});
    Value beyond = n.scalar(encodeSmallFloat(to, sign * INFINITY, {.saturate = false}), code);
    bits = n.make("select", {outside, beyond, bits});
  }
  return n.failed() ? Value() : bitcast(n, bits, nn::fromEquation(n.context(), to));
}

namespace {

/// f8e8m0 holds powers of two. nn.cast rounds up; the other modes make a power of two of the f32 first.
Value castToScale(NodeContext &n, Value x, StringRef rounding, bool saturate) {
  mlir::Type f32 = n.builder().getF32Type(), i32 = n.builder().getI32Type();
  mlir::Type code = n.builder().getIntegerType(8, /*isSigned=*/false), scale = Float8E8M0FNUType::get(n.context());
  Value whole = n.cast(x, f32), power = whole;
  if (rounding != "up") {
    Value bits = bitcast(n, whole, i32);
    if (rounding == "nearest")
      bits = n.make("add", {bits, n.scalar(1 << 22, i32)});
    bits = n.make("and", {bits, n.scalar(0x7f800000, i32)});
    power = n.failed() ? Value() : bitcast(n, bits, f32);
    if (saturate)
      power = n.make("min", {power, n.scalar(std::ldexp(1, 127), f32)});
    // Infinity and NaN keep their bits.
    Value finite = n.make("lt", {n.make("abs", {whole}), n.scalar(INFINITY, f32)});
    power = n.make("select", {finite, power, whole});
  }
  Value y = n.failed() ? Value() : n.cast(power, scale);
  if (saturate || !y)
    return y;
  Value inside = n.make("and", {n.make("le", {n.scalar(std::ldexp(1, -127), f32), power}),
                                n.make("le", {power, n.scalar(std::ldexp(1, 127), f32)})});
  Value bits = n.make("select", {inside, bitcast(n, y, code), n.scalar(0xff, code)});
  return bits ? bitcast(n, bits, scale) : bits;
}

Results castTo(NodeContext &n, ElementType to) {
  bool saturate = n.flag("saturate", true);
  StringRef rounding = n.text("round_mode", "up");
  Value x = n.input(0);
  if (!n.failed() && !is_contained({"up", "down", "nearest"}, rounding))
    n.fail(Code::AttributeValue, "round_mode is \"" + rounding + "\", expected up, down or nearest");
  if (n.failed() || n.elementOf(x) == nn::fromEquation(n.context(), to))
    return {x};
  if (to == ElementType::F8E8M0 && (!saturate || rounding != "up"))
    return {castToScale(n, x, rounding, saturate)};
  bool canOverflow = to >= ElementType::F8E4M3FN && to <= ElementType::F8E5M2FNUZ;
  return {canOverflow && !saturate ? castUnsaturated(n, x, to) : n.cast(x, nn::fromEquation(n.context(), to))};
}

Results importCast(NodeContext &n) {
  int64_t number = 0;
  // Opset 1 to 5 wrote the type as a string.
  if (n.opset < 6) {
    StringRef name = n.text("to", "");
    for (int type = 1; type <= 16; ++type)
      if (name.equals_insensitive(nameOf(static_cast<DataType>(type))))
        number = type;
  } else {
    number = n.requiredInteger("to");
  }
  std::optional<ElementType> to = elementTypeOf(static_cast<DataType>(number));
  if (!to && !n.failed()) {
    bool known = number >= 1 && number <= 28;
    n.fail(known ? Code::UnsupportedType : Code::AttributeValue,
           "cannot cast to " + nameOf(static_cast<DataType>(number)))
        .helped("attribute \"to\" is a number of TensorProto.DataType; numeric types other than complex are supported");
  }
  return n.failed() ? Results() : castTo(n, *to);
}

Results importCastLike(NodeContext &n) { return castTo(n, nn::toEquation(n.elementOf(n.input(1)))); }

/// The unsigned integer of the same width, in which the bits of types that do not fill a byte are equal.
mlir::Type bitsOf(NodeContext &n, unsigned width) { return n.builder().getIntegerType(width, /*isSigned=*/false); }

Results importBitCast(NodeContext &n) {
  Value x = n.input(0);
  std::optional<ElementType> to = elementTypeOf(static_cast<DataType>(n.requiredInteger("to")));
  if (n.failed())
    return {};
  mlir::Type element = to ? nn::fromEquation(n.context(), *to) : mlir::Type(), from = n.elementOf(x);
  // A bool is stored in a byte.
  auto width = [](mlir::Type type) { return type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth(); };
  if (!element || width(element) != width(from)) {
    n.fail(Code::AttributeValue, "the types do not have the same width");
    return {};
  }
  if (from.isInteger(1) || element.isInteger(1) || width(from) < 8) {
    // Wrapping between integers of one width keeps the bits, and a bool is the number 0 or 1.
    mlir::Type bits = bitsOf(n, width(from));
    x = isa<IntegerType>(from) ? n.cast(x, bits) : bitcast(n, x, bits);
    if (n.failed())
      return {};
    return {isa<IntegerType>(element) ? n.cast(x, element) : bitcast(n, x, element)};
  }
  return {bitcast(n, x, element)};
}

constexpr OpCode codes[] = {
    {"BitCast", 1, 1, 1, importBitCast},
    {"Cast", 1, 1, 1, importCast},
    {"CastLike", 2, 2, 1, importCastLike},
};

} // namespace

ArrayRef<OpCode> castOps() { return codes; }

} // namespace kumiko::onnx
