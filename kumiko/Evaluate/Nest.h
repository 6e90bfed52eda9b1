//===- Nest.h - the order in which the points of a statement are visited ------===//
//
// Points are worked on in blocks of lanes. A block is a box of the innermost loops: whole loops, and a piece of one
// more. Example with at most 1024 lanes: loops 64 x 56 x 56 become
//
//   for i0 in 64, for i1 in steps of 18:  1008 lanes = 18 x 56
//
// so that an index which is linear in the loops is, within a block, a start plus a fixed pattern: a stride when the
// pattern is even, else a table that is the same for all blocks.
//
// A reduction has its lanes either on kept loops (every lane has its own accumulator; the reduced loops run outside the
// lanes and inside the kept ones) or on reduced loops (one accumulator takes the lanes one after the other). Both visit
// the reduced points of one result in row-major order, so that both give the same bits.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Evaluate/Linear.h"

namespace kumiko::eval {

inline constexpr int64_t maxLanes = 1024;

struct Nest {
  /// Of the statement's loops.
  llvm::SmallVector<int64_t, 6> extents;
  /// Loops in the order of nesting: kept ones, reduced ones, then those of the lanes. Loops of extent 1 are in none.
  llvm::SmallVector<unsigned, 6> outer, inner, lanes;
  /// Lanes are on reduced loops.
  bool lanesReduced = false;
  /// Positions of the first lane loop in one block, and lanes for each of them.
  int64_t chunk = 1, perPosition = 1;

  int64_t blockLanes() const { return chunk * perPosition; }
};

/// `reads` are the addresses of the statement's linear reads; they tell which loop runs along memory.
Nest makeNest(llvm::ArrayRef<int64_t> extents, unsigned kept, llvm::ArrayRef<Linear> reads);

/// A linear function within a block: start + (stride * lane, or table[lane]).
struct Stream {
  Linear form;
  int64_t stride = 0;
  /// Empty when the pattern is even.
  std::vector<int64_t> table;

  bool varies() const { return stride != 0 || !table.empty(); }
  /// The value in lane 0 of the block at `position` (one entry per loop; lane loops hold the start of the block).
  int64_t start(llvm::ArrayRef<int64_t> position) const {
    uint64_t sum = form.constant; // unsigned: terms may cancel beyond 64 bits
    for (size_t loop = 0; loop < position.size(); ++loop)
      sum += uint64_t(form.coefficients[loop]) * uint64_t(position[loop]);
    return int64_t(sum);
  }
};
Stream makeStream(Linear form, const Nest &nest);

} // namespace kumiko::eval
