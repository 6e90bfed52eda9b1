//===- WeightedOp.h - sums of products with constant weights ---------------===//
//
// An op whose result is, along one dimension, linear in slices of a constant operand, plus possibly a bias:
// convolutions, matrix products. Scaling slice c of the result is scaling slice c of the weights. Found in the
// equation:
//
//   s[.., (g, f), ..] += p[...] * w[(g, f), c, k]       the index of the dimension stands in w as it stands in s
//   y[.., f, ..] = s[.., f, ..] + bias[f]               a plain read of s, and an operand by that index or nothing
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace kumiko::optimize {

struct WeightedOp {
  unsigned weightSlot = 0;
  unsigned weightDimension = 0;
  /// The slot of an operand that is added per channel, whether it is there or not; nothing when the op takes none.
  std::optional<unsigned> biasSlot;
};

/// How to scale `dimension` of the op's only result. Nothing when the weights are not a constant or the bias, if there,
/// is not.
std::optional<WeightedOp> weightedOp(mlir::Operation *op, unsigned dimension);

/// The constant of a sum of products, and its dimension that runs along `dimension` of operand `slot`: scaling slice c
/// of the operand is scaling slice c of the constant. Without a dimension, for one factor of all: any will do.
std::optional<WeightedOp> weightsBehind(mlir::Operation *op, unsigned slot, std::optional<unsigned> dimension);

/// Whether a convolution has so many groups; a symbol is no number.
bool hasGroups(mlir::Operation *conv, int64_t count);

} // namespace kumiko::optimize
