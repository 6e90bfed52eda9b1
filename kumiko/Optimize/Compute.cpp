//===- Compute.cpp - an op on constants ------------------------------------===//
#include "kumiko/Optimize/Compute.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Copy.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

/// Results of computations.
constexpr uint64_t computedLimit = uint64_t(4) << 20;
/// Results that only repeat what is there: they are as cheap to make again as to read.
constexpr uint64_t repeatedLimit = uint64_t(1) << 20;
/// Results of moves: as large as a model's largest weight.
constexpr uint64_t movedLimit = uint64_t(1) << 30;
/// Points that one op may take; a hostile model must not keep the compiler busy.
constexpr uint64_t pointLimit = uint64_t(1) << 28;

uint64_t optimize::bytesOfValues(ValueRange values) {
  uint64_t bytes = 0;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    // Saturates: an extent is below 2^63 and so is their product, which the equation engine has checked.
    uint64_t count = type.getNumElements(), width = (type.getElementTypeBitWidth() + 7) / 8;
    bytes += count > UINT64_MAX / 16 ? UINT64_MAX / 2 : count * width;
  }
  return bytes;
}

std::optional<SmallVector<Tensor, 2>> optimize::compute(Operation *op, std::string &why, bool onlyUsedResults) {
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, onlyUsedResults);
  if (!instance) {
    why = llvm::toString(instance.takeError());
    return std::nullopt;
  }
  uint64_t size = bytesOfValues(op->getResults());
  bool moves = onlyMoves(*instance), grows = size > bytesOfValues(op->getOperands());
  if (size > (!moves ? computedLimit : grows ? repeatedLimit : movedLimit)) {
    why = "its results take " + std::to_string(size) + " bytes, more than is computed at compile time";
    return std::nullopt;
  }
  SmallVector<Tensor, 4> tensors;
  SmallVector<const Tensor *, 4> operands;
  SmallVector<Value, 4> slots = nn::operandSlots(op);
  tensors.reserve(slots.size());
  for (Value slot : slots) {
    if (!slot) {
      operands.push_back(nullptr);
      continue;
    }
    llvm::Expected<Tensor> tensor = constantTensor(constantOf(slot));
    if (!tensor) {
      why = llvm::toString(tensor.takeError());
      return std::nullopt;
    }
    tensors.push_back(std::move(*tensor));
    operands.push_back(&tensors.back());
  }
  Limits limits;
  limits.bytes = 2 * movedLimit;
  limits.points = pointLimit;
  llvm::Expected<SmallVector<Tensor, 2>> results = evaluate(*instance, operands, Precision::Declared, limits);
  if (results)
    return std::move(*results);
  why = llvm::toString(results.takeError());
  return std::nullopt;
}
