//===- DemandParts.h - what a demand is made of ------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Form.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

namespace kumiko::cpu {

/// A box of a tensor that comes from `inside`; the rest is `padding` or, where that is null, `dest`.
struct Region {
  mlir::Value inside, padding, dest;
  Extents low, extent, whole;
};

/// An index that forms are made of.
struct Slot {
  mlir::Value index;
  int64_t multipleOf;
  IndexRange range;
};

} // namespace kumiko::cpu
