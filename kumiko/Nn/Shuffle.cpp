//===- Shuffle.cpp - channels in another order ------------------------------===//
#include "kumiko/Nn/Shuffle.h"

using namespace mlir;
using namespace kumiko;

std::optional<nn::Shuffle> nn::shuffleBehind(Value y) {
  auto join = y.getDefiningOp<ReshapeOp>();
  auto transpose = join ? join.getX().getDefiningOp<TransposeOp>() : TransposeOp();
  auto split = transpose ? transpose.getX().getDefiningOp<ReshapeOp>() : ReshapeOp();
  if (!split || split.getX().getType() != y.getType() || !transpose->hasOneUse() || !split->hasOneUse())
    return std::nullopt;
  auto whole = cast<RankedTensorType>(y.getType()), apart = split.getType();
  int64_t kept = whole.getRank() - 1;
  if (kept < 0 || apart.getRank() <= whole.getRank() || whole.getShape().back() <= 0 ||
      apart.getShape().take_front(kept) != whole.getShape().take_front(kept) ||
      llvm::is_contained(apart.getShape().drop_front(kept), ShapedType::kDynamic))
    return std::nullopt;
  for (int64_t d = 0; d < kept; ++d)
    if (transpose.getPerm()[d] != d)
      return std::nullopt;
  return Shuffle{split.getX(), split, transpose};
}

/// Features of a group that are worth a vector.
constexpr int64_t fewestFeatures = 8;
/// How often an element may be read, which costs a little more each time than to put all of them in order once.
constexpr int64_t mostReads = 160;

bool nn::readsNumbers(ConvOp op) {
  auto x = cast<RankedTensorType>(op.getX().getType()), w = cast<RankedTensorType>(op.getW().getType());
  if (!op.getW().getDefiningOp<ConstantOp>() || int64_t(op.getChannel()) != x.getRank() - 1 || op.getGroup() < 1 ||
      !w.hasStaticShape() || w.getNumElements() == 0 || !getElementTypeOrSelf(x).isF32())
    return false;
  int64_t features = w.getDimSize(0) / int64_t(op.getGroup());
  int64_t taps = w.getNumElements() / (w.getDimSize(0) * w.getDimSize(1));
  return features >= fewestFeatures && features * taps <= mostReads;
}
