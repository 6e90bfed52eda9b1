//===- LowerToLlvm.cpp - from loops and vectors to the LLVM dialect --------===//
#include "kumiko/Codegen/Common/KernelFunction.h"
#include "kumiko/Codegen/Common/Math/Passes.h"
#include "kumiko/Codegen/Cpu/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void kumiko::addLowerKernelsToLlvm(OpPassManager &pm, bool approximate) {
  SkipSidesPassOptions skip;
  skip.calls = !approximate;
  pm.addPass(createSkipSidesPass(skip));
  // Before CSE and hoisting, so that the expansions' constants leave the loops too.
  if (approximate)
    pm.addPass(createExpandMathPass());
  pm.addPass(createCallMathPass());
  pm.addPass(createExpandDivisionPass());
  // After the functions, which compute small floats in f32, and for what is left of them.
  pm.addPass(createExpandHalfPass());
  pm.addPass(createSplitAccessesPass());
  pm.addPass(createExpandFmaPass());
  // Addresses are sums that begin with the outer loops: equal parts meet and leave the inner loops here, while loops
  // are still loops.
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerExtremaPass());
  pm.addPass(arith::createArithExpandOpsPass());
  pm.addPass(createConvertVectorToLLVMPass());
  addKernelToLlvm(pm);
  pm.addPass(createCSEPass());
  pm.addPass(createKeepRowsPass());
}
