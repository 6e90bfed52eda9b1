//===- Shuffle.h - channels in another order --------------------------------===//
#pragma once
#include "kumiko/Nn/Nn.h"

namespace kumiko::nn {

/// reshape(transpose(reshape(x))) where the first view splits the last dimension, the transpose reorders its parts, and
/// the second view joins them.
struct Shuffle {
  mlir::Value x;
  ReshapeOp split;
  TransposeOp transpose;
};

/// The shuffle that `y` is the result of, if nobody else reads what is in between.
std::optional<Shuffle> shuffleBehind(mlir::Value y);

/// Whether the convolution, which has constant weights, reads the elements of its operand one by one, for a vector of
/// features each, and not too often: then it does not matter where they lie.
bool readsNumbers(ConvOp op);

} // namespace kumiko::nn
