//===- IntegerProducts.cpp - products of narrow integers stay narrow -------===//
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/NarrowConstant.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_INTEGERPRODUCTSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "integer_products";

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

static bool isByte(Type type) { return type.isInteger(8); }

namespace {

/// A factor as x - zero: a narrow tensor and its zero point in i32, null for 0. Of a constant the zero point is part.
struct Factor {
  Value x, zero;
  /// The elements as i32, for a constant.
  std::optional<Tensor> known;
};

} // namespace

/// i32(x), or i32(x) - zero.
static std::optional<Factor> factorOf(Value value, OpBuilder &builder, Location loc) {
  if (std::optional<Tensor> known = knownTensor(value)) {
    std::optional<Tensor> narrow = known->element() == ElementType::I32 ? narrowed(*known) : std::nullopt;
    if (!narrow)
      return std::nullopt;
    return Factor{createConstant(builder, loc, std::move(*narrow), "narrowed"), Value(), std::move(known)};
  }
  Factor factor;
  if (auto sub = value.getDefiningOp<nn::SubOp>()) {
    if (shapeOf(sub.getA()) != shapeOf(value))
      return std::nullopt;
    factor.zero = sub.getB();
    value = sub.getA();
    std::optional<Tensor> zero = knownTensor(factor.zero);
    if (zero && llvm::all_of(zero->bytes(), [](uint8_t byte) { return byte == 0; }))
      factor.zero = Value();
  }
  auto widened = value.getDefiningOp<nn::CastOp>();
  if (!widened || !isByte(getElementTypeOrSelf(widened.getX().getType())))
    return std::nullopt;
  factor.x = widened.getX();
  return factor;
}

namespace {

/// Rewrites one product. Every function returns null where the product stays as it is; `g.why` says why.
class ProductRewrite {
public:
  ProductRewrite(OpBuilder &builder, Location loc) : g(builder, loc), b(builder), loc(loc) {}

  GraphBuilder g;

  /// sum (a - za)(b - zb) = sum a b - za sum b - zb sum a + K za zb, each sum over the depth.
  Value matmul(nn::MatmulOp op) {
    unsigned rankA = shapeOf(op.getA()).size(), rankB = shapeOf(op.getB()).size();
    if (rankA < 2 || rankB < 2)
      return refuse("a factor is no matrix");
    std::optional<Factor> a = factorOf(op.getA(), b, loc), c = factorOf(op.getB(), b, loc);
    if (!a || !c)
      return refuse("a factor is not made of bytes");
    int64_t depth = shapeOf(op.getA()).back();
    if (ShapedType::isDynamic(depth))
      return refuse("the depth is not known");
    if (variesAlong(a->zero, 0) || variesAlong(c->zero, 1))
      return refuse("zero points differ along the depth");
    Value y = g.make("integer_matmul", {a->x, c->x});
    if (a->zero)
      y = g.make("sub", {y, g.make("mul", {a->zero, sums(*c, rankB - 2)})});
    if (c->zero)
      y = g.make("sub", {y, g.make("mul", {c->zero, sums(*a, rankA - 1)})});
    if (a->zero && c->zero)
      y = g.make("add", {y, g.make("mul", {number(depth), g.make("mul", {a->zero, c->zero})})});
    return y;
  }

  /// The image gets a border of its zero point, which then means zero everywhere.
  Value conv(nn::ConvOp op) {
    std::optional<Factor> x = factorOf(op.getX(), b, loc), w = factorOf(op.getW(), b, loc);
    if (!x || !w || x->known)
      return refuse("image or weights are not made of bytes");
    if (!w->known)
      return refuse("the weights are not constant");
    if (x->zero && llvm::any_of(shapeOf(x->zero), [](int64_t extent) { return extent != 1; }))
      return refuse("the image has several zero points");
    unsigned rank = shapeOf(op.getX()).size();
    int64_t channel = op.getChannel(), features = shapeOf(op.getW())[0];
    Value image = padded(op, *x, rank);
    Value y = g.make("integer_conv", {image, w->x},
                     {b.getNamedAttr("stride", op.getStrideAttr()), b.getNamedAttr("dilation", op.getDilationAttr()),
                      b.getNamedAttr("group", b.getI64IntegerAttr(op.getGroup())),
                      b.getNamedAttr("channel", b.getI64IntegerAttr(channel))});
    SmallVector<int64_t> along(rank, 1);
    along[channel] = features;
    if (x->zero) {
      SmallVector<unsigned> window;
      for (unsigned d = 1; d < rank; ++d)
        window.push_back(d);
      std::optional<Tensor> total = sumsOver(*w->known, window);
      if (!total)
        return refuse("the weights are too large to be summed");
      Value sum = g.reshape(createConstant(b, loc, std::move(*total), "sums"), along);
      y = g.make("sub", {y, g.make("mul", {g.scalar(x->zero), sum})});
    }
    if (Value bias = op.getBias())
      y = g.make("add", {y, g.reshape(bias, along)});
    return y;
  }

private:
  Value refuse(StringRef reason) {
    if (g.why.empty())
      g.why = reason.str();
    return {};
  }

  /// Whether zero points have more than one element in the last dimension but `fromEnd`.
  static bool variesAlong(Value zero, unsigned fromEnd) {
    if (!zero || shapeOf(zero).size() <= fromEnd)
      return false;
    return shapeOf(zero)[shapeOf(zero).size() - 1 - fromEnd] != 1;
  }

  Value number(int64_t value) {
    auto type = RankedTensorType::get({}, b.getI32Type());
    return nn::ConstantOp::create(b, loc, type, DenseElementsAttr::get(type, int32_t(value)));
  }

  /// The sums of a factor over one dimension, which stays as 1.
  Value sums(const Factor &factor, unsigned dimension) {
    if (factor.known) {
      std::optional<Tensor> total = sumsOver(*factor.known, {dimension});
      return total ? createConstant(b, loc, std::move(*total), "sums") : refuse("a factor is too large to be summed");
    }
    SmallVector<Extent> kept = nn::extentsOf(cast<RankedTensorType>(factor.x.getType()));
    kept[dimension] = 1;
    Value total = g.make("reduce", {g.cast(factor.x, b.getI32Type())},
                         {b.getNamedAttr("kind", b.getStringAttr("+")),
                          b.getNamedAttr("axes", b.getDenseI64ArrayAttr(int64_t(dimension)))});
    return g.reshape(total, kept);
  }

  Value padded(nn::ConvOp op, const Factor &x, unsigned rank) {
    SmallVector<Extent, 4> lo = *nn::extentsOf(op.getLoAttr()), hi = *nn::extentsOf(op.getHiAttr());
    auto isZero = [](const Extent &amount) { return amount.is(0); };
    if (llvm::all_of(lo, isZero) && llvm::all_of(hi, isZero))
      return x.x;
    auto around = [&](ArrayRef<Extent> spatial) {
      SmallVector<Extent> all{Extent(0)};
      llvm::append_range(all, spatial);
      all.insert(all.begin() + op.getChannel(), Extent(0));
      return nn::numbersAttr(b.getContext(), all);
    };
    SmallVector<Value, 2> operands{x.x};
    if (x.zero)
      operands.push_back(g.scalar(g.cast(x.zero, getElementTypeOrSelf(x.x.getType()))));
    return g.make("pad", operands, {b.getNamedAttr("lo", around(lo)), b.getNamedAttr("hi", around(hi))});
  }

  OpBuilder &b;
  Location loc;
};

struct IntegerProducts final : kumiko::impl::IntegerProductsPassBase<IntegerProducts> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation()->walk([&](Operation *op) {
      if (isa<nn::MatmulOp, nn::ConvOp>(op) && getElementTypeOrSelf(op->getResult(0).getType()).isInteger(32))
        products.push_back(op);
    });
    for (Operation *op : products)
      rewrite(op);
  }

private:
  void rewrite(Operation *op) {
    OpBuilder builder(op);
    ProductRewrite rewrite(builder, op->getLoc());
    auto matmul = dyn_cast<nn::MatmulOp>(op);
    Value y = matmul ? rewrite.matmul(matmul) : rewrite.conv(cast<nn::ConvOp>(op));
    if (!y || y.getType() != op->getResult(0).getType())
      return declined(op, rule, rewrite.g.why);
    applied(op, rule);
    ++narrow;
    op->getResult(0).replaceAllUsesWith(y);
    eraseDead(op);
  }
};

} // namespace
