//===- Stacks.h - what the turns of a loop leave, slice upon slice -------------===//
#pragma once
#include "kumiko/Evaluate/OpRun.h"

namespace kumiko {

class Stacks {
public:
  /// One per value; their types are static, and slices lie along the first dimension.
  static llvm::Expected<Stacks> create(mlir::ValueRange values, const GraphOptions &options);

  /// Takes the slices of one turn. What a body only passes on, a slice or a constant, is still in its declared type
  /// where floats are f64. A place that the stacks do not have is an error.
  llvm::Error put(int64_t position, llvm::ArrayRef<SharedTensor> slices);

  /// Hands the stacks over, behind what is there.
  void moveTo(SharedTensors &results);

private:
  std::vector<Tensor> stacks;
};

} // namespace kumiko
