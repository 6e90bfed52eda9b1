//===- OpenWeights.cpp - weights that are computed have features last ------===//
//
// Constant weights are packed when compiling, from whatever order they have. Those of a training step, or of a network
// that computes its weights, are read as they lie: lanes along features would gather from (features, channels, kernel).
// With channels last such a convolution becomes the same one over weights (kernel, channels, features), behind a
// transpose that costs one move for all the places at which a weight is used.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/TypicalSize.h"
#include "kumiko/Optimize/Applied.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/NarrowConstant.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Permute.h"
#include "kumiko/Optimize/Remark.h"
#include "kumiko/Optimize/WeightedOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_OPENWEIGHTSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "features_last";

/// Places at which each weight is used from which on it may be moved.
constexpr int64_t fewestUses = 4;

/// nn.conv with channels last, but for the order of its weights.
constexpr llvm::StringLiteral definition = R"(op conv_open(x: T, w: T, bias?: T;
        stride: ints, dilation: ints, lo: ints, hi: ints, group: int, channel: int) -> y: T {
  p(n, i..., c) = x(n, i - lo..., c) else 0  where i in drop(dims(x, 1), channel - 1) + lo + hi
  s(n, o..., (g, f)) += p(n, o*stride + k*dilation..., (g, c)) * w(k..., c, (g, f))  where g in group
  y(n, o..., f) = s(n, o..., f) + (bias(f) else 0)
})";

/// Images, and places of a result.
static int64_t usesOf(nn::ConvOp conv) {
  int64_t uses = 1;
  for (const Extent &extent : ArrayRef(nn::extentsOf(cast<RankedTensorType>(conv.getY().getType()))).drop_back())
    uses *= std::max<int64_t>(typicalSize(extent), 1);
  return uses;
}

/// Whether the convolution reads its weights with features last now.
static bool putFeaturesLast(nn::ConvOp conv) {
  auto weights = cast<RankedTensorType>(conv.getW().getType());
  int64_t rank = weights.getRank();
  if (int64_t(conv.getChannel()) != rank - 1)
    return false;
  // A number of groups that is a symbol is that of the channels, with one feature for each.
  if (Attribute group = conv->getAttr("group"); group && !isa<IntegerAttr>(group))
    return declined(conv, rule, "the number of groups is a symbol"), false;
  if (hasGroups(conv, weights.getDimSize(0)))
    return false;
  if (usesOf(conv) < fewestUses)
    return declined(conv, rule, "each weight is used at so few places that to move it would take longer"), false;
  OpBuilder builder(conv);
  GraphBuilder g(builder, conv.getLoc());
  Permutation perm = llvm::to_vector<6>(llvm::seq<int64_t>(2, rank));
  perm.append({1, 0});
  SmallVector<Value> operands{conv.getX(), transposed(builder, conv.getLoc(), conv.getW(), perm)};
  if (Value bias = conv.getBias())
    operands.push_back(bias);
  SmallVector<NamedAttribute> attributes{builder.getNamedAttr(nn::definitionName, builder.getStringAttr(definition))};
  for (NamedAttribute attribute : equationAttributes(conv, *nn::definitionOf(conv)))
    attributes.push_back(attribute);
  Value y = g.make("custom", operands, attributes);
  if (!y)
    return declined(conv, rule, g.why), false;
  applied(conv, rule);
  conv.getY().replaceAllUsesWith(y);
  conv.erase();
  return true;
}

namespace {

struct OpenWeights final : kumiko::impl::OpenWeightsPassBase<OpenWeights> {
  void runOnOperation() override {
    SmallVector<nn::ConvOp> open;
    getOperation()->walk([&](nn::ConvOp conv) {
      if (!knownTensor(conv.getW()))
        open.push_back(conv);
    });
    for (nn::ConvOp conv : open)
      reordered += putFeaturesLast(conv);
  }
};

} // namespace
