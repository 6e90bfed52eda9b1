//===- InPlace.h - operands that a kernel may overwrite with a result ------===//
//
// A result may take the place of an operand that nobody reads any more, when the kernel reads an element of it for the
// last time before it writes the element of the result that lies there, in the same chunk:
//
//   contraction  operands of the epilogue: a tile reads and writes its own elements, each once; factors are read by
//                many tiles
//   rows         what reductions read of a row is read before the row is written, what follows reads where it writes
//   points       what is read where it is written; what a reduction reads lies anywhere. Where data say what is read,
//                vectors of a short row may overlap
//
// Other templates read or write elements more than once.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/KernelShape.h"

namespace kumiko {

/// Pairs (argument, result), flat: result number r may be written over argument a.
llvm::SmallVector<int64_t> inPlacePairs(const KernelShape &shape, mlir::Block &body, mlir::ValueRange results,
                                        KernelExtents &extents);

} // namespace kumiko
