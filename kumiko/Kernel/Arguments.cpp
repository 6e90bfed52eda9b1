//===- Arguments.cpp - arguments of a kernel, seen through reshapes --------===//
#include "kumiko/Kernel/Arguments.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;

BlockArgument kumiko::argumentBehind(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      return BlockArgument();
    tensor = op->getOperand(0);
  }
  return cast<BlockArgument>(tensor);
}

Value kumiko::asRead(BlockArgument argument) {
  Value tensor = argument;
  while (tensor.hasOneUse() && isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(*tensor.user_begin()))
    tensor = tensor.user_begin()->getResult(0);
  return tensor;
}
