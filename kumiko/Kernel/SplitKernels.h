//===- SplitKernels.h - what kernels are cut around -------------------------===//
#pragma once
#include "kumiko/Kernel/KernelShape.h"

namespace kumiko {

/// Whether `op` is a contraction of so many products that it is worth a register tile, and thereby a kernel of its own.
bool deservesTile(mlir::linalg::GenericOp op, KernelExtents &extents);

} // namespace kumiko
