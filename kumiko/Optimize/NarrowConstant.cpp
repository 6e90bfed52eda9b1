//===- NarrowConstant.cpp - integers that are known, in few bits -----------===//
#include "kumiko/Optimize/NarrowConstant.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kumiko;

/// Ops between a constant and its reader: a cast, a subtraction, a transposition, a reshape, with some to spare.
constexpr unsigned depthLimit = 8;
constexpr uint64_t byteLimit = uint64_t(1) << 30, pointLimit = uint64_t(1) << 28;

static bool isKnown(Value value, unsigned depth) {
  if (optimize::constantOf(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && depth != 0 && op->getNumOperands() != 0 && op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isKnown(operand, depth - 1); });
}

static llvm::Expected<SharedTensor> compute(Value value) {
  if (ElementsAttr constant = optimize::constantOf(value)) {
    llvm::Expected<Tensor> tensor = constantTensor(constant);
    if (!tensor)
      return tensor.takeError();
    return SharedTensor::own(std::move(*tensor));
  }
  Operation *op = value.getDefiningOp();
  llvm::SmallDenseMap<Value, SharedTensor> operands;
  for (Value operand : op->getOperands()) {
    llvm::Expected<SharedTensor> tensor = compute(operand);
    if (!tensor)
      return tensor.takeError();
    operands.try_emplace(operand, std::move(*tensor));
  }
  GraphOptions options;
  options.limits.bytes = byteLimit;
  options.limits.points = pointLimit;
  llvm::Expected<SharedTensors> results =
      evaluateOp(op, [&](Value operand) -> const SharedTensor & { return operands.find(operand)->second; }, options);
  if (!results)
    return results.takeError();
  // The result may look at the bytes of an operand; it keeps them alive.
  return (*results)[0].share();
}

std::optional<Tensor> optimize::knownTensor(Value value) {
  if (!isKnown(value, depthLimit))
    return std::nullopt;
  llvm::Expected<SharedTensor> tensor = compute(value);
  if (!tensor)
    return llvm::consumeError(tensor.takeError()), std::nullopt;
  llvm::Expected<Tensor> copy = tensor->tensor.copy(byteLimit);
  if (!copy)
    return llvm::consumeError(copy.takeError()), std::nullopt;
  return std::move(*copy);
}

std::optional<Tensor> optimize::narrowed(const Tensor &tensor) {
  int32_t low = 0, high = 0;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    low = std::min(low, tensor.at<int32_t>(i));
    high = std::max(high, tensor.at<int32_t>(i));
  }
  for (ElementType type : {ElementType::I8, ElementType::U8, ElementType::I16}) {
    if (low < lowestInteger(type) || high > int64_t(highestInteger(type)))
      continue;
    llvm::Expected<Tensor> result = Tensor::zeros(type, tensor.shape(), byteLimit);
    if (!result)
      return llvm::consumeError(result.takeError()), std::nullopt;
    convertElements(tensor.data(), ElementType::I32, result->mutableData(), type, tensor.count());
    return std::move(*result);
  }
  return std::nullopt;
}

std::optional<Tensor> optimize::sumsOver(const Tensor &tensor, ArrayRef<unsigned> reduced) {
  SmallVector<int64_t, 6> shape(tensor.shape());
  for (unsigned dimension : reduced)
    shape[dimension] = 1;
  llvm::Expected<Tensor> sums = Tensor::zeros(ElementType::I32, shape, byteLimit);
  if (!sums)
    return llvm::consumeError(sums.takeError()), std::nullopt;
  // How far one step along a dimension moves in the sums.
  SmallVector<int64_t, 6> strides(shape.size(), 0), index(shape.size(), 0);
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0; step *= shape[d])
    strides[d] = shape[d] == 1 ? 0 : step;
  auto *totals = reinterpret_cast<uint32_t *>(sums->mutableData());
  for (int64_t i = 0; i < tensor.count(); ++i) {
    int64_t place = 0;
    for (auto [position, stride] : llvm::zip_equal(index, strides))
      place += position * stride;
    totals[place] += uint32_t(tensor.at<int32_t>(i));
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == tensor.shape()[d];)
      index[d] = 0;
  }
  return std::move(*sums);
}
