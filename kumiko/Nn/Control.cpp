//===- Control.cpp - choices and loops that data decide --------------------===//
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko::nn;

static LogicalResult checkCondition(Operation *op, Value condition) {
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  if (type && type.hasStaticShape() && type.getNumElements() == 1)
    return success();
  return op->emitOpError() << "its condition is " << condition.getType() << ", expected one element";
}

/// The types on both sides; `what` says which they are.
static LogicalResult compareTypes(Operation *op, StringRef what, TypeRange found, TypeRange expected) {
  if (found.size() != expected.size())
    return op->emitOpError() << "number of " << what << "s: " << found.size() << " vs " << expected.size();
  for (auto [number, pair] : llvm::enumerate(llvm::zip(found, expected)))
    if (std::get<0>(pair) != std::get<1>(pair))
      return op->emitOpError() << what << " " << number << ": " << std::get<0>(pair) << " vs " << std::get<1>(pair);
  return success();
}

static FailureOr<YieldOp> yieldOf(Operation *op, Region &region) {
  if (auto yield = dyn_cast<YieldOp>(region.front().getTerminator()))
    return yield;
  return op->emitOpError() << "a body does not end in nn.yield";
}

LogicalResult IfOp::verify() { return checkCondition(*this, getCondition()); } // if_c1

LogicalResult IfOp::verifyRegions() {
  for (Region *region : {&getYes(), &getNo()}) {
    FailureOr<YieldOp> yield = yieldOf(*this, *region);
    if (failed(yield) ||
        failed(compareTypes(*this, "argument", region->getArgumentTypes(), getShared().getTypes())) || // if_c2
        failed(compareTypes(*this, "yielded value", yield->getValues().getTypes(), getResultTypes()))) // if_c3
      return failure();
  }
  return success();
}

LogicalResult LoopOp::verify() {
  if (auto most = dyn_cast<IntegerAttr>(getMostAttr()); most && most.getInt() < 0) // loop_c1
    return emitOpError() << "most is " << most.getInt();
  return checkCondition(*this, getCondition()); // loop_c1
}

LogicalResult LoopOp::verifyRegions() {
  SmallVector<Type> arguments{RankedTensorType::get({}, IntegerType::get(getContext(), 64))};
  llvm::append_range(arguments, getStates().getTypes());
  llvm::append_range(arguments, getShared().getTypes());
  SmallVector<Type> yielded{getCondition().getType()};
  llvm::append_range(yielded, getStates().getTypes());
  FailureOr<YieldOp> yield = yieldOf(*this, getBody());
  if (failed(yield) || failed(compareTypes(*this, "argument", getBody().getArgumentTypes(), arguments)) || // loop_c2
      failed(compareTypes(*this, "yielded value", yield->getValues().getTypes(), yielded)) ||              // loop_c3
      failed(compareTypes(*this, "state result", getResultTypes(), getStates().getTypes())))
    return failure();
  return success();
}
