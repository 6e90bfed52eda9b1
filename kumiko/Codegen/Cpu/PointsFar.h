//===- PointsFar.h - reads that lie in many pages ----------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"

namespace kumiko::cpu {

/// Emits what `emit` does: with one lane where the schedule says that elements are to be read one by one, or once so
/// and once as ever, with a look at the data, where it says that this depends on them.
void nearOrFar(Kernel &k, llvm::function_ref<void()> emit);

} // namespace kumiko::cpu
