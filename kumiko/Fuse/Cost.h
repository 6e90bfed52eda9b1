//===- Cost.h - when a merge would cost more than it saves -----------------===//
//
// What fusion saves is memory traffic: a value that stays inside a kernel is neither written nor read. What it may cost
// is computing again (the rules of Grouping.h refuse that), registers and caches, and cores that have nothing to do.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Fuse/RowShape.h"

namespace kumiko {

/// Registers and code: a kernel walks along all the tensors that it reads at once, and is one function.
Decision fitsKernel(llvm::ArrayRef<mlir::Operation *> ops, llvm::ArrayRef<mlir::Operation *> more);

/// Cores: rows are what a kernel over rows is split by. Where there are few but long ones, what is made of them is
/// better computed by a kernel that splits along them.
Decision sharesRows(const RowShape &rows, mlir::Operation *op);

/// Whether rows are long enough for the products around them to share their kernel.
Decision fillsVectors(const RowShape &rows);

} // namespace kumiko
