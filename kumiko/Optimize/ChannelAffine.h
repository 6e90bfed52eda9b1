//===- ChannelAffine.h - ops that scale and shift each channel -------------===//
//
// y = x * scale(c) + shift(c), found by evaluating the op's equation with x as an unknown: every constant is a number,
// every sum or product a pair (factor of x, rest). Batch normalisation is one, and so are multiplications and additions
// of constants, alone or in any combination that stays linear.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace kumiko::optimize {

struct ChannelAffine {
  /// The operand that is not constant, and which dimension of it (and of the result) holds the channels; no dimension
  /// when all channels are treated alike.
  mlir::Value x;
  std::optional<unsigned> dimension;
  /// One per channel; a single number when there is no dimension.
  llvm::SmallVector<double, 0> scale, shift;

  bool scales() const;
  bool shifts() const;
};

/// Nothing when the op is anything else, or the elements are not floats.
std::optional<ChannelAffine> channelAffineOf(mlir::Operation *op);

} // namespace kumiko::optimize
