//===- ViewPatterns.cpp - views below what works along one dimension -------===//
//
//   softmax(reshape(x), axis: 1) = reshape(softmax(x, axis: 3))
//
// where the reshape flattens (or splits) dimensions in front of the one that is worked along. Exporters flatten rows
// before a softmax and undo it afterwards; below it the two views meet and are gone.
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
    SmallVector<eq::Extent, 4> from = nn::extentsOf(view.getX().getType()), to = nn::extentsOf(view.getType());
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

} // namespace

void optimize::addViewPatterns(RewritePatternSet &patterns) { patterns.add<RowsOfView>(patterns.getContext()); }
