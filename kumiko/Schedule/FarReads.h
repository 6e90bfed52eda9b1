//===- FarReads.h - reads in more pages than a processor knows -------------===//
//
// A processor remembers where some two thousand pages are. One that has to find out takes long, and finds out about
// few of them at a time. Reads that nearly all need it are fastest if not many more wait than that: one after the
// other, each with a look at its place, where loads that come as close as can be are slower by a third, and gathers by
// more than that. Reads of which most need nothing are fastest all at once.
//
// How many reads need it follows from how large the tensor is and how many there are, if data choose evenly. Where they
// may not, kernels look at some of the places first (Codegen/Cpu/PointsFar.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/KernelExtents.h"
#include "kumiko/Schedule/Schedule.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace kumiko {

/// The read of `body` whose places come from data, each element of the innermost loop having its own, and whose tensor
/// is the largest; null where there is none, or where reads are not what takes the time.
mlir::tensor::ExtractOp farRead(mlir::Block &body, KernelExtents &extents);

/// Says in the schedule of a kernel that reads at places from data how it is to do so, as far as pages are concerned.
void scheduleFarReads(Schedule &schedule, mlir::Block &body, KernelExtents &extents);

/// By measurement: where so many pages per read are looked for, loads are faster than gathers; and where so many are,
/// reads are faster one by one, with a pause behind each if it is known where they are.
constexpr double missedByGathers = 0.15, missedByLoads = 0.48;

/// By measurement: so many instructions that do nothing are a good pause; about forty reads are under way then.
constexpr unsigned pauseOfKnown = 12;

/// By measurement on Zen 5, where rows share a set of the first cache and crowd it: a good pause between two rows,
/// between vectors of a longer row, and between elements of columns that data choose.
constexpr unsigned pauseOfRows = 24, pauseOfVectors = 8, pauseOfColumns = 5;

/// Pages per read that have to be looked for by so many reads, each of them so many bytes behind the one before.
double pagesMissed(const Schedule &schedule, int64_t reads, int64_t bytesApart);

} // namespace kumiko
