//===- Copies.h - values that need memory of their own ---------------------===//
#pragma once
#include "kumiko/Nn/Nn.h"

namespace kumiko {

/// Gives every result of a block a writer of its own: what is passed on unchanged, a constant, or a result twice is
/// copied.
void copyBareResults(mlir::Block &block);

/// The states of a loop lie in memory that its turns write. A first value that others read too is copied there.
void copyFirstStates(mlir::Operation *loop);

/// Which of its two places has the last state of a loop that may end early is known only until the next loop: each is
/// copied right behind the loop. Returns the copies.
llvm::SmallVector<mlir::Operation *> copyLastStates(nn::LoopOp loop);

} // namespace kumiko
