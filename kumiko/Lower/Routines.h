//===- Routines.h - irregular ops as calls of the runtime's functions --------===//
#pragma once
#include "kumiko/Nn/Nn.h"
#include "kumiko/Support/Decision.h"

namespace kumiko::lower {

/// Whether runtime/ops has a function for the op as it is.
Decision hasRoutine(mlir::Operation *op);

/// Replaces an irregular op that has a function by calls: `nn.routine`, in the order in which they run. Types still
/// have their signs and the names of their extents.
void replaceByRoutines(mlir::Operation *op);

/// The call that finds the symbol of `op`, at the builder's place; `x` stands for its operand.
nn::RoutineOp buildSymbolRoutine(mlir::OpBuilder &builder, nn::SymbolOp op, mlir::Value x);

} // namespace kumiko::lower
