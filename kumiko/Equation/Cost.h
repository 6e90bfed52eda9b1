//===- Cost.h - arithmetic and memory traffic of an instance ---------------===//
#pragma once
#include "kumiko/Equation/Instance.h"

namespace kumiko::eq {

/// Operations on values at one point; index arithmetic is free, a conversion costs nothing.
int64_t operationsPerPoint(const Statement &statement);
/// The product of all loop extents.
Extent pointsOf(const Statement &statement);
/// points x (operations + 1 if reducing).
Extent flopsOf(const Statement &statement);

struct Cost {
  Extent flops;
  /// Each operand and each result once: what a perfectly fused op moves.
  Extent bytesFused;
  /// Each statement reads its tensors and writes its targets once: what the op moves without fusion.
  Extent bytesUnfused;
};
Cost costOf(const Instance &instance);

Extent bytesOf(const TensorType &type);

} // namespace kumiko::eq
