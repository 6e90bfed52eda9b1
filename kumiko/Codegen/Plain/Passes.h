//===- Passes.h - passes of the back end `plain` -----------------------------===//
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Codegen/Plain/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Codegen/Plain/Passes.h.inc"
} // namespace kumiko
