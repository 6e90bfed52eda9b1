#include "kumiko/Codegen/Common/Math/Passes.h"
#include "kumiko/Codegen/Common/Math/Term.h"
#include "kumiko/Target/TargetAttr.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace kumiko {
#define GEN_PASS_DEF_EXPANDFMAPASS
#include "kumiko/Codegen/Common/Math/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static Value expand(math::FmaOp op) {
  OpBuilder builder(op);
  TermEmitter emitter{builder, op.getLoc()};
  Term a(emitter, op.getA()), b(emitter, op.getB()), c(emitter, op.getC());
  if (!a.elementType().isF32())
    return (a * b + c).get();
  return narrow(widen(a) * widen(b) + widen(c)).get();
}

namespace {
struct ExpandFma final : kumiko::impl::ExpandFmaPassBase<ExpandFma> {
  void runOnOperation() override {
    if (targetOf(getOperation()).has(Fact::Fma))
      return;
    getOperation()->walk([](math::FmaOp op) {
      op->getResult(0).replaceAllUsesWith(expand(op));
      op->erase();
    });
  }
};
} // namespace
