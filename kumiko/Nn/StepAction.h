//===- StepAction.h - a step of work that takes long ------------------------===//
#pragma once
#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

namespace kumiko::nn {

/// One node imported, one op evaluated. Whoever may stop work in a context has a handler of actions there, which then
/// leaves steps out (Pipeline/Stopper.h).
class StepAction final : public mlir::tracing::ActionImpl<StepAction> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StepAction)
  using Base = mlir::tracing::ActionImpl<StepAction>;
  static constexpr llvm::StringLiteral tag = "kumiko-step";

  explicit StepAction(llvm::ArrayRef<mlir::IRUnit> units) : Base(units) {}
  void print(llvm::raw_ostream &os) const override { os << tag; }
};

/// Whether work in the context goes on; to be asked before each step.
inline bool mayGoOn(mlir::MLIRContext &context) {
  bool isAllowed = false;
  context.executeAction<StepAction>([&] { isAllowed = true; }, {});
  return isAllowed;
}

} // namespace kumiko::nn
