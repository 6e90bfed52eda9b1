//===- WatchThreads.h - code that ThreadSanitizer sees ----------------------===//
#pragma once
#include "llvm/IR/PassManager.h"

namespace kumiko {

/// Tells ThreadSanitizer of every access to memory: LLVM's own pass, which leaves out vectors of more than 16 bytes and
/// masked accesses; these are told as ranges, and lane by lane. The module is optimised already and must be linked with
/// -fsanitize=thread.
void watchThreads(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

} // namespace kumiko
