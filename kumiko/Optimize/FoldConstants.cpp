//===- FoldConstants.cpp - computes what is known --------------------------===//
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Optimize/Compute.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "fold_constants";

/// What results may grow beyond their operands, all together: a hostile model must not fill the memory.
constexpr uint64_t mostGrowth = uint64_t(512) << 20;

namespace {

struct FoldConstants final : kumiko::impl::FoldConstantsPassBase<FoldConstants> {
  void runOnOperation() override {
    growth = 0;
    // In order, so that what has just become a constant counts as one for its readers.
    getOperation()->walk([&](Operation *op) {
      if (op->getNumResults() == 0 || op->use_empty() || nn::usesSymbols(op))
        return;
      if (op->getNumOperands() == 0 && !isa<nn::EquationInterface>(op))
        return;
      if (!llvm::all_of(op->getOperands(), [](Value operand) { return bool(constantOf(operand)); }))
        return;
      if (isa<nn::EquationInterface>(op))
        foldEquation(op);
      else if (isa<nn::ReshapeOp, nn::BitcastOp>(op))
        foldView(op);
    });
  }

private:
  uint64_t growth = 0;

  void foldEquation(Operation *op) {
    uint64_t before = bytesOfValues(op->getOperands()), after = bytesOfValues(op->getResults());
    if (after > before && growth + (after - before) > mostGrowth)
      return declined(op, rule, "what is computed at compile time has grown to " + std::to_string(growth) + " bytes");
    std::string why;
    std::optional<SmallVector<Tensor, 2>> results = compute(op, why, /*onlyUsedResults=*/true);
    if (!results)
      return declined(op, rule, why);
    growth += after > before ? after - before : 0;
    applied(op, rule, 1);
    OpBuilder builder(op);
    for (auto [result, tensor] : llvm::zip_equal(op->getResults(), *results))
      if (!result.use_empty())
        result.replaceAllUsesWith(createConstant(builder, op->getLoc(), std::move(tensor), "folded"));
    ++folded;
    eraseDead(op);
  }

  void foldView(Operation *op) {
    SmallVector<OpFoldResult, 1> results;
    OpBuilder builder(op);
    if (failed(op->fold({constantOf(op->getOperand(0))}, results)) || results.empty())
      return;
    auto value = dyn_cast_or_null<ElementsAttr>(dyn_cast<Attribute>(results[0]));
    if (!value || value.getType() != op->getResult(0).getType())
      return;
    applied(op, "fold_views", 1);
    op->getResult(0).replaceAllUsesWith(
        nn::ConstantOp::create(builder, op->getLoc(), cast<RankedTensorType>(value.getType()), value));
    ++folded;
    eraseDead(op);
  }
};

} // namespace
