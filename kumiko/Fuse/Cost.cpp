//===- Cost.cpp - when a merge would cost more than it saves ---------------===//
#include "kumiko/Fuse/Cost.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/TypicalSize.h"

using namespace mlir;
using namespace kumiko;

/// Beyond these a kernel keeps spilling, and compiling it takes longer than its parts.
constexpr size_t mostOps = 96, mostTensors = 24;

/// What a vector of f32 holds on most machines.
constexpr int64_t shortestRow = 8;

/// Fewer rows than this cannot be shared evenly.
constexpr int64_t fewRows = 4;
/// Elements that one core computes in about the time in which another one is woken.
constexpr int64_t manyElements = 1 << 16;

Decision kumiko::fitsKernel(ArrayRef<Operation *> ops, ArrayRef<Operation *> more) {
  if (ops.size() + more.size() > mostOps)
    return Decision::forbid("the kernel would hold too many statements");
  if (ops.size() + more.size() <= mostTensors / 2) // which read few tensors
    return Decision::allow();
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  inside.insert(more.begin(), more.end());
  llvm::DenseSet<Value> read;
  for (Operation *op : inside)
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()) && !operand.getDefiningOp<nn::ConstantOp>())
        read.insert(operand);
  if (read.size() > mostTensors)
    return Decision::forbid("the kernel would read more tensors at once than there are registers");
  return Decision::allow();
}

Decision kumiko::sharesRows(const RowShape &rows, Operation *op) {
  int64_t count = typicalSize(rows.count()), elements = typicalSize(eq::product(rows.extents));
  int64_t made = typicalSize(product(nn::extentsOf(cast<RankedTensorType>(op->getResult(0).getType()))));
  if (count < fewRows && elements >= manyElements && made > count)
    return Decision::forbid("there are few rows, and they are long: cores could not share them");
  return Decision::allow();
}

Decision kumiko::fillsVectors(const RowShape &rows) {
  const eq::Extent &length = rows.extents.back();
  if (length.isStatic() && length.value() < shortestRow)
    return Decision::forbid("rows between the products are shorter than a vector");
  return Decision::allow();
}
