//===- PieceParts.h - what the points of a piece are cut into --------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"

namespace kumiko::cpu {

/// A piece and the buffer it goes to.
struct Target {
  const Piece *piece;
  mlir::Value memref;
  /// The borders of its output.
  std::vector<Border> *borders;
};

/// Of an element.
inline int64_t bytesOf(const Target &target) {
  return mlir::cast<mlir::MemRefType>(target.memref.getType()).getElementTypeBitWidth() / 8;
}

/// One dimension of a tensor of which data choose an element.
struct Chosen {
  mlir::Value tensor;
  Extent count; ///< of places
  Extent apart; ///< how far the tensor goes on from one number of a loop to the next, apart from what is chosen
  bool isLast;  ///< of the dimensions
  bool isWhole; ///< the tensor is a buffer, with no other elements between its own
  mlir::Type stored;
};

/// A stretch of a row.
struct Part {
  int64_t start, end;
};

/// A few elements before and after each row of a target.
struct RowEnds {
  const Target *target;
  mlir::Value value;
  int64_t before, after;
};

/// The place that `op` reads at is one of two sums, by whether the number of a loop is below a bound from data.
struct Turn {
  mlir::linalg::GenericOp op;
  /// The numbers of its loops, over those of the points.
  Position dims;
  mlir::Value condition, bound;
  unsigned loop;
  /// The loop inside of it that says which bound it is, where there is one.
  std::optional<MergedLoop> between = std::nullopt;
  /// They are exchanged for so many turns of the outer one; 0: they are not.
  int64_t together = 0;
  /// All sequences side by side, in vectors.
  bool isWoven = false;
};

/// Lanes that are read at a time, and instructions between them that do nothing (FarReads.h).
struct Pace {
  int64_t lanes;
  unsigned pause;
};

/// Loops that count groups of so many; of the last group there are fewer, where `left` is not 0.
struct Group {
  MergedLoop groups;
  int64_t size, left;
};

} // namespace kumiko::cpu
