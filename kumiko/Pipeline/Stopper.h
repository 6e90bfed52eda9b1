//===- Stopper.h - work in a context that the caller stops ------------------===//
#pragma once
#include "kumiko/Support/Watch.h"
#include "mlir/IR/MLIRContext.h"

namespace kumiko {

/// While it lives, passes and steps of the importer and the evaluator (Nn/StepAction.h) are left out in this context
/// once the work is stopped: what they would have made is not asked for any more.
class Stopper {
public:
  Stopper(mlir::MLIRContext &context, Steps &steps);
  ~Stopper();

private:
  mlir::MLIRContext &context;
};

/// Says once that the caller stopped the work, when that is so. True then.
bool sayStopped(Steps &steps, ProblemList &problems);

} // namespace kumiko
