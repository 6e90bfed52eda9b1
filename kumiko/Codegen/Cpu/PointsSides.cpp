//===- PointsSides.cpp - rows of which one condition chooses a side -----------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Shorter rows take less than a branch that was foreseen wrongly.
constexpr int64_t shortestSide = 512;

/// All that `value` follows from in its body.
static llvm::SetVector<Value> neededFor(Value value) {
  llvm::SetVector<Value> needed;
  needed.insert(value);
  for (size_t next = 0; next < needed.size(); ++next)
    if (Operation *op = needed[next].getDefiningOp(); op && isa<linalg::GenericOp>(op->getParentOp()))
      needed.insert(op->operand_begin(), op->operand_end());
  return needed;
}

Value PieceEmitter::conditionOfRows() const {
  auto op = targets.front().piece->source.getDefiningOp<linalg::GenericOp>();
  if (targets.size() != 1 || woven() != 1 || lanesChoose || turn || alongSums || !op || op.getNumResults() != 1 ||
      op.getNumReductionLoops() != 0 || !op.getBody()->getOps<tensor::ExtractOp>().empty() ||
      !op.getIndexingMapMatchingResult(op->getResult(0)).isIdentity())
    return Value();
  int64_t bytes = cast<MemRefType>(targets.front().memref.getType()).getElementTypeBitWidth() / 8;
  if (typicalSize(lane.extent) * bytes < shortestSide)
    return Value();
  auto alongLanes = [&](Value value) {
    if (auto number = value.getDefiningOp<linalg::IndexOp>())
      return number.getDim() == lane.loop;
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber())).isFunctionOfDim(lane.loop);
  };
  for (auto choice : op.getBody()->getOps<arith::SelectOp>()) {
    if (llvm::any_of(neededFor(choice.getCondition()), alongLanes))
      continue;
    llvm::SetVector<Value> then = neededFor(choice.getTrueValue()), otherwise = neededFor(choice.getFalseValue());
    auto readsAlone = [&](const llvm::SetVector<Value> &side, const llvm::SetVector<Value> &other) {
      return llvm::any_of(
          side, [&](Value value) { return isa<BlockArgument>(value) && alongLanes(value) && !other.contains(value); });
    };
    if (readsAlone(then, otherwise) || readsAlone(otherwise, then))
      return choice.getCondition();
  }
  return Value();
}

void PieceEmitter::bySides(llvm::function_ref<void()> emit) {
  Value condition = conditionOfRows();
  if (!condition)
    return emit();
  auto op = cast<linalg::GenericOp>(condition.getParentBlock()->getParentOp());
  point[lane.loop] = Form(0);
  Value holds = k.demand.bodyValue(op, point, condition);
  auto choice = scf::IfOp::create(k.b, k.loc, holds, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(choice.thenBlock());
  k.demand.given(condition, true, emit);
  k.b.setInsertionPointToStart(choice.elseBlock());
  k.demand.given(condition, false, emit);
}
