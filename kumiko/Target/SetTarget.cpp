#include "kumiko/Support/EmitError.h"
#include "kumiko/Target/Passes.h"
#include "kumiko/Target/TargetAttr.h"

namespace kumiko {
#define GEN_PASS_DEF_SETTARGETPASS
#include "kumiko/Target/Passes.h.inc"
} // namespace kumiko

using namespace kumiko;

namespace {
struct SetTarget final : kumiko::impl::SetTargetPassBase<SetTarget> {
  using SetTargetPassBase::SetTargetPassBase;

  void runOnOperation() override {
    llvm::Expected<Target> named = targetNamed(target);
    if (named)
      return setTarget(getOperation(), *named);
    getOperation()->emitError() << llvm::toString(named.takeError());
    signalPassFailure();
  }
};
} // namespace
