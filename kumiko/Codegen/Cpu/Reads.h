//===- Reads.h - what a demand would read, without emitting anything -------===//
//
// The templates ask before they emit: which linear forms over the loops will reach memory? Two neighbouring loops that
// every form treats as one can then be merged (Form.h).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Form.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace kumiko::cpu {

/// Slots 0 .. loops-1 stand for the loops of the caller.
struct Reads {
  Reads(unsigned loops, Storage &storage)
      : opaque(loops), tied(loops), choosing(loops), storage(storage), nextSlot(loops) {}

  llvm::SmallVector<Form> forms;
  /// Loops that are used other than linearly: in a bounds test, a division, as a value.
  llvm::SmallBitVector opaque;
  /// Those of them whose numbers are more than indices of buffers as they are.
  llvm::SmallBitVector tied;
  /// Loops on which it depends where data say that something is read.
  llvm::SmallBitVector choosing;
  /// Bodies that read at indices they compute, with the values of their loops.
  std::vector<std::pair<mlir::linalg::GenericOp, Position>> bodies;
  /// Tensors that the template computes itself; the walk ends there.
  llvm::DenseSet<mlir::Value> known;

  void collect(mlir::Value tensor, llvm::ArrayRef<Form> position);
  void collectBody(mlir::linalg::GenericOp op, llvm::ArrayRef<Form> dims);

  /// Whether loop `inner` can run over both loops while `outer` stays 0.
  bool canMerge(unsigned outer, unsigned inner, const Extent &innerExtent) const;

private:
  Storage &storage;
  /// How buffers that are read at computed indices treat the loops whose numbers are such indices.
  llvm::SmallVector<Form> chosenForms;
  void mark(llvm::SmallBitVector &loops, llvm::ArrayRef<Form> forms);
  void markChoosing(mlir::linalg::GenericOp op, llvm::ArrayRef<Form> dims);
  void markNumbers(mlir::linalg::GenericOp op, llvm::ArrayRef<Form> dims);
  unsigned nextSlot;
};

/// One loop left after merging: loop number `loop` runs over `extent` points; the loops it absorbed stay 0.
struct MergedLoop {
  unsigned loop = 0;
  Extent extent;
};

/// The position in `tensor`, which follows from the result of `op` by elementwise bodies and reshapes, of the element
/// that comes from `position` of it; nothing where it does not. With `isPart`, parts of the result are numbered alike.
std::optional<Position> positionAfter(mlir::Value tensor, mlir::linalg::GenericOp op, const Position &position,
                                      Storage &storage, bool isPart);

/// The place that `op` reads an element at, where that is read from memory as it is, but for a look at whether it
/// exists; an index in the body of `op`, or null.
mlir::Value placeRead(mlir::linalg::GenericOp op);

/// Everything inside of `body` that `wanted` follow from, with these where they are inside; but not what leads to
/// `known`.
llvm::SetVector<mlir::Value> neededInside(mlir::Block *body, mlir::ValueRange wanted, mlir::Value known = {});

/// Merges neighbours among `loops` (outer first) where `reads` allow it; loops of one point disappear.
llvm::SmallVector<MergedLoop> mergeLoops(const Reads &reads, llvm::ArrayRef<unsigned> loops,
                                         llvm::ArrayRef<Extent> extents);

} // namespace kumiko::cpu
