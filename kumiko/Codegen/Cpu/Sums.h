//===- Sums.h - long reductions across memory -------------------------------===//
//
// The sum of each column of a matrix. Column by column, every step would go to another page for one vector of it.
// Instead a tile of columns has its sums in memory, in the first-level cache, and the rows go by as they lie:
//
//   for tile of columns:
//     sum[:] = start
//     for eight rows: for vector v of the tile:  sum[v] += x[row, v] + x[row + 1, v] + ...      in this order
//     for vector v of the tile:  result[v] = f(sum[v])
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"

namespace kumiko::cpu {

/// The one reduction of the kernel; null where there are several, or a body reads at places that data choose.
mlir::linalg::GenericOp onlyReduction(Kernel &kernel);

/// The one reduction of the kernel where it is long and lanes along loop `lane` find what they read side by side; null
/// otherwise. `sources` is what the kernel reads.
mlir::linalg::GenericOp longSum(Kernel &kernel, const Reads &sources, const MergedLoop &lane);

/// Computes `op` for all points of `loops` (outer first) and `lane` that are this chunk's. `write` stores what follows
/// at `point`, where the values of `op` are known.
void emitSums(Kernel &kernel, mlir::linalg::GenericOp op, llvm::ArrayRef<MergedLoop> loops, const MergedLoop &lane,
              Position &point, llvm::function_ref<void()> write);

} // namespace kumiko::cpu
