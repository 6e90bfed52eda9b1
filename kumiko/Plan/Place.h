//===- Place.h - where the values of a network lie while they are planned --===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "mlir/IR/Value.h"
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

} // namespace kumiko
