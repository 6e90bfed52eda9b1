//===- Routine.h - kernels that call a function of the runtime -------------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {

/// The body of `function`, at whose start `b` is: calls the routine on the chunk's items. `results` are the values the
/// kernel yields, in order; `symbols` the names of the program's symbols.
void emitRoutine(mlir::OpBuilder &b, mlir::func::FuncOp function, nn::RoutineOp routine, mlir::ValueRange results,
                 const Extent &chunks, llvm::ArrayRef<std::string> symbols);

} // namespace kumiko
