//===- ShareBorders.cpp - a tensor with and without its border is one ------===//
//
// What a convolution reads with a border around it, others may read without:
//
//   conv(pad(x), w), f(x)    =    conv(p, w), f(slice(p)), p = pad(x)
//
// Whoever makes x then writes it with its border, once, and the others read the inside.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Class.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "kumiko/Support/Decision.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_SHAREBORDERSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "share_border";

/// The amounts of a pad that puts a constant around all of its operand.
static std::optional<SmallVector<Extent, 4>> borderBefore(nn::PadOp pad) {
  std::optional<SmallVector<Extent, 4>> lo = nn::extentsOf(pad->getAttr("lo")), hi = nn::extentsOf(pad->getAttr("hi"));
  if (!lo || !hi || pad.getMode() != "constant")
    return std::nullopt;
  for (ArrayRef<Extent> amounts : {ArrayRef(*lo), ArrayRef(*hi)})
    if (llvm::any_of(amounts, [](const Extent &amount) { return !amount.knownNonNegative(); }))
      return std::nullopt;
  return lo;
}

/// Whether a kernel that makes the value can write it with a border.
static bool canEndInBorder(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<nn::EquationInterface>(op) && !isa<nn::PadOp>(op) && op->getResult(0) == value;
}

/// Whether each statement of the op computes one element from one.
static bool isElementwise(Operation *op) {
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/true);
  if (!instance)
    return llvm::consumeError(instance.takeError()), false;
  return llvm::all_of(instance->statements, [](const eq::Statement &statement) {
    return eq::classify(statement) == eq::StatementClass::Injective;
  });
}

/// Ops looked at in the search for the sum that a value rides on.
constexpr unsigned farthest = 16;

/// Whether the value is made by a sum and what is computed on the way out of it: then nothing else is computed with it.
static bool endsSum(Value value) {
  for (unsigned looked = 0; looked < farthest; ++looked) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<nn::EquationInterface>(op))
      return false;
    if (!isElementwise(op))
      return true;
    Value next;
    for (Value operand : op->getOperands())
      if (operand.hasOneUse() && isa_and_nonnull<nn::EquationInterface>(operand.getDefiningOp()))
        next = operand;
    if (!next)
      return false;
    value = next;
  }
  return false;
}

/// Whether all other readers can read the inside of a larger tensor.
static Decision canReadInside(Value value, nn::PadOp pad) {
  bool alone = endsSum(value);
  for (Operation *reader : value.getUsers()) {
    if (reader == pad)
      continue;
    if (isa<nn::PadOp>(reader))
      return Decision::forbid("it is read with different borders");
    if (!isa<nn::EquationInterface>(reader))
      return Decision::forbid("what else reads it wants memory of its own");
    if (!alone && isElementwise(reader))
      return Decision::forbid("what else reads it is computed together with it");
  }
  return Decision::allow();
}

namespace {

struct ShareBorders final : kumiko::impl::ShareBordersPassBase<ShareBorders> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(block))
        if (auto pad = dyn_cast<nn::PadOp>(op))
          share(pad);
  }

private:
  void share(nn::PadOp pad) {
    Value x = pad->getOperand(0);
    std::optional<SmallVector<Extent, 4>> start = borderBefore(pad);
    if (!start || x.hasOneUse() || !canEndInBorder(x))
      return;
    if (Decision decision = canReadInside(x, pad); !decision)
      return declined(pad, rule, decision.why());
    // The pad moves up to where x is made, so that it stands before all readers.
    for (Value operand : pad->getOperands().drop_front())
      if (Operation *made = operand.getDefiningOp(); made && !made->isBeforeInBlock(x.getDefiningOp()))
        return;
    pad->moveAfter(x.getDefiningOp());
    OpBuilder b(pad->getContext());
    b.setInsertionPointAfter(pad);
    GraphBuilder g(b, x.getLoc());
    SmallVector<Extent, 4> shape = nn::extentsOf(cast<RankedTensorType>(x.getType()));
    SmallVector<Extent> step(shape.size(), 1);
    Value inside = g.make("slice", {pad->getResult(0)},
                          {b.getNamedAttr("start", nn::numbersAttr(b.getContext(), *start)),
                           b.getNamedAttr("step", nn::numbersAttr(b.getContext(), step)),
                           b.getNamedAttr("out", nn::numbersAttr(b.getContext(), shape))});
    if (!inside)
      return declined(pad, rule, g.why);
    applied(pad, rule);
    x.replaceUsesWithIf(inside, [&](OpOperand &use) { return use.getOwner() != pad; });
    ++shared;
  }
};

} // namespace
