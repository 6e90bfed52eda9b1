//===- ConcatPatterns.cpp - concatenations that meet -----------------------===//
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/Patterns.h"
#include "kumiko/Optimize/Remark.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

namespace {

struct FlattenConcat final : OpRewritePattern<nn::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ConcatOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    SmallVector<Location> places = {op.getLoc()};
    for (Value operand : op->getOperands()) {
      auto inner = operand.getDefiningOp<nn::ConcatOp>();
      // With another reader the inner one would stay, and its elements be copied twice.
      if (!inner || inner.getAxis() != op.getAxis() || !operand.hasOneUse()) {
        parts.push_back(operand);
        continue;
      }
      llvm::append_range(parts, inner->getOperands());
      places.push_back(inner.getLoc());
    }
    if (places.size() == 1)
      return rewriter.notifyMatchFailure(op, "no part is a concatenation of its own");
    std::string why;
    FailureOr<Operation *> flat = nn::buildEquationOp(rewriter, rewriter.getFusedLoc(places), "concat", parts,
                                                      {rewriter.getNamedAttr("axis", op.getAxisAttr())}, why);
    if (failed(flat) || (*flat)->getResult(0).getType() != op->getResult(0).getType())
      return rewriter.notifyMatchFailure(op, "the parts do not fit: " + why);
    applied(op, "concat_twice", int64_t(places.size()) - 1);
    rewriter.replaceOp(op, (*flat)->getResults());
    return success();
  }
};

struct SliceOfConcat final : OpRewritePattern<nn::SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::SliceOp op, PatternRewriter &rewriter) const override {
    auto concat = op.getX().getDefiningOp<nn::ConcatOp>();
    auto start = nn::extentsOf(op->getAttr("start")), step = nn::extentsOf(op->getAttr("step")),
         out = nn::extentsOf(op->getAttr("out"));
    if (!concat || !start || !step || !out)
      return rewriter.notifyMatchFailure(op, "it is not of a concatenation");
    int64_t axis = concat.getAxis();
    Extent first = (*start)[axis], last = first + ((*out)[axis] - Extent(1)) * (*step)[axis];
    if (!first.isStatic() || !last.isStatic() || !(*out)[axis].isStatic() || (*out)[axis].value() <= 0)
      return rewriter.notifyMatchFailure(op, "where it lies is not known");
    int64_t low = std::min(first.value(), last.value()), high = std::max(first.value(), last.value()), offset = 0;
    for (Value part : concat->getOperands()) {
      int64_t extent = cast<RankedTensorType>(part.getType()).getDimSize(axis);
      if (ShapedType::isDynamic(extent))
        return rewriter.notifyMatchFailure(op, "how long its parts are is not known");
      if (low >= offset && high < offset + extent) {
        (*start)[axis] = Extent(first.value() - offset);
        NamedAttrList attributes(op->getAttrs());
        attributes.set("start", nn::numbersAttr(op.getContext(), *start));
        std::string why;
        FailureOr<Operation *> direct = nn::buildEquationOp(
            rewriter, rewriter.getFusedLoc({op.getLoc(), concat.getLoc()}), "slice", {part}, attributes, why);
        if (failed(direct))
          return rewriter.notifyMatchFailure(op, why);
        applied(op, "slice_of_concat", concat->hasOneUse() ? 1 : 0);
        rewriter.replaceOp(op, (*direct)->getResults());
        return success();
      }
      offset += extent;
    }
    return rewriter.notifyMatchFailure(op, "it lies in several parts");
  }
};

} // namespace

void optimize::addConcatPatterns(RewritePatternSet &patterns) {
  patterns.add<FlattenConcat, SliceOfConcat>(patterns.getContext());
}
