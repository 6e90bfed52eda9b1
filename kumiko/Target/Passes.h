//===- Passes.h - a pass for tests: what code is made for ---------------------===//
#pragma once
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Target/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Target/Passes.h.inc"
} // namespace kumiko
