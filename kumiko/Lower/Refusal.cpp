#include "kumiko/Lower/Refusal.h"
#include "kumiko/Lower/Lowering.h"
#include "kumiko/Lower/Passes.h"
#include "kumiko/Lower/Routines.h"
#include "kumiko/Lower/SignlessTypes.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseSet.h"

namespace kumiko {
#define GEN_PASS_DEF_REFUSEUNCOMPILEDPASS
#include "kumiko/Lower/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;

Refusals::Refusals(ModuleOp module) : context(module.getContext()) {
  context->loadDialect<arith::ArithDialect, linalg::LinalgDialect, math::MathDialect, tensor::TensorDialect>();
}

/// A constant of one element: what the lowering does may depend on it. Null for all others.
static ElementsAttr numberOf(Value value) {
  auto constant = value ? value.getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
  bool single = constant && cast<RankedTensorType>(constant.getType()).getNumElements() == 1;
  return single ? constant.getValue() : ElementsAttr();
}

Decision Refusals::tryToLower(Operation *op, uint64_t wanted) {
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/true);
  if (!instance)
    return Decision::forbid(llvm::toString(instance.takeError()));
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(op->getLoc());
  Block *block = scratch->getBody();
  SmallVector<Value, 4> operands;
  for (Value operand : nn::operandSlots(op)) {
    if (!operand) {
      operands.push_back({});
    } else if (ElementsAttr value = numberOf(operand)) {
      OpBuilder builder = OpBuilder::atBlockBegin(block);
      operands.push_back(arith::ConstantOp::create(builder, op->getLoc(), cast<TypedAttr>(signless(value))));
    } else {
      operands.push_back(block->addArgument(signless(operand.getType()), op->getLoc()));
    }
  }
  SmallVector<bool, 2> read;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    read.push_back(wanted >> i & 1);
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  auto results = lowerInstance(builder, op->getLoc(), *instance, operands, read, /*exact=*/false);
  return results ? Decision::allow() : Decision::forbid(llvm::toString(results.takeError()));
}

Decision Refusals::ask(Operation *op) {
  if (isa<nn::BitcastOp>(op) && getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() < 8)
    return Decision::forbid("the bits of a type below 8 bits, which takes a byte");
  if (isa<nn::ConstantOp, nn::ReshapeOp, nn::BitcastOp, nn::CallOp, nn::ScanOp, nn::IfOp, nn::LoopOp, nn::SymbolOp,
          nn::CheckOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return Decision::allow();
  if (isa<nn::IrregularInterface>(op))
    return hasRoutine(op);
  if (!isa<nn::EquationInterface>(op))
    return Decision::forbid("only equations are");
  uint64_t wanted = 0;
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    wanted |= uint64_t(!result.use_empty()) << (number % 64);
  SmallVector<Type> types(op->getOperandTypes());
  SmallVector<Attribute> numbers{StringAttr::get(context, op->getName().getStringRef())};
  for (Value operand : op->getOperands())
    numbers.push_back(numberOf(operand) ? Attribute(numberOf(operand)) : UnitAttr::get(context));
  Key key(ArrayAttr::get(context, numbers), op->getAttrDictionary(),
          FunctionType::get(context, types, op->getResultTypes()), wanted);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  return known.insert({key, tryToLower(op, wanted)}).first->second;
}

/// The same for a block, whose arguments vary.
static void findRefusals(Block &block, Refusals &refusals, bool foldable,
                         function_ref<void(Operation *, StringRef)> tell) {
  llvm::DenseSet<Value> varying(block.args_begin(), block.args_end());
  for (Operation &op : block) {
    // Loops and irregular ops are not folded, whatever they read; random bits read nothing.
    bool depends = op.getNumRegions() != 0 || isa<nn::IrregularInterface>(op) || nn::usesSymbols(&op) ||
                   llvm::any_of(op.getOperands(), [&](Value v) { return varying.contains(v); });
    if (foldable && !depends)
      continue;
    varying.insert_range(op.getResults());
    if (Decision decision = refusals.ask(&op); !decision)
      tell(&op, decision.why());
    for (Region &region : op.getRegions())
      findRefusals(region.front(), refusals, foldable, tell);
  }
}

void lower::findRefusals(ModuleOp module, bool foldable, function_ref<void(Operation *, StringRef)> tell) {
  Refusals refusals(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      ::findRefusals(function.getBody().front(), refusals, foldable, tell);
}

namespace {
struct RefuseUncompiled final : kumiko::impl::RefuseUncompiledPassBase<RefuseUncompiled> {
  void runOnOperation() override {
    findRefusals(getOperation(), /*foldable=*/false, [&](Operation *op, StringRef why) {
      op->emitError() << "'" << op->getName() << "' is not yet compiled: " << why;
      signalPassFailure();
    });
  }
};
} // namespace
