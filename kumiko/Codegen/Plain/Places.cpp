#include "kumiko/Codegen/Plain/Places.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::plain;

/// What is not computed is nowhere: a table is a part of the code, and of a tensor without elements nothing is read.
static bool hasMemory(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return !op || !(isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
}

static Value takenOver(OpResult result);

/// Whether nobody but its one reader sees the memory of `tensor`, which the kernel made.
static bool isSeenOnce(Value tensor) {
  while (tensor.hasOneUse()) {
    auto result = dyn_cast<OpResult>(tensor);
    if (!result)
      return false;
    Value before = takenOver(result);
    if (!before)
      return hasMemory(tensor);
    tensor = before;
  }
  return false;
}

/// The operand whose memory the result takes over; null where it has some of its own.
static Value takenOver(OpResult result) {
  Operation *op = result.getOwner();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp, tensor::BitcastOp>(op))
    return op->getOperand(0);
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  Value target = destination ? destination.getTiedOpOperand(result)->get() : Value();
  return target && isSeenOnce(target) ? target : Value();
}

Value plain::rootOf(Value tensor) {
  while (auto result = dyn_cast<OpResult>(tensor)) {
    Value before = takenOver(result);
    if (!before)
      break;
    tensor = before;
  }
  return tensor;
}

Places::Places(nn::KernelOp kernel, KernelExtents &extents) {
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments())
    buffers[argument] = argument.getArgNumber();
  for (auto [number, result] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (Value root = rootOf(result); isa<OpResult>(root) && hasMemory(root))
      buffers.try_emplace(root, body.getNumArguments() + number);
  constexpr int64_t alignment = 64, bitsOfByte = 8;
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults()) {
      if (!isa<RankedTensorType>(result.getType()) || rootOf(result) != result || buffers.contains(result) ||
          !hasMemory(result))
        continue;
      int64_t bytes = llvm::divideCeil(getElementTypeOrSelf(result).getIntOrFloatBitWidth(), bitsOfByte);
      offsets[result] = total;
      total += ceilDiv(extents.elementsOf(result) * bytes, alignment) * alignment;
    }
}

std::optional<unsigned> Places::bufferOf(Value tensor) const {
  auto found = buffers.find(rootOf(tensor));
  return found == buffers.end() ? std::nullopt : std::optional(found->second);
}
