//===- DemandParts.h - what a demand is made of ------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Form.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

namespace kumiko::cpu {

/// Where an element comes from: a constant, or a place in a buffer, over the numbers of loops.
struct Origin {
  mlir::Value memref; ///< null for a constant
  Form place;
  mlir::TypedAttr constant;
};

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

/// Of a vector of indices that are 0 where a condition does not hold: what they are elsewhere.
struct GuardedForm {
  Form form;
  mlir::Value condition;
};

/// What is known while nothing is emitted: the slots of the loops, and what was loaded from where.
struct Tracing {
  unsigned firstSlot, loops;
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, Form>> loads;
};

/// What lanes are asked for while they are read: indices as they come from data, and whether these exist.
struct Wanted {
  llvm::SmallVector<mlir::Value> indices;
  mlir::Value right;
};

} // namespace kumiko::cpu
