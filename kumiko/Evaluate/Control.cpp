//===- Control.cpp - choices, and loops that data end ------------------------------===//
#include "kumiko/Evaluate/Stacks.h"

using namespace mlir;
using namespace kumiko;

/// A loop whose condition always holds runs for ever.
static constexpr int64_t mostTurns = int64_t(1) << 24;

static bool holds(const SharedTensor &condition) { return condition.tensor.data()[0] != 0; }

llvm::Expected<SharedTensors> kumiko::evaluateIf(nn::IfOp choice, const OpRun &run) {
  SharedTensors arguments;
  for (Value shared : choice.getShared())
    arguments.push_back(run.operandAt(shared).share());
  Region &taken = holds(run.operandAt(choice.getCondition())) ? choice.getYes() : choice.getNo();
  return evaluateBlock(taken.front(), std::move(arguments), run.options, run.depth + 1);
}

llvm::Expected<SharedTensors> kumiko::evaluateLoop(nn::LoopOp loop, const OpRun &run) {
  SharedTensors carried; // the condition, then the states
  carried.push_back(run.operandAt(loop.getCondition()).share());
  for (Value state : loop.getStates())
    carried.push_back(run.operandAt(state).share());
  auto most = dyn_cast<IntegerAttr>(loop.getMostAttr());
  auto isNumber = [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); };
  if (!most || !llvm::all_of(loop->getResultTypes(), isNumber))
    return llvm::createStringError("its number of turns is not known");
  size_t states = loop.getStates().size();
  if (loop.getStates().getTypes() != loop.getValues().take_front(states).getTypes())
    return llvm::createStringError("what it carries changes its size");
  llvm::Expected<Stacks> stacks = Stacks::create(loop.getValues().drop_front(states), run.options);
  if (!stacks)
    return stacks.takeError();
  for (int64_t turn = 0; turn < most.getInt() && holds(carried.front()); ++turn) {
    if (turn == mostTurns)
      return llvm::createStringError("more than %lld turns", static_cast<long long>(mostTurns));
    llvm::Expected<Tensor> number = Tensor::zeros(ElementType::I64, {}, sizeof turn);
    if (!number)
      return number.takeError();
    std::memcpy(number->mutableData(), &turn, sizeof turn);
    SharedTensors arguments;
    arguments.push_back(SharedTensor::own(std::move(*number)));
    for (SharedTensor &state : llvm::MutableArrayRef(carried).drop_front())
      arguments.push_back(std::move(state));
    for (Value shared : loop.getShared())
      arguments.push_back(run.operandAt(shared).share());
    auto yielded = evaluateBlock(loop.getBody().front(), std::move(arguments), run.options, run.depth + 1);
    if (!yielded)
      return yielded.takeError();
    if (llvm::Error error = stacks->put(turn, llvm::ArrayRef(*yielded).drop_front(1 + states)))
      return error;
    yielded->truncate(1 + states);
    carried = std::move(*yielded);
  }
  carried.erase(carried.begin());
  stacks->moveTo(carried);
  return carried;
}
