//===- Expect.h - checks of a node's inputs -------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/NodeContext.h"

namespace kumiko::onnx {

/// Fails unless input `number`, when it is there, has this shape.
bool expectShape(NodeContext &n, size_t number, llvm::StringRef name, const SizeList &shape);

/// Fails unless these inputs are there: for ops whose required inputs stand behind optional ones.
bool expectInputs(NodeContext &n, llvm::ArrayRef<size_t> numbers);

/// Repeats `x` until it has this shape; fails when it does not broadcast to it. Null stays null.
mlir::Value broadcastTo(NodeContext &n, mlir::Value x, const SizeList &shape);

} // namespace kumiko::onnx
