//===- ExpandTransforms.cpp - Fourier transforms as products with tables ---===//
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cmath>
#include <numbers>

namespace kumiko {
#define GEN_PASS_DEF_EXPANDTRANSFORMSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "expand_transforms";

/// A table of at most this many numbers is multiplied with at once; above it two smaller ones do less work.
constexpr int64_t oneTable = 1 << 20;
/// No table is larger than this: it would be read from memory as slowly as sines are computed.
constexpr int64_t mostNumbers = 1 << 22;

/// Up to so many products are summed in f64, which costs nothing that matters.
constexpr int64_t fewProducts = 1 << 16;

static SmallVector<Extent> extentsOf(Value value) {
  return SmallVector<Extent>(nn::extentsOf(cast<RankedTensorType>(value.getType())));
}

/// A divisor of `n` to split by, small and not too small; 1 for a prime.
static int64_t splitOf(int64_t n) {
  for (int64_t d = 16; d <= 64; ++d)
    if (n % d == 0)
      return d;
  for (int64_t d = 15; d > 1; --d)
    if (n % d == 0)
      return d;
  return 1;
}

namespace {

/// Makes one transform over `n` samples from products. Results are null where that is not possible; `g.why` says why.
class TransformRewrite {
public:
  TransformRewrite(OpBuilder &builder, Location loc, int64_t n, bool inverse, ElementType element)
      : g(builder, loc), b(builder), loc(loc), n(n), element(element) {
    // cos and sin of whole steps around the circle; a sum of steps is reduced before it is looked up.
    double turn = (inverse ? 2 : -2) * std::numbers::pi;
    for (int64_t step = 0; step < n; ++step) {
      cosines.push_back(std::cos(turn * double(step) / double(n)));
      sines.push_back(std::sin(turn * double(step) / double(n)));
    }
    scale = inverse ? 1 / double(n) : 1;
  }

  GraphBuilder g;

  Value run(Value x, int64_t kept) {
    Value y = transform(x, n, kept);
    if (!y || scale == 1)
      return y;
    auto type = RankedTensorType::get({}, getElementTypeOrSelf(y.getType()));
    Value factor = nn::ConstantOp::create(b, loc, type,
                                          DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), scale)));
    return g.make("mul", {y, factor});
  }

private:
  /// The first `kept` of `length` frequencies of x(rows..., time, parts), as y(rows..., frequency, 2).
  Value transform(Value x, int64_t length, int64_t kept) {
    if (!x)
      return {};
    SmallVector<Extent> shape = extentsOf(x);
    int64_t parts = shape.back().value(), samples = shape[shape.size() - 2].value();
    int64_t numbers = samples * parts * kept * 2, split = splitOf(length);
    if (numbers <= oneTable || (split == 1 && numbers <= mostNumbers))
      return atOnce(x, length, kept, samples, parts);
    if (split == 1)
      return refuse("its length has no small divisor");
    return inTwoSteps(x, length / split, split, kept, samples);
  }

  /// y(rows, (k, c)) = sum x(rows, (t, r)) w((t, r), (k, c))
  Value atOnce(Value x, int64_t length, int64_t kept, int64_t samples, int64_t parts) {
    SmallVector<Extent> rows = extentsOf(x);
    rows.pop_back_n(2);
    SmallVector<Extent> in(rows), out(rows);
    in.push_back(samples * parts);
    out.append({Extent(kept), Extent(2)});
    auto steps = [&](int64_t, int64_t t, int64_t k) { return t * k % length * (n / length); };
    Value w = table(0, samples, parts, kept, steps);
    return w ? g.reshape(g.make("matmul", {g.reshape(x, in), w}), out) : Value();
  }

  /// With t = second * t1 + t2 and k = k1 + first * k2 the transform over t1 is one of length `first`, for every t2;
  /// what is left is a sum over t2 for every k1, whose table has the rotations between both steps in it.
  Value inTwoSteps(Value x, int64_t first, int64_t second, int64_t kept, int64_t samples) {
    SmallVector<Extent> rows = extentsOf(x);
    int64_t parts = rows.pop_back_val().value(), length = first * second;
    rows.pop_back();
    Extent lines = product(rows);
    int64_t blocks = (samples + second - 1) / second, last = (kept + first - 1) / first;
    if (first * second * 2 * last * 2 > mostNumbers)
      return refuse("its tables would be too large");
    x = g.reshape(x, ArrayRef<Extent>{lines, samples, parts});
    if (blocks * second != samples)
      x = pad(x, {0, 0, 0}, {0, blocks * second - samples, 0});
    x = g.reshape(x, ArrayRef<Extent>{lines, blocks, second, parts});
    Value z = transform(permute(x, {0, 2, 1, 3}), first, first); // (line, t2, k1, c)
    z = g.reshape(permute(z, {2, 0, 1, 3}), ArrayRef<Extent>{first, lines, second * 2});
    auto steps = [&](int64_t k1, int64_t t2, int64_t k2) { return t2 * (k1 + first * k2) % length * (n / length); };
    Value w = table(first, second, 2, last, steps);
    Value y = w ? g.make("matmul", {z, w}) : Value();
    y = permute(g.reshape(y, ArrayRef<Extent>{first, lines, last, 2}), {1, 2, 0, 3});
    y = g.reshape(y, ArrayRef<Extent>{lines, last * first, 2});
    if (last * first != kept)
      y = pad(y, {0, 0, 0}, {0, kept - last * first, 0});
    rows.append({Extent(kept), Extent(2)});
    return g.reshape(y, rows);
  }

  /// w(p, (t, r), (k, c)): how part r of sample t turns into part c of frequency k, by `steps` of the circle; without a
  /// dimension p where `batch` is 0.
  Value table(int64_t batch, int64_t samples, int64_t parts, int64_t kept,
              llvm::function_ref<int64_t(int64_t, int64_t, int64_t)> steps) {
    SmallVector<double, 0> values;
    for (int64_t p = 0; p < std::max<int64_t>(batch, 1); ++p)
      for (int64_t t = 0; t < samples; ++t)
        for (int64_t r = 0; r < parts; ++r)
          for (int64_t k = 0; k < kept; ++k) {
            int64_t step = steps(p, t, k);
            values.push_back(r == 0 ? cosines[step] : -sines[step]);
            values.push_back(r == 0 ? sines[step] : cosines[step]);
          }
    SmallVector<int64_t, 3> shape{samples * parts, kept * 2};
    if (batch)
      shape.insert(shape.begin(), batch);
    llvm::Expected<Tensor> tensor = tensorOfDoubles(element, shape, values);
    if (!tensor)
      return refuse(llvm::toString(tensor.takeError()));
    return createConstant(b, loc, std::move(*tensor), "rotations");
  }

  Value permute(Value x, ArrayRef<int64_t> perm) {
    return x ? g.make("transpose", {x}, {b.getNamedAttr("perm", b.getDenseI64ArrayAttr(perm))}) : x;
  }
  Value pad(Value x, ArrayRef<int64_t> lo, ArrayRef<int64_t> hi) {
    return x ? g.make(
                   "pad", {x},
                   {b.getNamedAttr("lo", b.getDenseI64ArrayAttr(lo)), b.getNamedAttr("hi", b.getDenseI64ArrayAttr(hi))})
             : x;
  }
  Value refuse(const Twine &reason) {
    if (g.why.empty())
      g.why = reason.str();
    return {};
  }

  OpBuilder &b;
  Location loc;
  int64_t n;
  ElementType element;
  SmallVector<double, 0> cosines, sines;
  double scale = 1;
};

struct ExpandTransforms final : kumiko::impl::ExpandTransformsPassBase<ExpandTransforms> {
  void runOnOperation() override {
    SmallVector<nn::DftOp> transforms;
    getOperation()->walk([&](nn::DftOp op) { transforms.push_back(op); });
    for (nn::DftOp op : transforms)
      expand(op);
  }

private:
  void expand(nn::DftOp op) {
    auto type = cast<RankedTensorType>(op.getX().getType());
    int64_t rank = type.getRank(), axis = op.getAxis(), samples = type.getDimSize(axis);
    std::optional<Extent> n = nn::extentOf(op.getNAttr()), kept = nn::extentOf(op.getOutAttr());
    bool counted = n && kept && n->isStatic() && kept->isStatic() && !ShapedType::isDynamic(samples);
    if (!counted || samples == 0 || n->value() < 1 || kept->value() < 1)
      return declined(op, rule, "its length is not a number above 0");
    if (!isa<FloatType>(type.getElementType()))
      return declined(op, rule, "its samples are not floats");
    if (int64_t parts = type.getDimSize(rank - 1); parts != 1 && parts != 2)
      return declined(op, rule, "its samples are neither real nor complex");
    if (n->value() > mostNumbers)
      return declined(op, rule, "it is too long for a table");

    OpBuilder b(op);
    Extent products = product(extentsOf(op.getX())) * *kept * 2;
    bool wide = type.getElementType().isF64() || (products.isStatic() && products.value() <= fewProducts);
    TransformRewrite rewrite(b, op.getLoc(), n->value(), op.getInverse(), wide ? ElementType::F64 : ElementType::F32);
    GraphBuilder &g = rewrite.g;
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    order.erase(order.begin() + axis);
    order.insert(order.end() - 1, axis);
    auto permuted = [&](Value x, ArrayRef<int64_t> perm) {
      return x && axis != rank - 2 ? g.make("transpose", {x}, {b.getNamedAttr("perm", b.getDenseI64ArrayAttr(perm))})
                                   : x;
    };
    Value x = g.cast(op.getX(), wide ? b.getF64Type() : b.getF32Type());
    if (samples > n->value()) { // what is behind the length does not count
      SmallVector<int64_t> none(rank, 0), crop(rank, 0);
      crop[axis] = n->value() - samples;
      x = g.make(
          "pad", {x},
          {b.getNamedAttr("lo", b.getDenseI64ArrayAttr(none)), b.getNamedAttr("hi", b.getDenseI64ArrayAttr(crop))});
    }
    Value y = x ? rewrite.run(permuted(x, order), kept->value()) : x;
    y = g.cast(permuted(y, inverseOf(order)), type.getElementType());
    if (!y || y.getType() != op.getY().getType())
      return declined(op, rule, g.why);
    applied(op, rule);
    ++expanded;
    op.getY().replaceAllUsesWith(y);
    eraseDead(op);
  }

  static SmallVector<int64_t> inverseOf(ArrayRef<int64_t> order) {
    SmallVector<int64_t> inverse(order.size());
    for (auto [to, from] : llvm::enumerate(order))
      inverse[from] = to;
    return inverse;
  }
};

} // namespace
