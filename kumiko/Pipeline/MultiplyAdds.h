//===- MultiplyAdds.h - the arithmetic of a network -------------------------===//
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace kumiko {

/// How often an imported network multiplies two values and adds the product to a sum: the points of its contractions.
/// Saturates. Empty where that depends on sizes that are not known.
std::optional<uint64_t> countMultiplyAdds(mlir::ModuleOp module);

} // namespace kumiko
