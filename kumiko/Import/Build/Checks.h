//===- Checks.h - what an op needs of its sizes ---------------------------------------------===//
#pragma once
#include "kumiko/Nn/Symbols.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kumiko {

/// The conditions on symbols that the op's equation asks for; none where all its sizes are numbers. `place` begins the
/// messages.
void forEachCheck(mlir::Operation *op, llvm::StringRef place, llvm::function_ref<void(nn::Check)> add);

/// Whether both say the same.
bool isSameCheck(const nn::Check &a, const nn::Check &b);

} // namespace kumiko
