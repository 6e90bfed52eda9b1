//===- Passes.h - passes of the Codegen stage for CPUs ---------------------===//
#pragma once
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Codegen/Cpu/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Codegen/Cpu/Passes.h.inc"

/// From loops and vectors to the LLVM dialect, per kernel module and in parallel. Elementary functions become our own
/// vector code where an `approximate` answer will do, otherwise calls of libm.
void addLowerKernelsToLlvm(mlir::OpPassManager &kernelModules, bool approximate);
} // namespace kumiko
