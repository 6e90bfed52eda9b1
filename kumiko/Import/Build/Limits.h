//===- Limits.h - what no value of a model may be ------------------------------------------===//
#pragma once
#include "kumiko/Support/ElementType.h"
#include "kumiko/Support/Problem.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace kumiko {

/// Why no value may have this shape: its rank or an extent is absurd, or it takes more than `limit` bytes. Empty when
/// it may. Extents that pass can be added and compared without care for overflow, also in tensors without elements.
std::string refusalOf(ElementType element, llvm::ArrayRef<int64_t> shape, uint64_t limit);

/// Whether the caller still wants an answer; else that is a problem. To be asked before each node.
bool mayGoOn(mlir::MLIRContext &context, ProblemList &problems);

} // namespace kumiko
