//===- ViewPatterns.cpp - views that meet across other ops -----------------===//
//
//   softmax(reshape(x), axis: 1) = reshape(softmax(x, axis: 3))
//
// where the reshape flattens (or splits) dimensions in front of the one that is worked along. Exporters flatten rows
// before a softmax and undo it afterwards; below it the two views meet and are gone.
//
//   reshape(transpose(reshape(x), perm: p)) = transpose(reshape(x), perm: q)
//
// where the view behind the transpose splits dimensions, as grouped heads do, or the one before it joins some: the
// transpose can move the parts.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/Patterns.h"
#include "kumiko/Optimize/Remark.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

namespace {

/// Any op of one tensor that has an `axis` and keeps the shape: what lies in front of the axis only says which row it
/// is.
struct RowsOfView final : OpInterfaceRewritePattern<nn::EquationInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(nn::EquationInterface found, PatternRewriter &rewriter) const override {
    Operation *op = found;
    auto axis = op->getAttrOfType<IntegerAttr>("axis");
    if (!axis || op->getNumOperands() != 1 || op->getNumResults() != 1 ||
        op->getOperand(0).getType() != op->getResult(0).getType())
      return failure();
    auto view = op->getOperand(0).getDefiningOp<nn::ReshapeOp>();
    if (!view || !view->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no view of its own");
    SmallVector<Extent, 4> from = nn::extentsOf(view.getX().getType()), to = nn::extentsOf(view.getType());
    size_t kept = to.size() - axis.getInt();
    if (kept > from.size() || ArrayRef(from).take_back(kept) != ArrayRef(to).take_back(kept))
      return rewriter.notifyMatchFailure(op, "the view changes the dimension that is worked along");
    applied(op, "rows_of_view", 0);
    Operation *rows = rewriter.clone(*op);
    rows->setOperand(0, view.getX());
    rows->getResult(0).setType(view.getX().getType());
    rows->setAttr("axis", rewriter.getI64IntegerAttr(from.size() - kept));
    rewriter.replaceOpWithNewOp<nn::ReshapeOp>(op, op->getResult(0).getType(), rows->getResult(0));
    return success();
  }
};

/// How many dimensions of `parts` make up each dimension of `whole`; nothing where one is not a product of some.
std::optional<SmallVector<int64_t, 4>> partsOf(ArrayRef<Extent> whole, ArrayRef<Extent> parts) {
  SmallVector<int64_t, 4> counts;
  for (const Extent &extent : whole) {
    Extent product = 1;
    int64_t count = 0;
    do {
      if (parts.empty())
        return std::nullopt;
      product *= parts.front();
      parts = parts.drop_front();
      ++count;
    } while (product != extent);
    counts.push_back(count);
  }
  return parts.empty() ? std::optional(counts) : std::nullopt;
}

/// The permutation that moves all parts of a dimension where `perm` moves the dimension. Part counts are those of the
/// dimensions before it.
SmallVector<int64_t> permutationOfParts(ArrayRef<int64_t> perm, ArrayRef<int64_t> counts) {
  SmallVector<int64_t> starts{0}, moved;
  for (int64_t count : counts)
    starts.push_back(starts.back() + count);
  for (int64_t d : perm)
    llvm::append_range(moved, llvm::seq(starts[d], starts[d + 1]));
  return moved;
}

struct ViewsAcrossTranspose final : OpRewritePattern<nn::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ReshapeOp behind, PatternRewriter &rewriter) const override {
    auto transpose = behind.getX().getDefiningOp<nn::TransposeOp>();
    auto before = transpose ? transpose.getX().getDefiningOp<nn::ReshapeOp>() : nn::ReshapeOp();
    if (!before || !transpose->hasOneUse() || !before->hasOneUse())
      return rewriter.notifyMatchFailure(behind, "no views around a transpose of their own");
    ArrayRef<int64_t> perm = transpose.getPerm();
    SmallVector<Extent, 4> from = nn::extentsOf(before.getX().getType()), seen = nn::extentsOf(before.getType()),
                           turned = nn::extentsOf(behind.getX().getType()), to = nn::extentsOf(behind.getType());
    Type element = behind.getType().getElementType();
    auto turn = [&](Value x, ArrayRef<int64_t> moved) {
      return rewriter.createOrFold<nn::TransposeOp>(transpose.getLoc(), x, rewriter.getDenseI64ArrayAttr(moved));
    };
    if (std::optional<SmallVector<int64_t, 4>> counts = partsOf(turned, to)) {
      // Dimension d of the transposed is dimension perm[d]: the parts that it is split into are that one's.
      SmallVector<int64_t, 4> own(perm.size()), first(perm.size());
      for (int64_t d = 0, next = 0; d < int64_t(perm.size()); next += (*counts)[d++]) {
        own[perm[d]] = (*counts)[d];
        first[perm[d]] = next;
      }
      SmallVector<Extent, 4> split;
      for (auto [count, start] : llvm::zip_equal(own, first))
        llvm::append_range(split, ArrayRef(to).slice(start, count));
      applied(behind, "views_across_transpose", 1);
      Value view = nn::ReshapeOp::create(rewriter, before.getLoc(), nn::tensorOf(split, element), before.getX());
      rewriter.replaceOp(behind, turn(view, permutationOfParts(perm, own)));
      return success();
    }
    std::optional<SmallVector<int64_t, 4>> counts = partsOf(seen, from);
    if (!counts)
      return rewriter.notifyMatchFailure(behind, "the views do neither only split nor only join");
    applied(behind, "views_across_transpose", 1);
    Value whole = turn(before.getX(), permutationOfParts(perm, *counts));
    rewriter.replaceOpWithNewOp<nn::ReshapeOp>(behind, behind.getType(), whole);
    return success();
  }
};

} // namespace

void optimize::addViewPatterns(RewritePatternSet &patterns) {
  patterns.add<RowsOfView, ViewsAcrossTranspose>(patterns.getContext());
}
