//===- PointsFar.h - reads that lie in many pages ----------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"

namespace kumiko::cpu {

/// Emits what `emit` does: with one lane where the schedule says that elements are to be read one by one, or once so
/// and once as ever, with a look at the data, where it says that this depends on them.
void nearOrFar(Kernel &k, llvm::function_ref<void()> emit);

/// Bytes of a vector that is read in many pages: wider ones lie across two missing lines more often, which takes longer
/// than to read these by two vectors.
inline int64_t bytesOfMissed(const Schedule &schedule) { return schedule.wideCore ? 32 : 16; }

} // namespace kumiko::cpu
