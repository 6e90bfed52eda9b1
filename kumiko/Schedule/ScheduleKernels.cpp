//===- ScheduleKernels.cpp - give every kernel its schedule ----------------===//
#include "kumiko/Nn/Nn.h"
#include "kumiko/Schedule/InPlace.h"
#include "kumiko/Schedule/Passes.h"
#include "kumiko/Schedule/Schedule.h"
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
      schedule.inPlace = inPlacePairs(shape, body, results, extents);
      kernel->setAttr("schedule", schedule.toAttribute(&getContext()));
    }
  }
};
} // namespace
