//===- ChosenRows.h - what kernels read where data say ---------------------===//
#pragma once
#include "kumiko/Kernel/KernelExtents.h"
#include "kumiko/Support/Machine.h"

namespace kumiko {

/// Whether something is read at places that are more than numbers of loops.
bool readsChosen(mlir::Block &body);

/// Columns that are worked on at a time, as `Schedule::strip`; 0: all of them. Where each column of a result is read
/// from a row of its own, the rows of a large tensor are in more pages than the processor knows the addresses of, and
/// in more lines than the caches have: those of a few columns are fewer.
int64_t stripOfChosen(mlir::Block &body, mlir::ValueRange results, KernelExtents &extents, const Machine &machine);

} // namespace kumiko
