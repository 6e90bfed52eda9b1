//===- Places.h - where the tensors of a plain kernel lie --------------------===//
#pragma once
#include "kumiko/Kernel/KernelExtents.h"
#include "kumiko/Nn/Nn.h"

namespace kumiko::plain {

/// A tensor whose bytes are those of `root`, in the same order: that is what reshapes give, and an op that changes its
/// destination where nobody else reads that.
mlir::Value rootOf(mlir::Value tensor);

/// Where the tensors of a kernel lie, by their roots: arguments in their buffers, the result in its own where it is
/// made by the kernel, everything else side by side in scratch.
class Places {
public:
  Places(nn::KernelOp kernel, KernelExtents &extents);

  /// The buffer that `tensor` lies in (operands, then results), or nothing when it lies in scratch.
  std::optional<unsigned> bufferOf(mlir::Value tensor) const;
  Extent scratchOffsetOf(mlir::Value tensor) const { return offsets.lookup(rootOf(tensor)); }
  Extent scratchBytes() const { return total; }

private:
  llvm::DenseMap<mlir::Value, unsigned> buffers;
  llvm::DenseMap<mlir::Value, Extent> offsets;
  Extent total = 0;
};

} // namespace kumiko::plain
