//===- Model.h - what follows from a schedule's numbers --------------------===//
#pragma once
#include "kumiko/Schedule/Schedule.h"

namespace kumiko {

/// Chunks and scratch of a contraction, from its numbers.
void deriveContraction(Schedule &schedule, const ContractionShape &shape);
/// The same of two products around rows.
void deriveAttention(Schedule &schedule, const KernelShape &shape);

/// Elementwise rows, by their numbers in the body, that a reduction and something after it both need and that cost more
/// to compute again than to keep.
llvm::SmallVector<int64_t> rowsWorthKeeping(const RowsShape &rows, mlir::Block &body);

/// Whether the column operand can be packed: a constant that only the contraction reads, whole.
bool hasConstantColumns(const ContractionShape &shape, llvm::function_ref<bool(mlir::BlockArgument)> isConstant);

/// What each vector of the machine holds of the sums of this contraction.
int64_t lanesOf(const ContractionShape &shape, const Target &target);
/// Whether half a vector may be better: no shorter than what machines have anyway.
bool canHalveLanes(const ContractionShape &shape, const Target &target);

} // namespace kumiko
