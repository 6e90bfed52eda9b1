//===- Passes.h - passes of the Fuse stage ---------------------------------===//
#pragma once
#include "kumiko/Nn/Nn.h"
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Fuse/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kumiko/Fuse/Passes.h.inc"
} // namespace kumiko
