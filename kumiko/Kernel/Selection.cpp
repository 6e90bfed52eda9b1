#include "kumiko/Kernel/Selection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kumiko;

static bool isNumberOf(linalg::GenericOp op, Value value, unsigned loop) {
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  auto index = cast ? cast.getIn().getDefiningOp<linalg::IndexOp>() : linalg::IndexOp();
  return index && index.getDim() == loop;
}

/// Whether `value` is computed from the results so far and `given` alone.
static bool dependsOnlyOn(linalg::GenericOp op, Value value, Value given) {
  if (value == given || matchPattern(value, m_Constant()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == op.getBody() && argument.getArgNumber() >= op.getNumDpsInputs();
  Operation *producer = value.getDefiningOp();
  return producer->getBlock() == op.getBody() && !isa<linalg::IndexOp>(producer) && producer->getNumResults() == 1 &&
         llvm::all_of(producer->getOperands(), [&](Value operand) {
           return !isa<TensorType>(operand.getType()) && dependsOnlyOn(op, operand, given);
         });
}

static bool readsResults(linalg::GenericOp op, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == op.getBody() && argument.getArgNumber() >= op.getNumDpsInputs();
  Operation *producer = value.getDefiningOp();
  return producer->getBlock() == op.getBody() &&
         llvm::any_of(producer->getOperands(), [&](Value operand) { return readsResults(op, operand); });
}

std::optional<Selection> kumiko::selectionOf(linalg::GenericOp op) {
  if (op.getNumResults() != 2 || op.getNumReductionLoops() != 1)
    return std::nullopt;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  Operation *yield = op.getBody()->getTerminator();
  auto value = yield->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto number = yield->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!value || !number || value.getCondition() != number.getCondition() ||
      value.getFalseValue() != op.getRegionOutputArgs()[0] || number.getFalseValue() != op.getRegionOutputArgs()[1] ||
      !isNumberOf(op, number.getTrueValue(), reduced[0]) || readsResults(op, value.getTrueValue()) ||
      !dependsOnlyOn(op, value.getCondition(), value.getTrueValue()))
    return std::nullopt;
  return Selection{value.getCondition(), value.getTrueValue()};
}
