//===- Remark.h - what an optimisation did, or why not ---------------------===//
#pragma once
#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace kumiko::optimize {

/// Reports of this stage are in this category; `kumiko compile --explain` is built from them.
inline constexpr llvm::StringLiteral remarkCategory = "optimize";

/// `rule` is the name of an entry in kumiko/Optimize/*.rules, which has its class. `saved`: ops that are gone, less
/// those that came.
void applied(mlir::Operation *op, llvm::StringRef rule, std::optional<int64_t> saved = std::nullopt);
void declined(mlir::Operation *op, llvm::StringRef rule, const llvm::Twine &why);

} // namespace kumiko::optimize
