//===- Passes.h - passes of the Schedule stage -----------------------------===//
#pragma once
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Schedule/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Schedule/Passes.h.inc"
} // namespace kumiko
