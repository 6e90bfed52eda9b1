//===- Waiting.cpp - kernels that would wait for each other ----------------===//
#include "kumiko/Fuse/Waiting.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;

/// Values looked at before the answer is taken to be yes.
constexpr size_t farthest = 512;

/// What an op reads, also inside of its regions.
static void addReads(Operation *op, SmallVectorImpl<Value> &values) {
  llvm::append_range(values, op->getOperands());
  if (op->getNumRegions() == 0)
    return;
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op->getRegions(), above);
  llvm::append_range(values, above);
}

bool kumiko::comeFrom(ArrayRef<Value> values, const Group &target, const Group *partner, const Homes &homes) {
  SmallVector<Value> open(values);
  llvm::DenseSet<const void *> seen; // ops and groups
  for (size_t looked = 0; !open.empty(); ++looked) {
    if (looked == farthest)
      return true;
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != target.first->getBlock())
      continue;
    const Group *group = homes.lookup(op);
    if (group == &target)
      return true;
    if (group == partner && group)
      continue;
    // Nothing that ends before the target begins has anything from it.
    Operation *last = group ? group->last : op;
    if (last->isBeforeInBlock(target.first) || !seen.insert(group ? static_cast<const void *>(group) : op).second)
      continue;
    if (!group)
      addReads(op, open);
    else
      for (Operation *inner : group->ops)
        llvm::append_range(open, inner->getOperands());
  }
  return false;
}

bool kumiko::comesFrom(const Group &reader, const Group &target, const Homes &homes) {
  SmallVector<Value> values;
  for (Operation *op : reader.ops)
    for (Value operand : op->getOperands())
      if (const Group *home = homes.lookup(operand.getDefiningOp()); home != &reader && home != &target)
        values.push_back(operand);
  return comeFrom(values, target, &reader, homes);
}
