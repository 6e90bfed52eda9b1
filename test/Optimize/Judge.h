//===- Judge.h - a function before and after a rule, by the evaluator ------===//
#pragma once
#include "kumiko/Equation/Rule.h"
#include "kumiko/Support/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko::optimize {

std::string textOf(mlir::func::FuncOp function);

/// Nothing where the evaluator refuses the arguments.
std::optional<llvm::SmallVector<Tensor, 2>> evaluated(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments);

/// The place of the first element that is not equal within the class. Sums may cancel: rounding is measured by what
/// goes in.
std::optional<int64_t> difference(eq::RuleClass kind, llvm::ArrayRef<Tensor> arguments, const Tensor &before,
                                  const Tensor &after);

} // namespace kumiko::optimize
