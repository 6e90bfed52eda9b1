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
  /// How many of the last outer loops say nothing about where a point goes.
  unsigned planes = 0;
  /// The value in the body that says whether a point counts, where it does so at its places and within the bounds
  /// without further ado; else null.
  mlir::Value atPlaces;
  /// What looks in the body whether a place from data exists, and says nothing else.
  llvm::SmallVector<mlir::tensor::ExtractOp, 2> checks;
  /// What changes nothing where the last op of the body combines what is there with one other value; else null.
  mlir::TypedAttr neutral;

  /// The outermost of the loops that data addresses.
  unsigned firstPlace() const;
  /// All places that data can address, and all elements there.
  Extent rows() const;
  Extent elements() const;
  /// Of one outer point.
  Extent points() const;
  /// What chooses between an element and the point that goes there; null where nothing does.
  mlir::Operation *choice() const;
  /// Whether the elements are bf16 of which points choose, and no more than these: then they are f32 in scratch
  /// meanwhile, as each point would convert them and what it chose.
  bool isSingleMeanwhile() const;
};

struct RunningShape {
  mlir::linalg::GenericOp op;
  unsigned reduced = 0; ///< the loop over points
  unsigned along = 0;   ///< the loop over the result that it is compared with
  bool exclusive = false, reverse = false;
  OrderedLoops loops;
  /// As in ScatterShape.
  mlir::TypedAttr neutral;

  /// Rows so short that each element takes up the sum that ends 1, 2, 4, ... before it, and not that of all before it:
  /// so vectors do, and no sum is rounded more often than there are steps.
  bool doubles() const;
  /// Whether rows of such elements are read and written in a page of their own each, and are more than the first cache
  /// holds; false where sizes are open.
  bool rowsLieFarApart(int64_t bytesOfElement) const;
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
