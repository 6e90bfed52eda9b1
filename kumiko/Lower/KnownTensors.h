//===- KnownTensors.h - what an op computes without its operands -----------===//
//
//   b(o) = i64(ceil(o * gain + shift))          known: follows from attributes and extents alone
//   y(i, o) = x(i, clamp(b(o), 0, n))           reads it beside an operand
//
// A small table like b is computed once, when compiling, and given to the kernel as a constant. At run time it would
// be a kernel of its own, or be found anew by every element that asks.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "kumiko/Support/Tensor.h"
#include "mlir/IR/Operation.h"

namespace kumiko::lower {

struct KnownTensor {
  unsigned number; ///< in the instance
  Tensor value;
};

/// The known tensors that statements with operands read; none where they are large, or are not found.
std::vector<KnownTensor> knownTensors(mlir::Operation *op, const eq::Instance &instance);

} // namespace kumiko::lower
