#include "kumiko/Codegen/Common/Math/Passes.h"
#include "kumiko/Codegen/Common/Math/VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

namespace kumiko {
#define GEN_PASS_DEF_CALLMATHPASS
#include "kumiko/Codegen/Common/Math/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// `expf` for math.exp on f32, `pow` for math.powf on f64.
static std::string nameInLibm(Operation *op, Type element) {
  StringRef name = op->getName().stripDialect();
  return (name == "powf" ? "pow" : name).str() + (element.isF32() ? "f" : "");
}

static func::FuncOp declare(ModuleOp module, Operation *op, Type element) {
  std::string name = nameInLibm(op, element);
  if (auto there = module.lookupSymbol<func::FuncOp>(name))
    return there;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  SmallVector<Type, 2> arguments(op->getNumOperands(), element);
  auto function = func::FuncOp::create(builder, op->getLoc(), name, builder.getFunctionType(arguments, {element}));
  function.setPrivate();
  // LLVM knows these functions and would rewrite calls: powf(x, 0.5) to sqrtf(x), which rounds otherwise.
  function->setAttr("passthrough", builder.getStrArrayAttr({"nobuiltin"}));
  return function;
}

static void call(ModuleOp module, Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
  bool isSmall = !element.isF64() && !element.isF32();
  Type carried = isSmall ? b.getF32Type() : element;
  SmallVector<Value, 2> arguments(op->getOperands());
  if (isSmall)
    for (Value &argument : arguments)
      argument = arith::ExtFOp::create(b, loc, withElement(type, carried), argument);
  func::FuncOp function = declare(module, op, carried);
  Value result;
  if (auto vector = dyn_cast<VectorType>(type)) {
    result = arith::ConstantOp::create(b, loc, b.getZeroAttr(vector.clone(carried)));
    SmallVector<int64_t> place(vector.getRank());
    for (int64_t number = 0; number < vector.getNumElements(); ++number) {
      for (int64_t d = vector.getRank() - 1, rest = number; d >= 0; rest /= vector.getDimSize(d), --d)
        place[d] = rest % vector.getDimSize(d);
      SmallVector<Value, 2> scalars;
      for (Value argument : arguments)
        scalars.push_back(vector::ExtractOp::create(b, loc, argument, place));
      Value one = func::CallOp::create(b, loc, function, scalars).getResult(0);
      result = vector::InsertOp::create(b, loc, one, result, place);
    }
  } else {
    result = func::CallOp::create(b, loc, function, arguments).getResult(0);
  }
  if (isSmall)
    result = arith::TruncFOp::create(b, loc, type, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {
struct CallMath final : kumiko::impl::CallMathPassBase<CallMath> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (mathFunctionOf(op) && !isa<TensorType>(op->getResult(0).getType()))
        call(getOperation(), op);
    });
  }
};
} // namespace
