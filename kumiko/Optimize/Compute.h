//===- Compute.h - an op on constants --------------------------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include "mlir/IR/Operation.h"

namespace kumiko::optimize {

/// The results of an op with an equation whose operands are all constants, by the evaluator in the declared types. They
/// take at most 4 MiB, or, where elements are only moved, 1 MiB or no more than the operands. Nothing when the op is
/// above the bounds or refuses its operands; `why` says so. With `onlyUsedResults` a result that nobody reads is an
/// empty tensor.
std::optional<llvm::SmallVector<Tensor, 2>> compute(mlir::Operation *op, std::string &why,
                                                    bool onlyUsedResults = false);

/// What tensors of these types take.
uint64_t bytesOfValues(mlir::ValueRange values);

} // namespace kumiko::optimize
