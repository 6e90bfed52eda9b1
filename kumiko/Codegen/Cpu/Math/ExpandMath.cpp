#include "kumiko/Codegen/Cpu/Math/Passes.h"
#include "kumiko/Codegen/Cpu/Math/VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kumiko {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "kumiko/Codegen/Cpu/Math/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static std::optional<MathFunction> functionOf(Operation *op) {
  using F = MathFunction;
  return llvm::TypeSwitch<Operation *, std::optional<F>>(op)
      .Case([](math::ExpOp) { return F::Exp; })
      .Case([](math::Exp2Op) { return F::Exp2; })
      .Case([](math::ExpM1Op) { return F::ExpM1; })
      .Case([](math::LogOp) { return F::Log; })
      .Case([](math::Log2Op) { return F::Log2; })
      .Case([](math::Log10Op) { return F::Log10; })
      .Case([](math::Log1pOp) { return F::Log1p; })
      .Case([](math::SinOp) { return F::Sin; })
      .Case([](math::CosOp) { return F::Cos; })
      .Case([](math::TanOp) { return F::Tan; })
      .Case([](math::AsinOp) { return F::Asin; })
      .Case([](math::AcosOp) { return F::Acos; })
      .Case([](math::AtanOp) { return F::Atan; })
      .Case([](math::Atan2Op) { return F::Atan2; })
      .Case([](math::SinhOp) { return F::Sinh; })
      .Case([](math::CoshOp) { return F::Cosh; })
      .Case([](math::TanhOp) { return F::Tanh; })
      .Case([](math::AsinhOp) { return F::Asinh; })
      .Case([](math::AcoshOp) { return F::Acosh; })
      .Case([](math::AtanhOp) { return F::Atanh; })
      .Case([](math::ErfOp) { return F::Erf; })
      .Case([](math::PowFOp) { return F::Pow; })
      .Default(std::nullopt);
}

static bool isExpandable(Type type) {
  Type element = getElementTypeOrSelf(type);
  return !isa<TensorType>(type) && (element.isF32() || element.isF16() || element.isBF16());
}

static Type inSingle(Type type) {
  Type single = Float32Type::get(type.getContext());
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(single)) : single;
}

static void expand(Operation *op, MathFunction function) {
  OpBuilder builder(op);
  Type type = op->getResult(0).getType();
  SmallVector<Value, 2> arguments(op->getOperands());
  bool isSmall = !getElementTypeOrSelf(type).isF32();
  if (isSmall)
    for (Value &argument : arguments)
      argument = arith::ExtFOp::create(builder, op->getLoc(), inSingle(type), argument);
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
      if (std::optional<MathFunction> function = functionOf(op))
        expand(op, *function);
    });
  }
};
} // namespace
