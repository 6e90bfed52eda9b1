//===- LowerToLlvm.cpp - from loops and vectors to the LLVM dialect --------===//
#include "kumiko/Codegen/Cpu/Math/Passes.h"
#include "kumiko/Codegen/Cpu/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void kumiko::addLowerKernelsToLlvm(OpPassManager &pm, const LowerKernelsOptions &options) {
  SkipSidesPassOptions skip;
  skip.calls = !options.approximate;
  pm.addPass(createSkipSidesPass(skip));
  // Before CSE and hoisting, so that the expansions' constants leave the loops too.
  if (options.approximate) {
    ExpandMathPassOptions expand;
    expand.fma = options.hasFma;
    pm.addPass(createExpandMathPass(expand));
  }
  pm.addPass(createCallMathPass());
  pm.addPass(createExpandDivisionPass());
  // After the functions, which compute small floats in f32, and for what is left of them.
  ExpandHalfPassOptions half;
  half.f16 = !options.hasHalf;
  pm.addPass(createExpandHalfPass(half));
  SplitAccessesPassOptions registers;
  registers.bits = options.vectorBits;
  pm.addPass(createSplitAccessesPass(registers));
  if (!options.hasFma)
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
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createKeepRowsPass());
}
