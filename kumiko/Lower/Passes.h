//===- Passes.h - passes of the Lower stage --------------------------------===//
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Lower/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kumiko/Lower/Passes.h.inc"
} // namespace kumiko
