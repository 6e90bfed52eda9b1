//===- Grouping.h - which ops share a kernel -------------------------------===//
//
// Walking down the graph, an op joins the kernel of a producer where that saves memory traffic; then the kernels of its
// other operands join too. README.md has the rules as a table; Cost.h says whether what they leave open pays.
//
//   injective after injective      same number of elements, or a value that it alone reads; a value that others read
//                                  too is written by the way
//   injective after contraction    reads the product where it stands (identity, or a permutation that keeps the last
//                                  dimension); a pad may come last, its border is filled apart
//   anything after a reduction     reductions over the same rows and bodies on these rows (RowShape.h)
//   injective before a reduction   computed on the way; a value that others read too is written by the way
//   injective after parts          of the rows of a product: the gates of a recurrent cell; values that others read
//                                  too are written by the way
//   a whole injective kernel       follows a contraction that it alone reads, also in several places: x * f(x)
//   a slice before anything        read where it lies, also by a contraction
//   injective before a concat      each part of the joined tensor is a loop of its own
//   anything else                  a kernel of its own
//
// A kernel may not wait for another one that waits for it (Waiting.h). Each "no" is a remark with its reason.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Fuse/OpShape.h"
#include "kumiko/Fuse/RowShape.h"
#include "kumiko/Target/Target.h"
#include "mlir/IR/Block.h"
#include <memory>
#include <vector>

namespace kumiko {

/// Ops that become one kernel, in the order of the graph once all are found.
struct Group {
  OpClass kind = OpClass::Injective;
  llvm::SmallVector<mlir::Operation *> ops;
  /// What is made of a product and read in equal parts of its rows, each at the same place: the gates of a recurrent
  /// cell. All results of the kernel then have the size of a part.
  mlir::Value whole;
  /// A pad around the result, or a concatenation, ends the kernel.
  bool closed = false;
  /// It is closed by a concatenation, around which a pad may still be.
  bool takesBorder = false;
  /// The rows that all reductions of the kernel run over, where it has such.
  std::optional<RowShape> rows;
  /// The first and last of `ops` in the block.
  mlir::Operation *first = nullptr, *last = nullptr;
};

/// The kernels of a block, in the order of their last ops. A refused merge becomes a remark.
std::vector<std::unique_ptr<Group>> groupOps(mlir::Block &block, const Target &target);

} // namespace kumiko
