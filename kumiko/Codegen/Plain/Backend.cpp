//===- Backend.cpp - any kernel as plain loops, for any machine --------------===//
#include "kumiko/Codegen/Common/Backend.h"
#include "kumiko/Codegen/Common/KernelFunction.h"
#include "kumiko/Codegen/Common/Math/Passes.h"
#include "kumiko/Codegen/Common/TargetMachine.h"
#include "kumiko/Codegen/Plain/Passes.h"
#include "kumiko/Codegen/Plain/Places.h"
#include "kumiko/Schedule/Schedule.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Target/TargetMachine.h"

namespace kumiko {
#define GEN_PASS_DEF_SCHEDULEPLAINPASS
#include "kumiko/Codegen/Plain/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

namespace {
struct SchedulePlain final : kumiko::impl::SchedulePlainPassBase<SchedulePlain> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<nn::KernelOp>()) {
      KernelExtents extents;
      Schedule schedule;
      auto routine = dyn_cast<nn::RoutineOp>(kernel.getBody().front().front());
      schedule.kind = routine ? KernelKind::Routine : KernelKind::Plain;
      schedule.scratchBytes =
          routine ? *nn::extentOf(routine.getScratchBytesAttr()) : plain::Places(kernel, extents).scratchBytes();
      kernel->setAttr("schedule", schedule.toAttribute(&getContext()));
    }
  }
};

class PlainBackend final : public Backend {
public:
  StringRef name() const override { return "plain"; }
  void registerPasses() const override { registerKumikoPlainPasses(); }

  /// Whatever LLVM has a code generator for.
  Decision takes(const Target &target) const override {
    auto machine = createTargetMachine(target);
    return machine ? Decision::allow() : Decision::forbid(toString(machine.takeError()));
  }

  void addSchedulePasses(OpPassManager &passes, const CodegenOptions &) const override {
    passes.addPass(createSchedulePlainPass());
  }

  void addCodegenPasses(OpPassManager &unit, const CodegenOptions &) const override {
    unit.addPass(createEmitPlainPass());
    OpPassManager &kernel = unit.nest<ModuleOp>();
    kernel.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
    kernel.addPass(memref::createExpandStridedMetadataPass());
    kernel.addPass(createLowerAffinePass());
    kernel.addPass(createCallMathPass());
    kernel.addPass(createExpandHalfPass());
    kernel.addPass(createCSEPass());
    kernel.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
    kernel.addPass(createSCFToControlFlowPass());
    kernel.addPass(arith::createArithExpandOpsPass());
    addKernelToLlvm(kernel);
  }

  llvm::Expected<Object> compile(ModuleOp kernel, const Target &target, const CodegenOptions &options) const override {
    return compileKernel(kernel, target, options.watched);
  }
};
} // namespace

namespace kumiko {
const Backend &backendOfPlain() {
  static const PlainBackend backend;
  return backend;
}
} // namespace kumiko
