//===- Passes.h - passes of the Codegen stage for CPUs ---------------------===//
#pragma once
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Codegen/Cpu/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Codegen/Cpu/Passes.h.inc"

struct LowerKernelsOptions {
  /// Elementary functions become our own vector code, otherwise calls of libm.
  bool approximate = true;
  /// The machine has fused multiply-add, and conversions between f16 and f32.
  bool hasFma = true, hasHalf = true;
  /// Of its vector registers.
  unsigned vectorBits = 512;
};

/// From loops and vectors to the LLVM dialect, per kernel module and in parallel.
void addLowerKernelsToLlvm(mlir::OpPassManager &kernelModules, const LowerKernelsOptions &options);
} // namespace kumiko
