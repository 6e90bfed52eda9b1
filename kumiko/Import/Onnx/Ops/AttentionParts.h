//===- AttentionParts.h - what the attention ops of all domains share ---------===//
#pragma once
#include "kumiko/Import/Onnx/NodeContext.h"

namespace kumiko::onnx {

/// (batch, sequence, heads * depth) -> (batch, heads, sequence, depth); fails when the width is no multiple of `heads`.
mlir::Value splitHeads(NodeContext &n, mlir::Value x, int64_t heads);
/// The way back.
mlir::Value joinHeads(NodeContext &n, mlir::Value x);

/// 0, 1, ..., count - 1 as i64 along dimension `axis` of a tensor of rank `rank`.
mlir::Value positions(NodeContext &n, const Extent &count, int64_t axis, int64_t rank);

/// The first `rotated` numbers (0: all) of each head of x (batch, heads, sequence, depth), rotated by angles (batch,
/// sequence, rotated / 2). Checks that they fit.
mlir::Value rotatedHeads(NodeContext &n, mlir::Value x, mlir::Value cos, mlir::Value sin, int64_t rotated,
                         bool interleaved);

/// Operands of one attention; q is (batch, heads, length, depth), k and v the same with their heads and lengths.
struct AttentionOperands {
  mlir::Value q, k, v;
  /// Added to the scores; broadcasts to (batch, heads, length, keys). Null when there is none.
  mlir::Value bias;
  /// Whether a key may be seen, as b1 that broadcasts the same way. Null when all may.
  mlir::Value allowed;
  std::optional<double> scale; ///< without one, 1 / sqrt(depth)
  double softcap = 0;
  mlir::Type soft = nullptr; ///< what softmax computes in; null: at least f32
};

/// The stages of attention, all in the type of q. Rows of which no key is allowed give 0.
struct AttentionStages {
  mlir::Value y, raw, capped, biased, probabilities;
};

/// Fails unless query, key and value (batch, heads, sequence, depth) fit together.
bool attentionFits(NodeContext &n, mlir::Value q, mlir::Value k, mlir::Value v);

/// Checks that shapes fit and makes the ops, which Fuse finds again as one kernel; nothing when it failed.
std::optional<AttentionStages> makeAttention(NodeContext &n, AttentionOperands operands);

} // namespace kumiko::onnx
