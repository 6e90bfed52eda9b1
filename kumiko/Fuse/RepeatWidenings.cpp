//===- RepeatWidenings.cpp - cheap ops are computed by each of their readers -===//
#include "kumiko/Fuse/RepeatWidenings.h"
#include "kumiko/Fuse/OpShape.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;

/// One elementwise op on one tensor that takes at most half the bytes of the result; whatever else it reads is one
/// number.
static bool isWidening(Operation *op) {
  if (!isa<nn::EquationInterface>(op) || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  auto narrow = cast<RankedTensorType>(op->getOperand(0).getType()),
       wide = cast<RankedTensorType>(op->getResult(0).getType());
  bool grows = narrow.clone(wide.getElementType()) == wide && narrow.getElementType().isIntOrFloat() &&
               wide.getElementType().isIntOrFloat() &&
               2 * narrow.getElementTypeBitWidth() <= wide.getElementTypeBitWidth();
  auto isNumber = [](Value operand) {
    auto type = cast<RankedTensorType>(operand.getType());
    return type.hasStaticShape() && type.getNumElements() == 1;
  };
  if (!grows || !llvm::all_of(op->getOperands().drop_front(), isNumber))
    return false;
  OpShape shape = shapeOf(op);
  return shape.kind == OpClass::Injective && shape.reads[0] == ReadKind::Identity;
}

static bool canAbsorb(Operation *reader) {
  if (!isa<nn::EquationInterface>(reader))
    return false;
  OpClass kind = shapeOf(reader).kind;
  return kind == OpClass::Injective || kind == OpClass::Reduction;
}

void kumiko::repeatWidenings(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumResults() != 1 || op.hasOneUse() || op.use_empty() || !isWidening(&op))
      continue;
    // One copy per reader, which may read it several times.
    llvm::SmallSetVector<Operation *, 4> readers;
    for (Operation *reader : op.getUsers())
      if (canAbsorb(reader))
        readers.insert(reader);
    for (Operation *reader : readers) {
      OpBuilder builder(reader);
      reader->replaceUsesOfWith(op.getResult(0), builder.clone(op)->getResult(0));
    }
    if (op.use_empty())
      op.erase();
  }
}
