//===- Grouping.h - which ops share a kernel -------------------------------===//
//
// Walking down the graph, an op joins the kernel of a producer when that costs nothing: nobody else reads the value,
// and each of its elements is computed once. A value that is also a result of the block is written by the way.
//
//   injective after injective      same number of elements
//   injective after contraction    reads the product where it stands (identity, or a permutation that keeps the last
//                                  dimension); a pad may come last, its border is filled apart
//   injective after reduction      identity
//   reduction after injective      the producer is computed on the way
//   a whole injective kernel       follows a producer that it alone reads, also in several places: x * f(x)
//                                  ... or in equal parts of the rows of a product: the gates of a recurrent cell
//   anything else                  a kernel of its own
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Fuse/OpShape.h"
#include "kumiko/Support/Decision.h"
#include "mlir/IR/Block.h"
#include <memory>

namespace kumiko {

/// Ops that become one kernel, in the order of the graph.
struct Group {
  OpClass kind = OpClass::Injective;
  llvm::SmallVector<mlir::Operation *> ops;
  /// A pad around the result ends the kernel.
  bool closed = false;
  /// An op of several results is inside, so other kernels may read what this one computes half-way.
  bool sideResults = false;
};

/// The kernels of a block, in the order of their last ops. A refused merge becomes a remark.
std::vector<std::unique_ptr<Group>> groupOps(mlir::Block &block);

} // namespace kumiko
