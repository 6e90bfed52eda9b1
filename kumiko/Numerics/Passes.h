//===- Passes.h - passes of the Numerics stage ---------------------------------===//
#pragma once
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Numerics/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Numerics/Passes.h.inc"
} // namespace kumiko
