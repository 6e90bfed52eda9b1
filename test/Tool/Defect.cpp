//===- Defect.cpp - a compiler that is wrong on purpose ----------------------===//
//
// The program `kumiko` with a pass that spoils the network; the environment's KUMIKO_DEFECT says which:
//   pattern   a tanh at node `second` becomes a sigmoid, by a pattern
//   walk      the operands of a subtraction are swapped, without a pattern and without a word
//   coarse    a product by 1.01 that says its class is rounding
//   code      additions of loops become subtractions, behind everything that can be evaluated
//
//===----------------------------------------------------------------------===//
#include "kumiko/Nn/Nn.h"
#include "kumiko/Pipeline/Pipeline.h"
#include "kumiko/Pipeline/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cstdlib>

using namespace mlir;
using namespace kumiko;

namespace {

struct SpoilTanh final : OpRewritePattern<nn::TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::TanhOp op, PatternRewriter &rewriter) const override {
    if (sourceNode(op.getLoc()) != "second")
      return failure();
    rewriter.replaceOpWithNewOp<nn::SigmoidOp>(op, op.getX());
    return success();
  }
};

struct Spoil final : PassWrapper<Spoil, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Spoil)
  explicit Spoil(StringRef defect) : defect(defect) {}
  StringRef getArgument() const final { return "test-spoil"; }

  void runOnOperation() override {
    if (defect == "pattern") {
      RewritePatternSet patterns(&getContext());
      patterns.add<SpoilTanh>(&getContext());
      if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
        signalPassFailure();
    }
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      spoil(op);
  }

private:
  void spoil(Operation *op) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    if (auto sub = dyn_cast<nn::SubOp>(op); sub && defect == "walk") {
      op->setOperands({sub.getB(), sub.getA()});
    } else if (auto tanh = dyn_cast<nn::TanhOp>(op); tanh && defect == "coarse") {
      remark::passed(op->getLoc(), remark::RemarkOpts::name("Coarse").category("optimize"))
          << remark::metric("class", "rounding");
      auto type = RankedTensorType::get({}, builder.getF32Type());
      Value factor = nn::ConstantOp::create(builder, op->getLoc(), type,
                                            DenseElementsAttr::get(type, builder.getF32FloatAttr(1.01f)));
      Value product = nn::MulOp::create(builder, op->getLoc(), tanh.getY(), factor);
      tanh.getY().replaceAllUsesExcept(product, product.getDefiningOp());
    } else if (auto add = dyn_cast<arith::AddFOp>(op); add && defect == "code") {
      add.replaceAllUsesWith(arith::SubFOp::create(builder, op->getLoc(), add.getLhs(), add.getRhs()).getResult());
      add.erase();
    }
  }

  std::string defect;
};

/// Before main.
const bool isSpoiled = [] {
  const char *defect = std::getenv("KUMIKO_DEFECT");
  if (!defect)
    return false;
  Stage stage = StringRef(defect) == "code" ? Stage::Lower : Stage::Optimize;
  extendStage(stage, [defect](OpPassManager &passes) { passes.addPass(std::make_unique<Spoil>(defect)); });
  return true;
}();

} // namespace
