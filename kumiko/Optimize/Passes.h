//===- Passes.h - passes of the Optimize stage -----------------------------===//
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Optimize/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko
