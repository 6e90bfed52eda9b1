//===- OrderedShape.h - reductions that are best done in order -------------===//
//
// Two kinds of reduction say for every element of the result which of many points belong to it. Taken literally that
// is a test of each point against each element; taken in order it is one pass:
//
//   scatter   select(place == linalg.index(s), v, out)    go over the points, and change the element at their place
//   running   out + select(r <= j, v, 0)                  go along j with one sum; `<`, `>=`, `>` likewise
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/KernelExtents.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <optional>

namespace kumiko {

/// Which loops of an ordered reduction may be split among chunks and lanes.
struct OrderedLoops {
  llvm::SmallVector<unsigned> outer;
  /// Along the result's innermost dimension, where neighbours go through the same steps.
  std::optional<unsigned> lane;
  /// Of all loops. Of neighbours that every tensor treats as one the last runs over all of them, and the others are 0.
  Extents extents;

  Extent outerExtent() const;
  /// Whether the last outer loop runs along the result's innermost dimension, though not in lanes.
  bool outerEndsInside(mlir::linalg::GenericOp op) const;
};

struct ScatterShape {
  mlir::linalg::GenericOp op;
  /// Loops over the result that data addresses, each with the value in the body that says where.
  llvm::SmallVector<std::pair<unsigned, mlir::Value>, 2> places;
  OrderedLoops loops;
  /// Of outer loops, the numbers from the first to before the second: elsewhere no point changes anything.
  struct Bounds {
    unsigned loop;
    int64_t low, high;
  };
  llvm::SmallVector<Bounds, 2> bounds;
  /// The value in the body that says whether a point counts, where it does so at its places and within the bounds
  /// without further ado; else null.
  mlir::Value atPlaces;
  /// What looks in the body whether a place from data exists, and says nothing else.
  llvm::SmallVector<mlir::tensor::ExtractOp, 2> checks;
};

struct RunningShape {
  mlir::linalg::GenericOp op;
  unsigned reduced = 0; ///< the loop over points
  unsigned along = 0;   ///< the loop over the result that it is compared with
  bool exclusive = false, reverse = false;
  OrderedLoops loops;
};

/// The loops that a value in the body of `op` depends on; all of them where it reads the result.
llvm::SmallBitVector loopsBehind(mlir::linalg::GenericOp op, mlir::Value value);

/// `op` as one of them; nothing where it is not.
std::optional<ScatterShape> scatterShapeOf(mlir::linalg::GenericOp op, KernelExtents &extents);
std::optional<RunningShape> runningShapeOf(mlir::linalg::GenericOp op, KernelExtents &extents);

/// Whether each element of `tensor` follows from the element of `op`'s result at the same position, by elementwise
/// bodies.
bool followsInPlace(mlir::Value tensor, mlir::linalg::GenericOp op);

} // namespace kumiko
