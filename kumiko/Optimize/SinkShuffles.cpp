//===- SinkShuffles.cpp - shuffles of channels move down to products -------===//
//
// A shuffle of channels is a transpose between two views of the last dimension. Whatever works on each channel by
// itself may as well come before it, with its constants in the other order:
//
//   depthwise(shuffle(x), w) = shuffle(depthwise(x, w'))
//
// A product in groups reads each element as a number, wherever it lies, so that there the shuffle costs nothing.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Rule.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Shuffle.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/NarrowConstant.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "kumiko/Optimize/WeightedOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace kumiko {
#define GEN_PASS_DEF_SINKSHUFFLESPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "sink_shuffle";

/// Channel j of the shuffled tensor is channel number sourceOf(...)[j] of the other.
static SmallVector<int64_t> sourceOf(nn::Shuffle shuffle) {
  size_t kept = cast<RankedTensorType>(shuffle.x.getType()).getRank() - 1;
  ArrayRef<int64_t> shape = shuffle.transpose.getX().getType().getShape().drop_front(kept);
  ArrayRef<int64_t> perm = shuffle.transpose.getPerm().drop_front(kept);
  SmallVector<int64_t> stride(shape.size(), 1), source;
  for (size_t d = shape.size() - 1; d-- > 0;)
    stride[d] = stride[d + 1] * shape[d + 1];
  for (int64_t j = 0, count = stride[0] * shape[0]; j < count; ++j) {
    int64_t rest = j, place = 0;
    for (size_t d = perm.size(); d-- > 0;) {
      int64_t from = perm[d] - kept;
      place += rest % shape[from] * stride[from];
      rest /= shape[from];
    }
    source.push_back(place);
  }
  return source;
}

/// A constant per channel, its first dimension, in the order of what is not shuffled.
static Value unshuffled(OpBuilder &b, Value constant, ArrayRef<int64_t> source) {
  std::optional<Tensor> known = knownTensor(constant);
  if (!known)
    return {};
  llvm::Expected<Tensor> moved = Tensor::zeros(known->element(), known->shape());
  if (!moved)
    return llvm::consumeError(moved.takeError()), Value();
  int64_t bytes = bytesOf(known->element());
  for (int64_t extent : ArrayRef(known->shape()).drop_front())
    bytes *= extent;
  for (auto [j, i] : llvm::enumerate(source))
    std::memcpy(moved->mutableData() + i * bytes, known->data() + j * bytes, bytes);
  return createConstant(b, constant.getLoc(), std::move(*moved), "shuffled");
}

/// A convolution of each channel by itself, with channels last.
static bool isDepthwise(nn::ConvOp op) {
  auto x = cast<RankedTensorType>(op.getX().getType()), w = cast<RankedTensorType>(op.getW().getType());
  return int64_t(op.getChannel()) == x.getRank() - 1 && hasGroups(op, x.getShape().back()) &&
         w.getDimSize(0) == x.getShape().back();
}

/// Whether `op`, which reads `value`, does the same to each channel, or something that its constants say by channel.
static bool worksByChannel(Operation *op, Value value) {
  if (auto conv = dyn_cast<nn::ConvOp>(op))
    return conv.getX() == value && isDepthwise(conv) && constantOf(conv.getW()) &&
           (!conv.getBias() || constantOf(conv.getBias()));
  if (auto pad = dyn_cast<nn::PadOp>(op)) {
    auto lo = nn::extentsOf(pad.getLoAttr()), hi = nn::extentsOf(pad.getHiAttr());
    return pad.getX() == value && lo && hi && lo->back().is(0) && hi->back().is(0);
  }
  const eq::OpDef *def = nn::definitionOf(op);
  return def && def->operands.size() == 1 && op->getNumOperands() == 1 && eq::isElementwise(*def);
}

namespace {

struct SinkShuffles final : kumiko::impl::SinkShufflesPassBase<SinkShuffles> {
  void runOnOperation() override {
    SmallVector<nn::ReshapeOp> views;
    getOperation()->walk([&](nn::ReshapeOp op) { views.push_back(op); });
    for (nn::ReshapeOp view : views)
      if (std::optional<nn::Shuffle> shuffle = nn::shuffleBehind(view.getY()))
        sink(*shuffle, view);
  }

  void sink(nn::Shuffle shuffle, nn::ReshapeOp view) {
    SmallVector<Operation *> path;
    Value value = view.getY();
    while (value.hasOneUse() && worksByChannel(*value.user_begin(), value)) {
      path.push_back(*value.user_begin());
      value = path.back()->getResult(0);
    }
    if (path.empty())
      return;
    auto product = value.hasOneUse() ? dyn_cast<nn::ConvOp>(*value.user_begin()) : nn::ConvOp();
    if (!product || product.getX() != value || !nn::readsNumbers(product))
      return declined(view, rule, "no product in groups follows");
    SmallVector<int64_t> source = sourceOf(shuffle);
    Value x = shuffle.x;
    for (Operation *op : path)
      x = x ? unshuffledOp(op, x, source) : x;
    if (!x)
      return declined(view, rule, "its constants cannot be reordered");
    OpBuilder b(product);
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<Extent, 4> apart = nn::extentsOf(type);
    apart.pop_back();
    llvm::append_range(apart,
                       ArrayRef(nn::extentsOf(shuffle.transpose.getX().getType())).drop_front(type.getRank() - 1));
    Location loc = view.getLoc();
    Value y = nn::ReshapeOp::create(b, loc, nn::tensorOf(apart, type.getElementType()), x);
    y = nn::TransposeOp::create(b, loc, y, shuffle.transpose.getPerm());
    y = nn::ReshapeOp::create(b, loc, type, y);
    applied(view, rule);
    ++sunk;
    product.getXMutable().assign(y);
    eraseDead(path.back());
  }

  /// The same op on what is not shuffled; null where its constants cannot be reordered.
  Value unshuffledOp(Operation *op, Value x, ArrayRef<int64_t> source) {
    OpBuilder b(op);
    IRMapping mapping;
    mapping.map(op->getOperand(0), x);
    if (auto conv = dyn_cast<nn::ConvOp>(op))
      for (Value constant : conv->getOperands().drop_front()) {
        mapping.map(constant, unshuffled(b, constant, source));
        if (!mapping.lookup(constant))
          return {};
      }
    return b.clone(*op, mapping)->getResult(0);
  }
};

} // namespace
