//===- Weights.h - constants laid out for their readers --------------------===//
#pragma once
#include "kumiko/Nn/Nn.h"
#include "kumiko/Plan/Program.h"
#include "kumiko/Schedule/Packing.h"
#include "llvm/ADT/MapVector.h"

namespace kumiko {

/// Collects the constants that kernels read. A constant that two kernels want packed alike is stored once.
class WeightsBuilder {
public:
  /// The offset of `constant` in the weights, packed as asked; fails when its bytes cannot be had.
  mlir::FailureOr<uint64_t> place(nn::ConstantOp constant, const Packing *packing);

  /// Moves everything into the program.
  void finish(Program &program);

private:
  std::vector<WeightSegment> segments;
  uint64_t total = 0;
  llvm::StringMap<uint64_t> placed;
};

/// The bytes of a constant as tensors are stored; `owned` holds them where the attribute has another form.
mlir::FailureOr<llvm::ArrayRef<char>> bytesOf(nn::ConstantOp constant, std::vector<char> &owned);

} // namespace kumiko
