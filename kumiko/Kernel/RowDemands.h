//===- RowDemands.h - does everything that a row needs lie in that row? -----===//
//
// The rows template knows a reduction's result for the row at hand only. A transposition behind a reduction could ask
// for another row, even where all extents are equal, so demands are followed symbolically.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/KernelShape.h"

namespace kumiko {

/// Whether all that reductions and results ask for is known while a row is worked on. Of a tensor that is `stored`, the
/// row at hand is there.
bool demandsStayInRow(llvm::ArrayRef<mlir::linalg::GenericOp> reductions, mlir::ValueRange results,
                      const RowsShape &rows, KernelExtents &extents, mlir::Value stored = mlir::Value());

/// Whether `tensor`, or anything that it is made of, is a reduction's result.
bool readsReduction(mlir::Value tensor);

} // namespace kumiko
