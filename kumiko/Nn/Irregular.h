//===- Irregular.h - what the records of Irregular.td share -----------------===//
#pragma once
#include "mlir/IR/Operation.h"

namespace kumiko::nn::detail {

/// The result types must be those that follow from operands and attributes; a result may know an extent that is `?`
/// there.
mlir::LogicalResult verifyIrregularOp(mlir::Operation *op);

} // namespace kumiko::nn::detail
