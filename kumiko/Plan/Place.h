//===- Place.h - where the values of a network lie while they are planned --===//
#pragma once
#include "kumiko/Nn/Nn.h"
#include "kumiko/Plan/Program.h"
#include <optional>

namespace kumiko {

/// Where a value lies. Slots of the arena get their offsets when all lifetimes are known; until then the reference
/// counts from the slot's beginning.
struct Place {
  BufferRef buffer;
  std::optional<size_t> slot = std::nullopt;

  Place moved(const eq::Extent &bytes) const {
    Place place = *this;
    place.buffer.offset += bytes;
    return place;
  }
  Place stepping(LoopStep step) const {
    Place place = *this;
    place.buffer.steps.push_back(step);
    return place;
  }
};

using Places = llvm::DenseMap<mlir::Value, Place>;

/// The value whose bytes `value` has.
inline mlir::Value underViews(mlir::Value value) {
  while (mlir::isa_and_nonnull<nn::ReshapeOp, nn::BitcastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

} // namespace kumiko
