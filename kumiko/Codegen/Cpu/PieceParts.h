//===- PieceParts.h - what the points of a piece are cut into --------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"

namespace kumiko::cpu {

/// A piece and the buffer that it is written to.
struct Written {
  const Piece *piece;
  mlir::Value memref;
  /// The borders of its output.
  std::vector<Border> *borders;
};

/// Of an element.
inline int64_t bytesOf(const Written &target) {
  return mlir::cast<mlir::MemRefType>(target.memref.getType()).getElementTypeBitWidth() / 8;
}

/// A stretch of a row.
struct Part {
  int64_t start, end;
};

/// A few elements before and after each row of a target.
struct RowEnds {
  const Written *target;
  mlir::Value value;
  int64_t before, after;
};

} // namespace kumiko::cpu
