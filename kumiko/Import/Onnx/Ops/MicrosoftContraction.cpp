//===- MicrosoftContraction.cpp - com.microsoft: products with more around them ----===//
#include "kumiko/Import/Onnx/Ops/Contraction.h"
#include "kumiko/Import/Onnx/Ops/QuantizeParts.h"
#include "kumiko/Import/Onnx/Ops/RecurrentLayer.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Nn/Types.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// The activation by its ONNX name and numbers; no name is none.
Value activated(NodeContext &n, Value x, StringRef name, ArrayRef<double> numbers) {
  auto number = [&](size_t i, double otherwise) { return i < numbers.size() ? numbers[i] : otherwise; };
  if (n.failed() || name.empty())
    return x;
  if (name == "Clip") {
    Value low = n.make("max", {x, n.scalar(number(0, -INFINITY), x)});
    return low ? n.make("min", {low, n.scalar(number(1, INFINITY), x)}) : low;
  }
  if (!is_contained({"Elu", "HardSigmoid", "LeakyRelu", "Relu", "Sigmoid", "Softplus", "Softsign", "Tanh"}, name)) {
    n.fail(Code::UnsupportedForm, "the activation \"" + name.take_front(64) + "\" is not supported");
    return {};
  }
  double alpha = name == "HardSigmoid" ? 0.2f : name == "Elu" ? 1 : 0.01f;
  return applyFunction(n, CellFunction{name.lower(), number(0, alpha), number(1, 0.5)}, x);
}

/// Conv, then a sum with Z, then an activation.
Results importFusedConv(NodeContext &n) {
  StringRef activation = n.text("activation", "");
  ArrayRef<float> given = n.reals("activation_params").value_or(ArrayRef<float>());
  SmallVector<double, 2> numbers(given.begin(), given.end());
  Results y = findCode("", "Conv")->import(n);
  if (n.failed())
    return {};
  Value sum = n.input(3) ? n.make("add", {y[0], n.input(3)}) : y[0];
  return {activated(n, sum, activation, numbers)};
}

Results importFusedGemm(NodeContext &n) {
  StringRef activation = n.text("activation", "");
  SmallVector<double, 2> numbers;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (std::optional<double> number = n.real(name))
      numbers.push_back(*number);
  n.ignore("activation_gamma"); // of Selu, which is not supported
  Results y = findCode("", "Gemm")->import(n);
  return n.failed() ? Results() : Results{activated(n, y[0], activation, numbers)};
}

/// Dimensions of one operand in the order of a product. `batch`: the first dimension and those between it and the last
/// are exchanged; `turned`: then the last two.
Value arranged(NodeContext &n, Value x, bool batch, bool turned) {
  int64_t rank = n.rankOf(x);
  if (rank < 2)
    return x;
  Ints order = counting(0, rank);
  if (batch)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (turned)
    std::swap(order[rank - 2], order[rank - 1]);
  return n.transpose(x, order);
}

Results importFusedMatMul(NodeContext &n) {
  double alpha = n.real("alpha", 1);
  Value a = arranged(n, n.input(0), n.flag("transBatchA"), n.flag("transA"));
  Value b = n.failed() ? Value() : arranged(n, n.input(1), n.flag("transBatchB"), n.flag("transB"));
  Value y = n.failed() ? Value() : matrixProduct(n, a, b);
  if (!y || alpha == 1)
    return {y};
  return {n.make("mul", {n.scalar(alpha, y), y})};
}

//===----------------------------------------------------------------------===//
// Integers inside, floats outside
//===----------------------------------------------------------------------===//

/// f32(product) * scaleA * scaleB + bias
Results rescaled(NodeContext &n, Value product, Value scaleA, Value scaleB, Value bias) {
  mlir::Type f32 = n.builder().getF32Type();
  if (n.failed())
    return {};
  Sizes shape = n.sizesOf(product);
  Value y = n.make("mul", {n.cast(product, f32), n.make("mul", {scaleA, scaleB})});
  if (bias)
    y = n.make("add", {y, bias});
  if (y && !llvm::equal(n.sizesOf(y), shape, [&](const Extent &a, const Extent &b) {
        return n.agree(a, b, "scales and bias fit the product");
      })) {
    n.fail(Code::OperandShape, "scales or bias do not fit the product")
        .helped("a scale is one number or one per column, the bias one per column");
    return {};
  }
  return {y};
}

Results importMatMulIntegerToFloat(NodeContext &n) {
  Value product = integerProduct(n, n.input(0), n.input(4), n.input(1), n.input(5));
  return rescaled(n, product, n.input(2), n.input(3), n.input(6));
}

Results importDynamicQuantizeMatMul(NodeContext &n) {
  Quantized a = dynamicallyQuantized(n, n.input(0));
  Value product = integerProduct(n, a.y, a.zero, n.input(1), n.input(3));
  return rescaled(n, product, a.scale, n.input(2), n.input(4));
}

/// Every byte as 8 / bits whole numbers along a new last dimension, the lowest bits first.
Value unpacked(NodeContext &n, Value bytes, int64_t bits) {
  if (n.failed())
    return {};
  Sizes shape = n.sizesOf(bytes);
  shape.push_back(1);
  ValueList parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    Value part = n.make("shr", {bytes, n.scalar(shift, bytes)});
    part = part ? n.make("and", {part, n.scalar((1 << bits) - 1, bytes)}) : part;
    parts.push_back(part ? n.reshape(part, shape) : part);
  }
  return n.make("concat", parts, {n.is("axis", int64_t(shape.size()) - 1)});
}

/// Zero points of MatMulNBits as (features, blocks) of type `element`: given as such, packed in bytes, or the middle.
Value zeroPoints(NodeContext &n, int64_t features, int64_t blocks, int64_t bits, mlir::Type element) {
  Value zero = n.input(3);
  if (!zero)
    return n.scalar(1 << (bits - 1), element);
  if (isa<FloatType>(n.elementOf(zero)))
    return n.cast(n.reshape(zero, {features, blocks}), element);
  int64_t perRow = (blocks * bits + 7) / 8;
  Value rows = n.reshape(zero, {features, perRow});
  Value numbers = unpacked(n, rows, bits);
  if (n.failed())
    return {};
  return n.cast(partOf(n, n.reshape(numbers, {features, perRow * 8 / bits}), 1, 0, blocks), element);
}

/// A times the weight that B, scales and zero points stand for: `bits` per number, one scale per block of a column.
Results importMatMulNBits(NodeContext &n) {
  int64_t inner = n.requiredInteger("K"), features = n.requiredInteger("N");
  int64_t bits = n.integer("bits", 4), size = n.requiredInteger("block_size");
  n.ignore("accuracy_level");
  bool prepacked = n.flag("weight_prepacked");
  if (n.failed())
    return {};
  constexpr int64_t most = int64_t(1) << 40;
  if (!is_contained({2, 4, 8}, bits) || inner < 1 || inner > most || features < 1 || features > most || size < 8 ||
      size > most || prepacked) {
    n.fail(prepacked ? Code::UnsupportedForm : Code::AttributeValue,
           "K, N, bits, block_size or weight_prepacked has a value that is not supported")
        .helped("bits is 2, 4 or 8, block_size at least 8, K and N at least 1, the weight not rearranged");
    return {};
  }
  int64_t blocks = (inner + size - 1) / size;
  mlir::Type element = n.elementOf(n.input(0));
  if (n.elementOf(n.input(1)) != nn::fromEquation(n.context(), ElementType::U8)) {
    n.fail(Code::OperandType, "the weight B must be u8");
    return {};
  }
  Value numbers = unpacked(n, n.reshape(n.input(1), {features, blocks, size * bits / 8}), bits);
  if (n.failed())
    return {};
  Value whole = n.cast(partOf(n, n.reshape(numbers, {features, blocks * size}), 1, 0, inner), element);
  Value scale = n.cast(n.reshape(n.input(2), {features, blocks}), element);
  Value zero = zeroPoints(n, features, blocks, bits, element);
  // Which block a row of the weight belongs to: given, or in order.
  Value group = n.input(4);
  mlir::Type i64 = n.builder().getI64Type();
  if (!group) {
    Value row = n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", inner)});
    group = n.make("div", {row, n.scalar(size, i64)});
  }
  if (!n.failed() && !n.agree(n.elementsOf(group), inner, "g_idx has one number for each row"))
    n.fail(Code::OperandShape, "g_idx does not have one number for each of " + Twine(inner) + " rows");
  auto perRow = [&](Value x) {
    return n.failed() || n.rankOf(x) == 0 ? x : n.make("gather", {x, group}, {n.is("axis", 1)});
  };
  Value weight = n.make("mul", {n.make("sub", {whole, perRow(zero)}), perRow(scale)});
  Value y = n.failed() ? Value() : matrixProduct(n, n.input(0), n.transpose(weight, {1, 0}));
  return {y && n.input(5) ? n.make("add", {y, n.input(5)}) : y};
}

constexpr OpCode codes[] = {
    {"DynamicQuantizeMatMul", 3, 5, 1, importDynamicQuantizeMatMul},
    {"FusedConv", 2, 4, 1, importFusedConv},
    {"FusedGemm", 2, 3, 1, importFusedGemm},
    {"FusedMatMul", 2, 2, 1, importFusedMatMul},
    {"MatMulIntegerToFloat", 4, 7, 1, importMatMulIntegerToFloat},
    {"MatMulNBits", 3, 6, 1, importMatMulNBits},
    {"TransposeMatMul", 2, 2, 1, importFusedMatMul},
};

} // namespace

ArrayRef<OpCode> microsoftContractionOps() { return codes; }

} // namespace kumiko::onnx
