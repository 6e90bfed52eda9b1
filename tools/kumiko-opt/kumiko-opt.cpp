//===- kumiko-opt.cpp - MLIR's opt with the nn dialect and our passes ------===//
//
// For tests and for looking at one pass alone: reads MLIR, runs the passes of the command line, prints MLIR.
// Which folders are in is decided in CMakeLists.txt beside this file.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Nn/Nn.h"
#include "kumiko/Target/TargetAttr.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#ifdef KUMIKO_HAS_PIPELINE
#include "kumiko/Optimize/Rules.h"
#include "kumiko/Pipeline/Passes.h"
#else
#ifdef KUMIKO_HAS_OPTIMIZE
#include "kumiko/Optimize/Passes.h"
#endif
#ifdef KUMIKO_HAS_FUSE
#include "kumiko/Fuse/Passes.h"
#endif
#ifdef KUMIKO_HAS_LOWER
#include "kumiko/Lower/Passes.h"
#endif
#ifdef KUMIKO_HAS_SCHEDULE
#include "kumiko/Kernel/Passes.h"
#include "kumiko/Numerics/Passes.h"
#include "kumiko/Schedule/Passes.h"
#endif
#ifdef KUMIKO_HAS_CPU
#include "kumiko/Codegen/Cpu/Passes.h"
#endif
#endif

static void registerKumikoPasses() {
#ifdef KUMIKO_HAS_PIPELINE
  kumiko::registerAllPasses();
#else
#ifdef KUMIKO_HAS_OPTIMIZE
  kumiko::registerKumikoOptimizePasses();
#endif
#ifdef KUMIKO_HAS_FUSE
  kumiko::registerKumikoFusePasses();
#endif
#ifdef KUMIKO_HAS_LOWER
  kumiko::registerKumikoLowerPasses();
#endif
#ifdef KUMIKO_HAS_SCHEDULE
  kumiko::registerKumikoKernelPasses();
  kumiko::registerKumikoNumericsPasses();
  kumiko::registerKumikoSchedulePasses();
#endif
#ifdef KUMIKO_HAS_CPU
  kumiko::registerKumikoCpuPasses();
#endif
#endif
}

int main(int argc, char **argv) {
  registerKumikoPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  mlir::registerPrintOpStatsPass();
  mlir::registerStripDebugInfoPass();

  mlir::DialectRegistry registry;
  registry.insert<kumiko::KumikoDialect, kumiko::nn::NnDialect, mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::bufferization::BufferizationDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect, mlir::tensor::TensorDialect, mlir::ub::UBDialect,
                  mlir::vector::VectorDialect>();
  llvm::LogicalResult result = mlir::MlirOptMain(argc, argv, "The nn dialect and the passes of Kumiko\n", registry);
#ifdef KUMIKO_HAS_PIPELINE
  kumiko::optimize::writeRuleCounts();
#endif
  return mlir::asMainReturnCode(result);
}
