//===- Compute.h - an op on constants --------------------------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include "mlir/IR/Operation.h"

namespace kumiko::optimize {

/// The results of an op with an equation whose operands are all constants, by the evaluator in the declared types. They
/// take at most 1 MiB, or no more than the operands where elements are only moved. Nothing when the op is above the
/// bounds or refuses its operands; `why` says so.
std::optional<llvm::SmallVector<Tensor, 2>> compute(mlir::Operation *op, std::string &why);

} // namespace kumiko::optimize
