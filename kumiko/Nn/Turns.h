//===- Turns.h - loops whose number of turns is a size -----------------------===//
//
// An nn.loop may name a symbol that counts its turns, as the attribute `nn.turns`: those before this one in the body,
// all of them behind the loop. Extents of states may then depend on it: a state has those for 0 at first, and a turn
// yields those for one turn more. What is yielded behind the states is stacked, into results of as many slices as there
// were turns.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Nn/Nn.h"

namespace kumiko::nn {

/// The symbol; null when nothing asks for it.
mlir::StringAttr turnsOf(LoopOp loop);
void setTurns(LoopOp loop, llvm::StringRef symbol);

/// The extent with a value for one of its symbols. Not for an overflowed one.
Extent withSymbol(const Extent &extent, llvm::StringRef symbol, const Extent &value);

} // namespace kumiko::nn
