//===- RowInputs.h - small kernels that rows may compute as they read ------===//
//
// A mask is smaller than the scores that it is added to, and cheap: a choice between two numbers, a comparison of two
// positions. Made in a kernel of its own it would be written and read; made where it is read it is computed for each
// head again, which is little beside the exponential of every element, and nothing is left of it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Fuse/Grouping.h"
#include "kumiko/Support/Decision.h"

namespace kumiko {

/// Whether what `inputs`, an elementwise kernel, makes is so cheap, and spread over `rows` in such a way, that whoever
/// works on these may compute it at each element.
Decision canComputeInRows(const Group &inputs, const RowShape &rows);

/// The same of ops one by one.
Decision canComputeInRows(llvm::ArrayRef<mlir::Operation *> ops, const RowShape &rows);

} // namespace kumiko
