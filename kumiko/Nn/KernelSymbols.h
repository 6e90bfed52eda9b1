//===- KernelSymbols.h - kernels by what they do ---------------------------===//
#pragma once
#include "kumiko/Nn/Nn.h"

namespace kumiko::nn {

/// The kernels of a module. A kernel's symbol is `k_` and a hash of its body without locations, so equal kernels are
/// one, in this module and in any other.
class KernelSymbols {
public:
  explicit KernelSymbols(mlir::ModuleOp module) : symbols(module) {}

  /// Gives a new kernel its name, or erases it in favour of the equal one that is already there.
  KernelOp add(KernelOp kernel);

private:
  mlir::SymbolTable symbols;
};

} // namespace kumiko::nn
