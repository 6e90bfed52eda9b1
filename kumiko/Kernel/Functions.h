//===- Functions.h - operations of many steps ------------------------------===//
#pragma once
#include "mlir/IR/Operation.h"

namespace kumiko {

/// Whether the operation, on floats, is one of many steps and no instruction of the machine.
bool isFunction(mlir::Operation &op);

} // namespace kumiko
