//===- Waiting.h - kernels that would wait for each other ------------------===//
#pragma once
#include "kumiko/Fuse/Grouping.h"

namespace kumiko {

/// Which kernel an op has been given to.
using Homes = llvm::DenseMap<mlir::Operation *, Group *>;

/// Whether `values`, or anything they are made of, come from `target` through ops that are in neither `target` nor
/// `partner`. Then a kernel that holds the readers of `values`, `target` and `partner` would wait for itself. Looks at
/// a bounded number of ops between the two, so that the whole stays linear; beyond that the answer is yes.
bool comeFrom(llvm::ArrayRef<mlir::Value> values, const Group &target, const Group *partner, const Homes &homes);

/// The same for all that `reader` reads.
bool comesFrom(const Group &reader, const Group &target, const Homes &homes);

} // namespace kumiko
