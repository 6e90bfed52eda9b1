//===- Passes.h - the pass that replaces math ops --------------------------===//
#pragma once
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Codegen/Common/Math/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Codegen/Common/Math/Passes.h.inc"
} // namespace kumiko
