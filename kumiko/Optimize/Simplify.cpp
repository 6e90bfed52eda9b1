//===- Simplify.cpp - removes ops that do nothing --------------------------===//
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Copy.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Permute.h"
#include "kumiko/Optimize/Remark.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kumiko {
#define GEN_PASS_DEF_SIMPLIFYPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::Function;

constexpr llvm::StringLiteral rule = "Simplify";

/// The one value that all elements of a constant have, as a double; nothing when they differ.
static std::optional<double> splatOf(Value value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constantOf(value));
  if (!dense || !dense.isSplat())
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>().convertToDouble();
  APInt number = dense.getSplatValue<APInt>();
  if (number.getSignificantBits() > 53)
    return std::nullopt;
  return double(dense.getElementType().isUnsignedInteger() ? int64_t(number.getZExtValue()) : number.getSExtValue());
}

/// function(x, c) is x, in every bit. `left`: c is the first operand instead.
static bool isNeutral(Function function, double c, bool isFloat, bool left) {
  bool positiveZero = c == 0 && !std::signbit(c), negativeZero = c == 0 && std::signbit(c);
  switch (function) {
  case Function::Add:
    return isFloat ? negativeZero : c == 0; // 0.0 would turn -0.0 into itself
  case Function::Sub:
    return !left && positiveZero;
  case Function::Mul:
    return c == 1;
  case Function::Div:
  case Function::Pow:
    return !left && c == 1;
  default:
    return false;
  }
}

/// The operand, by slot, that the op's only statement combines with a neutral constant.
static std::optional<unsigned> neutralOperand(const eq::Instance &instance, ArrayRef<Value> slots) {
  if (instance.statements.size() != 1 || instance.statements[0].values[0]->kind != eq::Expr::Kind::Apply)
    return std::nullopt;
  const eq::Statement &statement = instance.statements[0];
  const eq::Expr &apply = *statement.values[0];
  if (apply.operands.size() != 2)
    return std::nullopt;
  for (bool left : {false, true}) {
    const eq::Expr &kept = *apply.operands[left ? 1 : 0], &constant = *apply.operands[left ? 0 : 1];
    if (!isPlainRead(instance, statement, kept) || constant.kind != eq::Expr::Kind::Read || constant.otherwise)
      continue;
    const eq::Tensor &x = instance.tensors[kept.tensor], &c = instance.tensors[constant.tensor];
    if (x.role != eq::Tensor::Role::Operand || c.role != eq::Tensor::Role::Operand)
      continue;
    std::optional<double> value = splatOf(slots[c.number]);
    if (value && isNeutral(apply.function, *value, isFloat(apply.type), left))
      return x.number;
  }
  return std::nullopt;
}

namespace {

/// y = x, by its equation.
struct RemoveCopy final : OpInterfaceRewritePattern<nn::EquationInterface> {
  RemoveCopy(MLIRContext *context, Pass::Statistic &removed) : OpInterfaceRewritePattern(context), removed(removed) {}

  LogicalResult matchAndRewrite(nn::EquationInterface op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "several results");
    llvm::Expected<eq::Instance> instance = nn::instantiate(op);
    if (!instance)
      return rewriter.notifyMatchFailure(op, llvm::toString(instance.takeError()));
    SmallVector<Value, 4> slots = nn::operandSlots(op);
    std::optional<unsigned> operand = copiedOperand(*instance);
    if (!operand)
      operand = neutralOperand(*instance, slots);
    if (!operand)
      return rewriter.notifyMatchFailure(op, "it computes something");
    applied(op, rule, "exact");
    ++removed;
    rewriter.replaceOp(op, slots[*operand]);
    return success();
  }

  Pass::Statistic &removed;
};

/// transpose(transpose(x, p), q) = transpose(x, p[q]); a transpose that moves nothing is a reshape.
struct ComposeTransposes final : OpRewritePattern<nn::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::TransposeOp op, PatternRewriter &rewriter) const override {
    if (!op.getX().getDefiningOp<nn::TransposeOp>() && !movesNothing(op.getPerm(), op.getX().getType().getShape()))
      return rewriter.notifyMatchFailure(op, "a single transpose that moves elements");
    rewriter.replaceOp(op, transposed(rewriter, op.getLoc(), op.getX(), op.getPerm()));
    return success();
  }
};

struct Simplify final : kumiko::impl::SimplifyPassBase<Simplify> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RemoveCopy>(&getContext(), removed);
    patterns.add<ComposeTransposes>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }
};

} // namespace
