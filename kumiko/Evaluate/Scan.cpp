//===- Scan.cpp - the steps of a recurrence, one after the other ------------------===//
#include "kumiko/Evaluate/Stacks.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;

/// A sequence of empty slices has no bytes that would bound its length.
static constexpr int64_t mostSteps = int64_t(1) << 24;

/// Slice `position` of dimension 0: a view of the sequence's bytes.
static llvm::Expected<SharedTensor> sliceAt(const SharedTensor &sequence, int64_t steps, int64_t position) {
  const Tensor &whole = sequence.tensor;
  uint64_t size = whole.bytes().size() / steps;
  auto slice = Tensor::view(whole.element(), whole.shape().drop_front(), whole.bytes().slice(position * size, size));
  if (!slice)
    return slice.takeError();
  return SharedTensor{sequence.owner, std::move(*slice)};
}

llvm::Expected<SharedTensors> kumiko::evaluateScan(nn::ScanOp scan, const OpRun &run) {
  auto isNumber = [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); };
  if (!llvm::all_of(scan->getOperandTypes(), isNumber) || !llvm::all_of(scan->getResultTypes(), isNumber))
    return llvm::createStringError("its shapes are not numbers");
  int64_t steps = scan.getSteps().value();
  if (steps > mostSteps)
    return llvm::createStringError("%lld steps are more than %lld", static_cast<long long>(steps),
                                   static_cast<long long>(mostSteps));
  SharedTensors states;
  for (Value state : scan.getStates())
    states.push_back(run.operandAt(state).share());
  llvm::Expected<Stacks> stacks = Stacks::create(scan.getValues().drop_front(states.size()), run.options);
  if (!stacks)
    return stacks.takeError();
  for (int64_t i = 0; i < steps; ++i) {
    int64_t position = scan.getReverse() ? steps - 1 - i : i;
    SharedTensors arguments = std::move(states);
    for (Value sequence : scan.getSequences()) {
      llvm::Expected<SharedTensor> slice = sliceAt(run.operandAt(sequence), steps, position);
      if (!slice)
        return slice.takeError();
      arguments.push_back(std::move(*slice));
    }
    for (Value shared : scan.getShared())
      arguments.push_back(run.operandAt(shared).share());
    auto yielded = evaluateBlock(scan.getBody().front(), std::move(arguments), run.options, run.depth + 1);
    if (!yielded)
      return yielded.takeError();
    if (llvm::Error error = stacks->put(position, llvm::ArrayRef(*yielded).drop_front(scan.getStates().size())))
      return error;
    yielded->truncate(scan.getStates().size());
    states = std::move(*yielded);
  }
  stacks->moveTo(states);
  return states;
}
