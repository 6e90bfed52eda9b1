//===- Passes.h - passes of the pipeline itself -----------------------------===//
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace kumiko {
#define GEN_PASS_DECL
#include "kumiko/Pipeline/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kumiko/Pipeline/Passes.h.inc"

/// For kumiko-opt: the passes of all folders by their own names, and each stage of passes as `--stage-optimize`,
/// `--stage-fuse`, ...
void registerAllPasses();
} // namespace kumiko
