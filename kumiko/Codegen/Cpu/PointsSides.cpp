//===- PointsSides.cpp - rows of which one condition chooses a side -----------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Shorter rows take less than a branch that was foreseen wrongly.
constexpr int64_t shortestSide = 512;

Value PieceEmitter::conditionOfRows() const {
  auto op = targets.front().piece->source.getDefiningOp<linalg::GenericOp>();
  if (targets.size() != 1 || woven() != 1 || lanesChoose || turn || alongSums || !op || op.getNumResults() != 1 ||
      op.getNumReductionLoops() != 0 || !op.getBody()->getOps<tensor::ExtractOp>().empty() ||
      !op.getIndexingMapMatchingResult(op->getResult(0)).isIdentity())
    return Value();
  int64_t bytes = bytesOf(targets.front());
  if (typicalSize(lane.extent) * bytes < shortestSide)
    return Value();
  auto alongLanes = [&](Value value) {
    if (auto number = value.getDefiningOp<linalg::IndexOp>())
      return number.getDim() == lane.loop;
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber())).isFunctionOfDim(lane.loop);
  };
  for (auto choice : op.getBody()->getOps<arith::SelectOp>()) {
    if (llvm::any_of(neededInside(op.getBody(), choice.getCondition()), alongLanes))
      continue;
    llvm::SetVector<Value> then = neededInside(op.getBody(), choice.getTrueValue()),
                           otherwise = neededInside(op.getBody(), choice.getFalseValue());
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
