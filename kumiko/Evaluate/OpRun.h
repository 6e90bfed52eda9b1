//===- OpRun.h - what the code of one kind of op is given ----------------------===//
#pragma once
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Nn.h"

namespace kumiko {

struct OpRun {
  llvm::function_ref<const SharedTensor &(mlir::Value)> operandAt;
  const GraphOptions &options;
  unsigned depth; ///< blocks within blocks
};

llvm::Expected<SharedTensors> evaluateOp(mlir::Operation *op, const OpRun &run);
llvm::Expected<SharedTensors> evaluateScan(nn::ScanOp scan, const OpRun &run);
llvm::Expected<SharedTensors> evaluateIf(nn::IfOp choice, const OpRun &run);
llvm::Expected<SharedTensors> evaluateLoop(nn::LoopOp loop, const OpRun &run);

} // namespace kumiko
