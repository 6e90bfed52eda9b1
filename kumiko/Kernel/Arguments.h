//===- Arguments.h - arguments of a kernel, seen through reshapes ----------===//
#pragma once
#include "mlir/IR/Value.h"

namespace kumiko {

/// An argument as its only reader sees it, through reshapes.
mlir::Value asRead(mlir::BlockArgument argument);

/// The block argument that `tensor` is, seen through reshapes only; null otherwise.
mlir::BlockArgument argumentBehind(mlir::Value tensor);

} // namespace kumiko
