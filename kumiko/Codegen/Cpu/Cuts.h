//===- Cuts.h - where computed indices stop being linear ---------------------===//
//
// A body may compute the index at which it reads by bounds, remainders and choices: the pads that repeat or mirror what
// they surround. Along one loop such an index is linear in stretches,
//
//   max(min(i - 2, 31), 0)    i:  0 . . . 2 . . . . . . . 33 . . 35       cuts at 2 and 33
//                                 |  0    |     i - 2      |  31  |
//
// and between two cuts nothing has to be gathered: the ranges of the loop's numbers decide (Demand::decided).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Reads.h"

namespace kumiko::cpu {

/// The points of loop `loop` of `extent` turns at which an index of these bodies changes its slope or jumps, in order;
/// none where there would be many, or where they are not known.
llvm::SmallVector<int64_t> cutsAlong(unsigned loop, const Extent &extent, const Reads &reads);

} // namespace kumiko::cpu
