//===- SpreadTaps.cpp - a convolution with few features makes more of them -===//
//
// Lanes run along features, and a convolution with one feature would leave all of them but one empty. Instead, the taps
// along one dimension become features, of which each result takes one from each of its neighbours:
//
//   y[o, f] = sum over j of z[o + j, (j, f)],   z[i, (j, f)] = sum over c of x[i, c] * w[f, c, j]
//
//===----------------------------------------------------------------------===//
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/NarrowConstant.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "kumiko/Optimize/WeightedOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_SPREADTAPSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "spread_taps";

/// Features that a vector of f32 holds on most machines.
constexpr int64_t mostFeatures = 8;
/// Products that are left for each sum: with fewer, what lies in between costs more than they do.
constexpr int64_t leastDepth = 16;

namespace {

class TapsRewrite {
public:
  explicit TapsRewrite(nn::ConvOp op) : b(op), g(b, op.getLoc()), op(op) {}

  OpBuilder b;
  GraphBuilder g;

  /// Whether the question makes sense: features are last, and few of a vector's lanes would be used.
  bool isNarrow() {
    auto weights = cast<RankedTensorType>(op.getW().getType());
    return int64_t(op.getChannel()) == cast<RankedTensorType>(op.getX().getType()).getRank() - 1 && hasGroups(op, 1) &&
           weights.hasStaticShape() && weights.getDimSize(0) > 0 && 2 * weights.getDimSize(0) <= mostFeatures;
  }

  Value run() {
    auto weights = cast<RankedTensorType>(op.getW().getType());
    features = weights.getDimSize(0);
    if (!chooseDimension(weights.getShape().drop_front(2)))
      return refuse("no dimension has as many taps as features are missing");
    // Lanes run along rows where those lie in memory without channels.
    if (weights.getDimSize(1) == 1 || weights.getNumElements() / features / taps < leastDepth)
      return refuse("few products would be left for each sum");
    std::optional<Tensor> known = knownTensor(op.getW());
    if (!known)
      return refuse("its weights are not constant");
    Value spread = spreadWeights(*known);
    if (!spread)
      return {};
    SmallVector<int64_t> stride(strides()), dilation(dilations());
    int64_t reach = dilation[along];
    dilation[along] = 1;
    Value z = g.make("conv", {op.getX(), spread},
                     {list("stride", stride), list("dilation", dilation), b.getNamedAttr("lo", op.getLoAttr()),
                      b.getNamedAttr("hi", op.getHiAttr()), b.getNamedAttr("channel", op.getChannelAttr())});
    Value sum;
    for (int64_t tap = 0; tap < taps; ++tap) {
      Value part = partOf(z, tap, reach);
      sum = sum ? g.make("add", {sum, part}) : part;
    }
    if (Value bias = op.getBias(); bias && sum)
      sum = g.make("add", {sum, bias});
    return sum;
  }

private:
  ArrayRef<int64_t> strides() { return cast<DenseI64ArrayAttr>(op.getStrideAttr()).asArrayRef(); }
  ArrayRef<int64_t> dilations() { return cast<DenseI64ArrayAttr>(op.getDilationAttr()).asArrayRef(); }

  /// The dimension with the most taps that fit beside each other.
  bool chooseDimension(ArrayRef<int64_t> kernel) {
    if (!isa<DenseI64ArrayAttr>(op.getStrideAttr()) || !isa<DenseI64ArrayAttr>(op.getDilationAttr()))
      return false;
    for (auto [d, count] : llvm::enumerate(kernel))
      if (strides()[d] == 1 && count > taps && count * features <= mostFeatures) {
        along = d;
        taps = count;
      }
    return taps > 1;
  }

  /// w(f, c, k...) as v((j, f), c, k...) where j was one of the k.
  Value spreadWeights(const Tensor &w) {
    SmallVector<int64_t> shape(w.shape());
    shape[0] *= taps;
    shape[2 + along] = 1;
    llvm::Expected<Tensor> v = Tensor::zeros(w.element(), shape);
    if (!v)
      return refuse(llvm::toString(v.takeError()));
    int64_t inner = 1, outer = 1, bytes = bytesOf(w.element());
    for (size_t d = 3 + along; d < shape.size(); ++d)
      inner *= shape[d];
    for (size_t d = 1; d < 2 + along; ++d)
      outer *= shape[d];
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t f = 0; f < features; ++f)
        for (int64_t o = 0; o < outer; ++o) {
          int64_t to = ((tap * features + f) * outer + o) * inner, from = ((f * outer + o) * taps + tap) * inner;
          std::memcpy(v->mutableData() + to * bytes, w.data() + from * bytes, inner * bytes);
        }
    return createConstant(b, op.getLoc(), std::move(*v), "taps");
  }

  /// What tap number `tap` adds to each result.
  Value partOf(Value z, int64_t tap, int64_t reach) {
    if (!z)
      return z;
    auto type = cast<RankedTensorType>(op.getY().getType());
    SmallVector<int64_t> start(type.getRank(), 0), step(type.getRank(), 1);
    start[1 + along] = tap * reach;
    start.back() = tap * features;
    return g.make("slice", {z},
                  {list("start", start), list("step", step),
                   b.getNamedAttr("out", nn::numbersAttr(b.getContext(), nn::extentsOf(type)))});
  }

  NamedAttribute list(StringRef name, ArrayRef<int64_t> numbers) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(numbers));
  }
  Value refuse(const Twine &reason) {
    g.why = reason.str();
    return {};
  }

  nn::ConvOp op;
  int64_t features = 0, taps = 1;
  size_t along = 0;
};

struct SpreadTaps final : kumiko::impl::SpreadTapsPassBase<SpreadTaps> {
  void runOnOperation() override {
    SmallVector<nn::ConvOp> ops;
    getOperation()->walk([&](nn::ConvOp op) { ops.push_back(op); });
    for (nn::ConvOp op : ops) {
      TapsRewrite rewrite(op);
      if (!rewrite.isNarrow())
        continue;
      Value y = rewrite.run();
      if (!y || y.getType() != op.getY().getType()) {
        declined(op, rule, rewrite.g.why);
        continue;
      }
      applied(op, rule);
      ++spread;
      op.getY().replaceAllUsesWith(y);
      eraseDead(op);
    }
  }
};

} // namespace
