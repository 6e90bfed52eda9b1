//===- Erase.h - removing ops together with what only they read ------------===//
#pragma once
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace kumiko::optimize {

/// Erases an op that nobody reads, then those above it that nobody reads any more. Passes that count readers need the
/// graph free of the dead at once, not after the next clean-up.
inline void eraseDead(mlir::Operation *op) {
  llvm::SetVector<mlir::Operation *> dead;
  dead.insert(op);
  while (!dead.empty()) {
    mlir::Operation *next = dead.pop_back_val();
    if (!next->use_empty() || !mlir::isMemoryEffectFree(next))
      continue;
    llvm::SmallVector<mlir::Value> operands(next->getOperands());
    next->erase();
    for (mlir::Value operand : operands)
      if (mlir::Operation *producer = operand.getDefiningOp())
        dead.insert(producer);
  }
}

} // namespace kumiko::optimize
