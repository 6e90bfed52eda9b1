#include "kumiko/Pipeline/Stopper.h"
#include "kumiko/Nn/StepAction.h"
#include "mlir/Pass/PassManager.h"

using namespace kumiko;

Stopper::Stopper(mlir::MLIRContext &context, Steps &steps) : context(context) {
  if (steps.canStop())
    context.registerActionHandler([&steps](llvm::function_ref<void()> act, const mlir::tracing::Action &action) {
      if (!llvm::isa<mlir::PassExecutionAction, nn::StepAction>(action) || !steps.stopped())
        act();
    });
}

Stopper::~Stopper() { context.registerActionHandler(nullptr); }

bool kumiko::sayStopped(Steps &steps, ProblemList &problems) {
  if (!steps.stopped())
    return false;
  if (llvm::none_of(problems.all(), [](const Problem &problem) { return problem.code == cancelledCode; }))
    problems.add(cancelledProblem());
  return true;
}
