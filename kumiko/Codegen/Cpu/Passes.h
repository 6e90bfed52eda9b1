//===- Passes.h - passes of the Codegen stage for CPUs ---------------------===//
#pragma once
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Codegen/Cpu/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Codegen/Cpu/Passes.h.inc"

/// From loops and vectors to the LLVM dialect, per kernel module and in parallel.
void addLowerKernelsToLlvm(mlir::OpPassManager &kernelModules);
} // namespace kumiko
