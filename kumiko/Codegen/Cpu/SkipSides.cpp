//===- SkipSides.cpp - sides of choices that no lane needs -----------------===//
#include "kumiko/Codegen/Common/Math/VectorMath.h"
#include "kumiko/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

namespace kumiko {
#define GEN_PASS_DEF_SKIPSIDESPASS
#include "kumiko/Codegen/Cpu/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// Products of integers from which on a side is worth a branch.
constexpr int64_t fewestProducts = 8;

/// Functions of f32 that are computed in f64 inside.
static bool isCostlyInSingle(MathFunction function) {
  using F = MathFunction;
  return llvm::is_contained(
      {F::Sin, F::Cos, F::Tan, F::Asin, F::Acos, F::Sinh, F::Cosh, F::Asinh, F::Acosh, F::Atanh, F::Pow, F::Rem},
      function);
}

/// What operand number `side` of the choice is computed from and nothing else needs, the last op first. Only what has
/// operands in registers, all of one block.
static llvm::SetVector<Operation *> onlyFor(arith::SelectOp choice, unsigned side) {
  llvm::SetVector<Operation *> only;
  Operation *last = choice->getOperand(side).getDefiningOp();
  if (!last || last->getBlock() != choice->getBlock())
    return only;
  auto isOnly = [&](OpOperand &use) {
    return only.contains(use.getOwner()) || (use.getOwner() == choice && use.getOperandNumber() == side);
  };
  for (Operation *op = choice->getPrevNode(); op; op = op->getPrevNode())
    if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) && !op->hasTrait<OpTrait::ConstantLike>() &&
        !op->use_empty() && llvm::all_of(op->getUses(), isOnly))
      only.insert(op);
  return only;
}

/// Whether some lane takes this operand of the choice.
static Value takenByAny(OpBuilder &b, arith::SelectOp choice, unsigned side) {
  Location loc = choice.getLoc();
  Value taken = choice.getCondition();
  if (side == 2) {
    auto all = cast<TypedAttr>(b.getOneAttr(taken.getType()));
    taken = arith::XOrIOp::create(b, loc, taken, arith::ConstantOp::create(b, loc, all));
  }
  if (isa<VectorType>(taken.getType()))
    taken = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, taken);
  return taken;
}

/// Moves what only operand number `side` needs into a branch; where no lane takes the operand, it is anything.
static void skipSide(arith::SelectOp choice, unsigned side, ArrayRef<Operation *> lastFirst) {
  OpBuilder b(choice);
  Location loc = choice.getLoc();
  Value computed = choice->getOperand(side);
  Value none = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(computed.getType())));
  auto branch = scf::IfOp::create(b, loc, computed.getType(), takenByAny(b, choice, side), /*withElseRegion=*/true);
  choice->setOperand(side, branch.getResult(0));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, none);
  b.setInsertionPointToStart(branch.thenBlock());
  auto yield = scf::YieldOp::create(b, loc, computed);
  for (Operation *op : llvm::reverse(lastFirst))
    op->moveBefore(yield);
}

namespace {
struct SkipSides final : kumiko::impl::SkipSidesPassBase<SkipSides> {
  using SkipSidesPassBase::SkipSidesPassBase;

  void runOnOperation() override {
    SmallVector<arith::SelectOp> choices;
    getOperation()->walk([&](arith::SelectOp op) { choices.push_back(op); });
    // The last one first: a choice inside of a side is looked at after it has moved there.
    for (arith::SelectOp choice : llvm::reverse(choices))
      skipSides(choice);
  }

private:
  bool isCostly(Operation *op) const {
    std::optional<MathFunction> function = isa<arith::RemFOp>(op) ? MathFunction::Rem : mathFunctionOf(op);
    if (!function)
      return false;
    return calls || getElementTypeOrSelf(op->getResult(0).getType()).isF64() || isCostlyInSingle(*function);
  }

  void skipSides(arith::SelectOp choice) const {
    auto condition = dyn_cast<VectorType>(choice.getCondition().getType());
    // One condition for all lanes, or one for each.
    if (isa<TensorType>(choice.getType()) || (condition && condition.getRank() != 1))
      return;
    for (unsigned side : {1u, 2u}) {
      llvm::SetVector<Operation *> only = onlyFor(choice, side);
      // A power of integers is a chain of products; those of places are not.
      bool isChain = llvm::count_if(only, [](Operation *op) {
                       return isa<arith::MulIOp>(op) && !getElementTypeOrSelf(op->getResult(0).getType()).isIndex();
                     }) >= fewestProducts;
      if (isChain || llvm::any_of(only, [&](Operation *op) { return isCostly(op); }))
        skipSide(choice, side, only.getArrayRef());
    }
  }
};
} // namespace
