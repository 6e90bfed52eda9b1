//===- ScheduleKernels.cpp - give every kernel its schedule ----------------===//
#include "kumiko/Kernel/Layouts.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Schedule/InPlace.h"
#include "kumiko/Schedule/Model.h"
#include "kumiko/Schedule/Passes.h"
#include "kumiko/Schedule/ScheduleRules.h"
#include "kumiko/Target/TargetAttr.h"

namespace kumiko {
#define GEN_PASS_DEF_SCHEDULEKERNELSPASS
#include "kumiko/Schedule/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

namespace {
struct ScheduleKernels final : kumiko::impl::ScheduleKernelsPassBase<ScheduleKernels> {
  using ScheduleKernelsPassBase::ScheduleKernelsPassBase;

  void runOnOperation() override {
    const Target &target = targetOf(getOperation());
    ScheduleFile file;
    if (!schedules.empty())
      file = parseSchedules(schedulesName, schedules);
    for (const ScheduleMistake &mistake : file.mistakes) {
      emitError(FileLineColLoc::get(&getContext(), file.name, mistake.place.line, mistake.place.column))
          << mistake.message;
      return signalPassFailure();
    }
    // What `on TARGET` is true of.
    StringRef names[] = {"cpu", target.name, target.spelled};
    ScheduleRules rules(file, getOperation(), names);
    bool isRefused = false;
    for (auto kernel : getOperation().getOps<nn::KernelOp>()) {
      if (kernel->hasAttr("schedule"))
        continue;
      Block &body = kernel.getBody().front();
      ValueRange results = body.getTerminator()->getOperands();
      KernelExtents extents;
      KernelShape shape = shapeOfKernel(body, results, extents);
      auto isConstant = [&](BlockArgument argument) {
        return kernel.getArgAttr(argument.getArgNumber(), "nn.constant") != Attribute();
      };
      Schedule schedule = chooseSchedule(shape, body, results, extents, isConstant, target, vectorFunctions);
      bool packable = shape.kind == KernelKind::Contraction && hasConstantColumns(shape.contraction, isConstant);
      isRefused |= failed(rules.apply(kernel, shape, packable, target, schedule));
      kernel->setAttr("schedule", schedule.toAttribute(&getContext()));
      Layouts layouts;
      layouts.mayOverwrite = inPlacePairs(shape, body, results, extents);
      layouts.setOn(kernel);
    }
    // What did not fit because of a mistake is not told again.
    if (isRefused || failed(rules.finish()))
      signalPassFailure();
  }
};
} // namespace
