//===- RepeatCheapOps.cpp - cheap ops are computed by each of their readers -===//
#include "kumiko/Fuse/RepeatCheapOps.h"
#include "kumiko/Fuse/Cost.h"
#include "kumiko/Fuse/OpShape.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;

/// One elementwise op on one tensor that takes fewer bytes than the result; whatever else it reads is one number.
static bool isWidening(Operation *op) {
  if (!isa<nn::EquationInterface>(op) || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  auto narrow = cast<RankedTensorType>(op->getOperand(0).getType()),
       wide = cast<RankedTensorType>(op->getResult(0).getType());
  bool grows = narrow.clone(wide.getElementType()) == wide && narrow.getElementType().isIntOrFloat() &&
               wide.getElementType().isIntOrFloat() && narrow.getElementTypeBitWidth() < wide.getElementTypeBitWidth();
  auto isNumber = [](Value operand) {
    auto type = cast<RankedTensorType>(operand.getType());
    return type.hasStaticShape() && type.getNumElements() == 1;
  };
  if (!grows || !llvm::all_of(op->getOperands().drop_front(), isNumber))
    return false;
  OpShape shape = shapeOf(op);
  return shape.kind == OpClass::Injective && shape.reads[0] == ReadKind::Identity;
}

/// A part of a tensor, its dimensions of one element aside. A constant's part is laid out as its reader wants it.
static bool isPart(Operation *op) {
  if (isUnitReshape(op)) {
    Operation *source = op->getOperand(0).getDefiningOp();
    return source && isPart(source);
  }
  return isa<nn::EquationInterface>(op) && op->getNumOperands() == 1 &&
         !op->getOperand(0).getDefiningOp<nn::ConstantOp>() && shapeOf(op).isBox;
}

static bool canAbsorb(Operation *reader, bool part) {
  if (isUnitReshape(reader))
    return part;
  if (!isa<nn::EquationInterface>(reader))
    return false;
  OpShape shape = shapeOf(reader);
  return shape.kind == OpClass::Injective || shape.kind == OpClass::Reduction ||
         (part && (shape.kind == OpClass::Contraction || shape.joinsBoxes));
}

/// Whether it pays that each of `readers` computes `op` for itself.
static Decision paysRepeated(Operation *op, ArrayRef<Operation *> readers, const Target &target) {
  auto count = static_cast<int64_t>(readers.size());
  bool isAlone = llvm::all_of(op->getUsers(), [&](Operation *user) { return llvm::is_contained(readers, user); });
  Extent elements = product(nn::extentsOf(cast<RankedTensorType>(op->getResult(0).getType())));
  return pays(target, [&](Merge &merge) {
    merge.startsLess(isAlone ? 1 : 0);
    merge.saves(op->getResult(0), count, isAlone);
    merge.readsAgain(op->getOperand(0), isAlone ? count - 1 : count);
    merge.computesAgain(elements * (isAlone ? count : count + 1), elements, shapeOf(op).work, /*isHoisted=*/false);
  });
}

void kumiko::repeatCheapOps(Block &block, const Target &target) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.getNumResults() != 1 || op.hasOneUse() || op.use_empty())
      continue;
    bool part = isPart(&op);
    if (!part && !isWidening(&op))
      continue;
    // One copy per reader, which may read it several times.
    llvm::SmallSetVector<Operation *, 4> readers;
    for (Operation *reader : op.getUsers())
      if (canAbsorb(reader, part))
        readers.insert(reader);
    if (!part && !paysRepeated(&op, readers.getArrayRef(), target))
      continue;
    for (Operation *reader : readers) {
      OpBuilder builder(reader);
      reader->replaceUsesOfWith(op.getResult(0), builder.clone(op)->getResult(0));
    }
    if (op.use_empty())
      op.erase();
  }
}
