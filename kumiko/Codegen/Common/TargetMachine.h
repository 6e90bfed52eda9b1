//===- TargetMachine.h - LLVM's view of a target ----------------------------===//
#pragma once
#include "kumiko/Target/Target.h"
#include <memory>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace kumiko {

/// Position-independent, code model small. A machine serves one thread; make one for each.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Target &target);

/// Gives the module the target's triple and data layout, and its functions the attributes that kernels need.
void applyTarget(llvm::Module &module, const Target &target, const llvm::TargetMachine &machine);

} // namespace kumiko
