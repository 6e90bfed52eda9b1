//===- Passes.h - passes over the bodies of kernels ----------------------------===//
#pragma once
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Kernel/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Kernel/Passes.h.inc"
} // namespace kumiko
