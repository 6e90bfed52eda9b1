//===- Functions.cpp - operations of many steps ----------------------------===//
#include "kumiko/Kernel/Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

bool kumiko::isFunction(Operation &op) {
  bool instruction = isa<math::SqrtOp, math::AbsFOp, math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp,
                         math::CopySignOp, math::FmaOp, math::AbsIOp>(op);
  return isa<arith::RemFOp>(op) || (op.getDialect()->getNamespace() == "math" && !instruction);
}
