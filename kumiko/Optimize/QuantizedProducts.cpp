//===- QuantizedProducts.cpp - products of dequantised tensors on integers -===//
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/NarrowConstant.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Permute.h"
#include "kumiko/Optimize/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_QUANTIZEDPRODUCTSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "quantized_products";
/// Products of 8 bits minus zero points, so many of them, stay within 31 bits.
constexpr int64_t mostDepth = 32768;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

static int64_t countOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
}

/// At most 8 bits: then products of two fit 16, and sums of many fit 32.
static bool isNarrow(Value value) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  return type && type.getWidth() > 1 && type.getWidth() <= 8;
}

static bool hasOneScale(nn::DequantizeOp op) {
  return countOf(op.getScale()) == 1 && (!op.getZero() || countOf(op.getZero()) == 1);
}

/// The dequantisation of few bits to f32 that `value` is.
static nn::DequantizeOp dequantization(Value value) {
  auto op = value ? value.getDefiningOp<nn::DequantizeOp>() : nn::DequantizeOp();
  return op && isNarrow(op.getX()) && getElementTypeOrSelf(value.getType()).isF32() &&
                 getElementTypeOrSelf(op.getScale().getType()).isF32() && op.getX().getType().getRank() != 0 &&
                 shapeOf(op.getX()) == shapeOf(value)
             ? op
             : nn::DequantizeOp();
}

/// Whether two parameters are the same value: one SSA value, or equal constants.
static bool sameParameter(Value a, Value b) {
  if (!a || !b || a == b)
    return a == b;
  if (getElementTypeOrSelf(a.getType()) != getElementTypeOrSelf(b.getType()))
    return false;
  std::optional<Tensor> first = knownTensor(a), second = knownTensor(b);
  return first && second && first->bytes() == second->bytes();
}

static bool sameParameters(nn::DequantizeOp a, nn::DequantizeOp b) {
  return hasOneScale(a) && hasOneScale(b) &&
         getElementTypeOrSelf(a.getX().getType()) == getElementTypeOrSelf(b.getX().getType()) &&
         sameParameter(a.getScale(), b.getScale()) && sameParameter(a.getZero(), b.getZero());
}

namespace {

class Rewriter {
public:
  Rewriter(Operation *op, OpBuilder &builder) : g(builder, op->getLoc()), op(op), b(builder), loc(op->getLoc()) {}

  GraphBuilder g;

  //===--- products -------------------------------------------------------------------------------===//

  Value matmul(nn::MatmulOp matmul) {
    nn::DequantizeOp left = dequantization(matmul.getA()), right = dequantization(matmul.getB());
    if (!left || !right)
      return refuse("");
    unsigned rank = shapeOf(matmul.getB()).size();
    if (rank < 2 || shapeOf(matmul.getA()).size() < 2)
      return refuse("a factor is no matrix");
    if (!hasOneScale(left) || !hasScalesAlong(right, rank - 1))
      return refuse("scales differ along the depth");
    if (ShapedType::isDynamic(shapeOf(matmul.getB()).back()) || ShapedType::isDynamic(shapeOf(matmul.getA()).back()))
      return refuse("columns or depth are not known");
    if (shapeOf(matmul.getA()).back() > mostDepth)
      return refuse("sums of so many products may not fit 32 bits");
    Value product = g.make("matmul", {centred(left), centred(right)});
    Value scale = right.getScale();
    scale = countOf(scale) == 1 ? g.scalar(scale) : g.reshape(scale, ArrayRef<int64_t>(countOf(scale)));
    scale = g.make("mul", {g.scalar(left.getScale()), scale});
    return g.make("mul", {g.cast(product, b.getF32Type()), scale});
  }

  Value conv(nn::ConvOp conv) {
    nn::DequantizeOp image = dequantization(conv.getX()), weights = dequantization(conv.getW());
    if (!image || !weights)
      return refuse("");
    ArrayRef<int64_t> shape = shapeOf(conv.getW());
    if (!hasOneScale(image) || !hasScalesAlong(weights, 0))
      return refuse("scales differ along the depth");
    if (ShapedType::isDynamicShape(shape))
      return refuse("the sizes of the weights are not known");
    if (countOf(conv.getW()) / std::max<int64_t>(shape[0], 1) > mostDepth)
      return refuse("sums of so many products may not fit 32 bits");
    SmallVector<NamedAttribute> attributes;
    for (StringRef name : {"stride", "dilation", "lo", "hi", "group", "channel"})
      if (Attribute value = op->getAttr(name))
        attributes.push_back(b.getNamedAttr(name, value));
    Value product = g.make("conv", {centred(image), centred(weights)}, attributes);
    SmallVector<int64_t> along(shape.size(), 1);
    along[conv.getChannel()] = shape[0];
    Value scale = weights.getScale();
    scale = countOf(scale) == 1 ? g.scalar(scale) : g.reshape(scale, along);
    Value y = g.make("mul", {g.cast(product, b.getF32Type()), g.make("mul", {g.scalar(image.getScale()), scale})});
    if (Value bias = conv.getBias())
      y = g.make("add", {y, g.reshape(bias, along)});
    return y;
  }

  //===--- moves ----------------------------------------------------------------------------------===//

  /// f(dequantize(x)) = dequantize(f(x)) for what only moves or compares elements.
  Value move() {
    nn::DequantizeOp first = op->getNumOperands() ? dequantization(op->getOperand(0)) : nn::DequantizeOp();
    if (!first)
      return refuse("");
    if (auto transpose = dyn_cast<nn::TransposeOp>(op))
      return moveTranspose(transpose, first);
    if (!hasOneScale(first))
      return refuse("");
    if (isa<nn::ReshapeOp>(op))
      return dequantized(g.reshape(first.getX(), nn::extentsOf(cast<RankedTensorType>(op->getResult(0).getType()))),
                         first);
    if (isa<nn::SliceOp, nn::ExpandOp>(op))
      return dequantized(g.make(op->getName().stripDialect(), {first.getX()}, op->getAttrs()), first);
    if (isa<nn::MaxPoolOp>(op))
      return movePool(first);
    return isa<nn::ConcatOp>(op) ? moveConcat(first) : refuse("");
  }

  /// quantize(dequantize(x)) with the same parameters: the difference to x is far below half a step.
  Value quantize(nn::QuantizeOp quantize) {
    nn::DequantizeOp inner = dequantization(quantize.getX());
    bool same = inner && hasOneScale(inner) && countOf(quantize.getScale()) == 1 &&
                quantize.getY().getType() == inner.getX().getType() && quantize.getAcc().isF32() &&
                sameParameter(quantize.getScale(), inner.getScale()) &&
                sameParameter(quantize.getZero(), inner.getZero());
    std::optional<Tensor> scale = same ? knownTensor(inner.getScale()) : std::nullopt;
    return scale && std::isnormal(scale->at<float>(0)) ? Value(inner.getX()) : refuse("");
  }

private:
  /// An empty reason: the rule is not about this op at all.
  Value refuse(StringRef reason) {
    if (g.why.empty())
      g.why = reason.str();
    return {};
  }

  /// One scale, or one per position of `dimension`.
  static bool hasScalesAlong(nn::DequantizeOp op, int64_t dimension) {
    if (hasOneScale(op))
      return true;
    int64_t extent = shapeOf(op.getX())[dimension];
    return op.getAxis() == dimension && op.getBlockAttr() == Builder(op.getContext()).getI64IntegerAttr(1) &&
           countOf(op.getScale()) == extent && (!op.getZero() || countOf(op.getZero()) == extent);
  }

  /// i32(x) - i32(zero).
  Value centred(nn::DequantizeOp dequantize) {
    Type i32 = b.getI32Type();
    Value x = g.cast(dequantize.getX(), i32), zero = dequantize.getZero();
    return zero ? g.make("sub", {x, g.cast(countOf(zero) == 1 ? g.scalar(zero) : zero, i32)}) : x;
  }

  Value dequantized(Value x, nn::DequantizeOp like) {
    if (!x || shapeOf(x).empty())
      return refuse("");
    SmallVector<int64_t> ones(shapeOf(x).size(), 1);
    Extent whole = max(nn::extentsOf(cast<RankedTensorType>(x.getType()))[0], 1);
    Value zero = like.getZero();
    return g.make("dequantize", {x, g.reshape(like.getScale(), ones), zero ? g.reshape(zero, ones) : zero},
                  {b.getNamedAttr("axis", b.getI64IntegerAttr(0)),
                   b.getNamedAttr("block", nn::numberAttr(b.getContext(), whole)),
                   b.getNamedAttr("to", TypeAttr::get(like.getTo()))});
  }

  Value moveTranspose(nn::TransposeOp transpose, nn::DequantizeOp inner) {
    Value x = transposed(b, loc, inner.getX(), transpose.getPerm());
    if (hasOneScale(inner))
      return dequantized(x, inner);
    size_t rank = transpose.getPerm().size();
    if (shapeOf(inner.getScale()).size() != rank || (inner.getZero() && shapeOf(inner.getZero()).size() != rank))
      return refuse("its parameters broadcast");
    auto moved = [&](Value parameter) {
      return parameter ? transposed(b, loc, parameter, transpose.getPerm()) : parameter;
    };
    int64_t axis = llvm::find(transpose.getPerm(), inner.getAxis()) - transpose.getPerm().begin();
    return g.make("dequantize", {x, moved(inner.getScale()), moved(inner.getZero())},
                  {b.getNamedAttr("axis", b.getI64IntegerAttr(axis)), b.getNamedAttr("block", inner.getBlockAttr()),
                   b.getNamedAttr("to", TypeAttr::get(inner.getTo()))});
  }

  Value movePool(nn::DequantizeOp inner) {
    std::optional<Tensor> scale = knownTensor(inner.getScale());
    if (!op->getResult(1).use_empty() || !scale || !(scale->at<float>(0) > 0))
      return refuse("");
    return dequantized(g.make("max_pool", {inner.getX()}, op->getAttrs()), inner);
  }

  Value moveConcat(nn::DequantizeOp first) {
    SmallVector<Value> parts;
    for (Value operand : op->getOperands()) {
      nn::DequantizeOp part = dequantization(operand);
      if (!part || !sameParameters(first, part))
        return refuse("");
      parts.push_back(part.getX());
    }
    return dequantized(g.make("concat", parts, op->getAttrs()), first);
  }

  Operation *op;
  OpBuilder &b;
  Location loc;
};

struct QuantizedProducts final : kumiko::impl::QuantizedProductsPassBase<QuantizedProducts> {
  void runOnOperation() override {
    // In order: what has moved below one op meets the next.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (op->getNumResults() != 0 && op->getNumOperands() != 0)
        ops.push_back(op);
    });
    for (Operation *op : ops)
      rewrite(op);
  }

private:
  void rewrite(Operation *op) {
    OpBuilder builder(op);
    Rewriter rewriter(op, builder);
    bool product = isa<nn::MatmulOp, nn::ConvOp>(op);
    Value y = isa<nn::MatmulOp>(op)     ? rewriter.matmul(cast<nn::MatmulOp>(op))
              : product                 ? rewriter.conv(cast<nn::ConvOp>(op))
              : isa<nn::QuantizeOp>(op) ? rewriter.quantize(cast<nn::QuantizeOp>(op))
                                        : rewriter.move();
    if (y && y.getType() == op->getResult(0).getType()) {
      applied(op, product ? rule : "move_dequantize");
      ++(product ? products : moved);
      op->getResult(0).replaceAllUsesWith(y);
      // What dies with it stands before it: nothing that is still to be visited.
      eraseDead(op);
    } else if (product && !rewriter.g.why.empty()) {
      declined(op, rule, rewriter.g.why);
    }
  }
};

} // namespace
