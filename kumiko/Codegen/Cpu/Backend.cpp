//===- Backend.cpp - CPUs, by templates -------------------------------------===//
#include "kumiko/Codegen/Common/Backend.h"
#include "kumiko/Codegen/Cpu/Passes.h"
#include "kumiko/Kernel/Passes.h"
#include "kumiko/Schedule/Passes.h"

using namespace kumiko;

namespace {
class CpuBackend final : public Backend {
public:
  llvm::StringRef name() const override { return "cpu"; }
  void registerPasses() const override { registerKumikoCpuPasses(); }

  Decision takes(const Target &target) const override {
    if (target.triple.isX86() || target.triple.isAArch64())
      return Decision::allow();
    return Decision::forbid("templates are for x86-64 and aarch64");
  }

  void addSchedulePasses(mlir::OpPassManager &passes, const CodegenOptions &options) const override {
    // A schedule is for a kernel of one kind, so kernels are cut before they get one.
    passes.addPass(createSplitKernelsPass());
    ScheduleKernelsPassOptions schedule;
    schedule.vectorFunctions = options.allow >= Allow::Approximate;
    schedule.schedules = options.schedules.text;
    schedule.schedulesName = options.schedules.name;
    passes.addPass(createScheduleKernelsPass(schedule));
  }

  void addCodegenPasses(mlir::OpPassManager &unit, const CodegenOptions &options) const override {
    unit.addPass(createEmitKernelsPass());
    addLowerKernelsToLlvm(unit.nest<mlir::ModuleOp>(), options.allow >= Allow::Approximate);
  }

  llvm::Expected<Object> compile(mlir::ModuleOp kernel, const Target &target,
                                 const CodegenOptions &options) const override {
    return compileKernel(kernel, target, options.watched);
  }
};
} // namespace

namespace kumiko {
const Backend &backendOfCpu() {
  static const CpuBackend backend;
  return backend;
}
} // namespace kumiko
