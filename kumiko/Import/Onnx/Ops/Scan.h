//===- Scan.h - recurrences as nn.scan ----------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/NodeContext.h"

namespace kumiko::onnx {

using ValueList = llvm::SmallVector<mlir::Value, 6>;

/// Operands of nn.scan by what they are to it.
struct ScanOperands {
  ValueList states, sequences, shared;
  bool reverse = false;
};

/// Makes nn.scan. `body` gets one value per operand, in the order states, slices, shared; what it makes lands in the
/// scan, so it may use nothing else from outside. It returns the next states, then the slices to stack. Empty when
/// something failed.
Results makeScan(NodeContext &n, const ScanOperands &operands,
                 llvm::function_ref<ValueList(llvm::ArrayRef<mlir::Value> arguments)> body);

} // namespace kumiko::onnx
