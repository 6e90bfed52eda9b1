#include "kumiko/Codegen/Common/Math/Passes.h"
#include "kumiko/Codegen/Common/Math/VectorMath.h"
#include "kumiko/Target/TargetAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace kumiko {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "kumiko/Codegen/Common/Math/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static bool isSmall(Type element) { return element.isF16() || element.isBF16(); }

static std::optional<MathFunction> functionOf(Operation *op) {
  return isa<arith::RemFOp>(op) ? MathFunction::Rem : mathFunctionOf(op);
}

static void expand(Operation *op, MathFunction function) {
  OpBuilder builder(op);
  Type type = op->getResult(0).getType();
  SmallVector<Value, 2> arguments(op->getOperands());
  bool small = isSmall(getElementTypeOrSelf(type));
  if (small)
    for (Value &argument : arguments)
      argument = arith::ExtFOp::create(builder, op->getLoc(), withElement(type, builder.getF32Type()), argument);
  Value result = emitVectorMath(builder, op->getLoc(), function, arguments);
  if (small)
    result = arith::TruncFOp::create(builder, op->getLoc(), type, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {
struct ExpandMath final : kumiko::impl::ExpandMathPassBase<ExpandMath> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    bool fma = targetOf(getOperation()).has(Fact::Fma);
    // Post-order, and what is new stands in front of what it replaces: no op is met twice.
    getOperation()->walk([&](Operation *op) {
      if (op->getNumResults() != 1 || isa<TensorType>(op->getResult(0).getType()))
        return;
      Type element = getElementTypeOrSelf(op->getResult(0).getType());
      if (isSmall(element))
        element = Float32Type::get(&getContext());
      if (std::optional<MathFunction> function = functionOf(op); function && hasVectorMath(*function, element, fma))
        expand(op, *function);
    });
  }
};
} // namespace
