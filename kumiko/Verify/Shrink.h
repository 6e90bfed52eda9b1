//===- Shrink.h - the smallest network that still shows something ------------===//
#pragma once
#include "kumiko/Verify/TestCase.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kumiko {

/// Makes the case smaller while `shows` says that the candidate still does: fewer results, ops replaced by inputs that
/// have their values or by one of their operands, smaller extents. At most `tries` candidates are asked for.
void shrink(TestCase &test, llvm::function_ref<bool(TestCase &candidate)> shows, unsigned tries);

} // namespace kumiko
