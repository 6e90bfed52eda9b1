//===- Place.h - where the values of a network lie while they are planned --===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace kumiko {

/// Where a value lies, in memory (a `Place` is one in a model file). Slots of the arena get their offsets when all
/// lifetimes are known; until then the reference counts from the slot's beginning.
struct ValuePlace {
  BufferRef buffer;
  std::optional<size_t> slot = std::nullopt;

  ValuePlace moved(const Extent &bytes) const {
    ValuePlace place = *this;
    place.buffer.offset += bytes;
    return place;
  }
  ValuePlace stepping(LoopStep step) const {
    ValuePlace place = *this;
    place.buffer.steps.push_back(step);
    return place;
  }
};

using Places = llvm::DenseMap<mlir::Value, ValuePlace>;

} // namespace kumiko
