//===- Names.h - what a file and its equations call a generic --------------===//
//
// A schedule is read and written in the words of the network: the statement `conv1/s`, its loops `o0`, `f` and `k0`,
// the tensors `p` and `w` that it reads. These names stand in the location of the generic, as the metadata of a fused
// one, so that they are no part of the kernel: equal kernels of differently named nodes stay one.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kumiko {

struct StatementNames {
  std::string node;   ///< the first node it comes from; empty where the file gives no name
  std::string result; ///< the equation's tensor; empty where nobody has said
  /// One per loop of the generic, and one per input; empty where they are not known.
  llvm::SmallVector<llvm::StringRef> loops, reads;

  /// `node/result`, what a schedule calls the statement.
  std::string text() const;
};

mlir::Location withNames(mlir::Location location, llvm::StringRef result, llvm::ArrayRef<llvm::StringRef> loops,
                         llvm::ArrayRef<llvm::StringRef> reads);

/// The same location for a generic that has only the loops for which `isKept` holds.
mlir::Location keepLoops(mlir::Location location, llvm::function_ref<bool(unsigned)> isKept);

/// Loops and reads are left out where the generic has another number of them than its names.
StatementNames namesOf(mlir::linalg::GenericOp op);

/// The names of the nodes in a location, each once, in their order.
llvm::SmallVector<llvm::StringRef> nodesOf(mlir::Location location);

} // namespace kumiko
