//===- PermuteWeights.cpp - a transpose before a product goes into weights -===//
//
// What stands between a network with channels last and the product behind its Flatten:
//
//   matmul(reshape(transpose(x, perm: p)), w) = matmul(reshape(x), w')
//
// The reshape joins the dimensions that the transpose moved, and nothing else, so that only the rows of w are numbered
// otherwise. Sums run in another order.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Patterns.h"
#include "kumiko/Optimize/Permute.h"
#include "kumiko/Optimize/Remark.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

/// The first of the trailing dimensions that make up `count` elements together, none of them open; -1 when there is no
/// such dimension.
static int64_t firstJoined(ArrayRef<int64_t> shape, int64_t count) {
  int64_t product = 1;
  for (int64_t d = shape.size(); d-- > 0;) {
    if (ShapedType::isDynamic(shape[d]) || shape[d] == 0)
      return -1;
    product *= shape[d];
    if (product == count && (d == 0 || shape[d - 1] != 1))
      return d;
    if (product > count)
      return -1;
  }
  return -1;
}

/// Row by row: rows of `weights` are numbered by `shape`, those of the result by its dimensions in the order `source`.
static llvm::Expected<Tensor> permutedRows(const Tensor &weights, ArrayRef<int64_t> shape, ArrayRef<int64_t> source) {
  llvm::Expected<Tensor> result = Tensor::zeros(weights.element(), weights.shape());
  if (!result)
    return result;
  size_t rank = shape.size(), rowBytes = weights.shape()[1] * bytesOf(weights.element());
  SmallVector<int64_t, 6> position(rank), stride(rank, 1);
  for (size_t d = rank - 1; d-- > 0;)
    stride[d] = stride[d + 1] * shape[d + 1];
  for (int64_t row = 0; row < weights.shape()[0]; ++row) {
    int64_t from = 0, rest = row;
    for (size_t j = rank; j-- > 0;) {
      from += rest % shape[source[j]] * stride[source[j]];
      rest /= shape[source[j]];
    }
    std::memcpy(result->mutableData() + row * rowBytes, weights.data() + from * rowBytes, rowBytes);
  }
  return result;
}

namespace {

struct PermuteWeights final : OpRewritePattern<nn::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::MatmulOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getA().getDefiningOp<nn::ReshapeOp>();
    auto transpose = reshape ? reshape.getX().getDefiningOp<nn::TransposeOp>() : nn::TransposeOp();
    ElementsAttr constant = constantOf(op.getB());
    if (!transpose || !constant || constant.getShapedType().getRank() != 2)
      return rewriter.notifyMatchFailure(op, "no transpose before constant weights");
    if (!reshape->hasOneUse() || !transpose->hasOneUse())
      return declined(op, "permute_weights", "the transpose before it has other readers"), failure();
    ArrayRef<int64_t> shape = reshape.getX().getType().getShape(), perm = transpose.getPerm();
    int64_t first = firstJoined(shape, constant.getShapedType().getDimSize(0));
    if (first < 0)
      return rewriter.notifyMatchFailure(op, "the view between them joins other dimensions");
    for (int64_t d = 0; d < first; ++d)
      if (perm[d] != d)
        return rewriter.notifyMatchFailure(op, "the transpose moves what the product keeps");
    llvm::Expected<Tensor> weights = constantTensor(constant);
    if (!weights)
      return rewriter.notifyMatchFailure(op, llvm::toString(weights.takeError()));
    // Dimension first + j of x is dimension first + source[j] of the transposed.
    Permutation moved(perm.drop_front(first));
    for (int64_t &d : moved)
      d -= first;
    Permutation source = inverse(moved);
    llvm::Expected<Tensor> rows = permutedRows(*weights, shape.drop_front(first), source);
    if (!rows)
      return rewriter.notifyMatchFailure(op, llvm::toString(rows.takeError()));
    applied(op, "permute_weights", 1);
    Location loc = rewriter.getFusedLoc({op.getLoc(), transpose.getLoc()});
    Value x = nn::ReshapeOp::create(rewriter, reshape.getLoc(), reshape.getType(), transpose.getX());
    Value w = createConstant(rewriter, loc, std::move(*rows), "weights");
    rewriter.replaceOpWithNewOp<nn::MatmulOp>(op, x, w);
    return success();
  }
};

} // namespace

void optimize::addPermuteWeightsPattern(RewritePatternSet &patterns) {
  patterns.add<PermuteWeights>(patterns.getContext());
}
