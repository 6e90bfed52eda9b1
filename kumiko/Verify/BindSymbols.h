//===- BindSymbols.h - a module of numbers in place of symbols --------------===//
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace kumiko {

/// Gives every symbol of a module of nn ops its value: expressions in types and attributes become numbers, and what
/// finds or checks symbols goes. The evaluator takes what is left. An expression without a value stays as it is.
void bindSymbols(mlir::ModuleOp module, const llvm::StringMap<int64_t> &values);

} // namespace kumiko
