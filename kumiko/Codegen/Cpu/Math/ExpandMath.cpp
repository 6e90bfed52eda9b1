#include "kumiko/Codegen/Cpu/Math/Passes.h"
#include "kumiko/Codegen/Cpu/Math/VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace kumiko {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "kumiko/Codegen/Cpu/Math/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static bool isExpandable(Type type) {
  Type element = getElementTypeOrSelf(type);
  return !isa<TensorType>(type) && (element.isF32() || element.isF16() || element.isBF16());
}

static void expand(Operation *op, MathFunction function) {
  OpBuilder builder(op);
  Type type = op->getResult(0).getType();
  SmallVector<Value, 2> arguments(op->getOperands());
  bool isSmall = !getElementTypeOrSelf(type).isF32();
  if (isSmall)
    for (Value &argument : arguments)
      argument = arith::ExtFOp::create(builder, op->getLoc(), withElement(type, builder.getF32Type()), argument);
  Value result = emitVectorMath(builder, op->getLoc(), function, arguments);
  if (isSmall)
    result = arith::TruncFOp::create(builder, op->getLoc(), type, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {
struct ExpandMath final : kumiko::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    // Post-order, and nothing new is a math function: no op is met twice.
    getOperation()->walk([](Operation *op) {
      if (op->getNumResults() != 1 || !isExpandable(op->getResult(0).getType()))
        return;
      if (isa<arith::RemFOp>(op))
        expand(op, MathFunction::Rem);
      else if (std::optional<MathFunction> function = mathFunctionOf(op))
        expand(op, *function);
    });
  }
};
} // namespace
