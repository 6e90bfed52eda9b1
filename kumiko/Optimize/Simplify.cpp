//===- Simplify.cpp - removes ops that do nothing --------------------------===//
#include "kumiko/Equation/Builtin.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Copy.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Patterns.h"
#include "kumiko/Optimize/Remark.h"
#include "kumiko/Optimize/RuleMatch.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"

namespace kumiko {
#define GEN_PASS_DEF_SIMPLIFYPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

/// Above this something goes round in circles; the rules are made so that nothing does.
constexpr int64_t rewritesPerOp = 64;

/// Elements are read and written, nothing more: by the text, so before anything is instantiated.
static bool mayCopy(const eq::OpDef &op) {
  if (op.statements.size() != 1)
    return false;
  bool computes = false;
  for (const eq::Node *value : op.statements[0].values)
    computes |= value->kind == eq::Node::Kind::Unary || value->kind == eq::Node::Kind::Binary ||
                (value->kind == eq::Node::Kind::Call && value->builtin == eq::Builtin::Value) ||
                (value->kind == eq::Node::Kind::Select && !value->operands[0]->constant);
  return !computes;
}

/// Whether an op occurs in a term.
static bool mentions(const eq::RuleTerm &term, StringRef op) {
  return (term.kind == eq::RuleTerm::Kind::Apply && term.name == op) ||
         llvm::any_of(term.operands, [&](const eq::RuleTerm &operand) { return mentions(operand, op); });
}

namespace {

/// y = x, by its equation.
struct RemoveCopy final : OpInterfaceRewritePattern<nn::EquationInterface> {
  RemoveCopy(MLIRContext *context, Pass::Statistic &removed) : OpInterfaceRewritePattern(context), removed(removed) {}

  LogicalResult matchAndRewrite(nn::EquationInterface op, PatternRewriter &rewriter) const override {
    // Cheap tests first: an instance costs as much as all the rest of this stage.
    const eq::OpDef *def = nn::definitionOf(op);
    if (op->getNumResults() != 1 || !def || !mayCopy(*def) ||
        !llvm::is_contained(op->getOperandTypes(), op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "it computes something");
    llvm::Expected<eq::Instance> instance = nn::instantiate(op);
    if (!instance)
      return rewriter.notifyMatchFailure(op, llvm::toString(instance.takeError()));
    std::optional<unsigned> operand = copiedOperand(*instance);
    if (!operand)
      return rewriter.notifyMatchFailure(op, "it computes something");
    applied(op, "remove_copy", 1);
    ++removed;
    rewriter.replaceOp(op, nn::operandSlots(op)[*operand]);
    return success();
  }

  Pass::Statistic &removed;
};

/// A tensor without elements needs no work.
struct RemoveEmpty final : OpInterfaceRewritePattern<nn::EquationInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(nn::EquationInterface op, PatternRewriter &rewriter) const override {
    auto isEmpty = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
    };
    if (!llvm::all_of(op->getResultTypes(), isEmpty))
      return rewriter.notifyMatchFailure(op, "it has elements, or may have some");
    applied(op, "remove_empty", 1);
    SmallVector<Value> results;
    for (Type type : op->getResultTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      results.push_back(nn::ConstantOp::create(rewriter, op->getLoc(), tensor,
                                               DenseElementsAttr::get(tensor, ArrayRef<Attribute>())));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// The rules whose text is all there is.
struct ApplyRules final : RewritePattern {
  ApplyRules(MLIRContext *context, function_ref<bool(const Rule &)> isWanted, Pass::Statistic &rewritten,
             llvm::SmallMapVector<Operation *, const Rule *, 8> &shared)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), rewritten(rewritten), shared(shared) {
    for (const Rule &rule : allRules())
      if (!rule.def.isCode() && isWanted(rule))
        rules.push_back(&rule);
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    // What is known altogether is computed, not rewritten.
    if (op->getNumResults() == 0 || llvm::all_of(op->getOperands(), [](Value x) { return bool(constantOf(x)); }))
      return rewriter.notifyMatchFailure(op, "nothing to rewrite");
    for (const Rule *rule : rulesOf(op->getName())) {
      RuleOutcome outcome = applyRule(*rule, op, rewriter);
      if (outcome == RuleOutcome::Applied) {
        ++rewritten;
        return success();
      }
      if (outcome == RuleOutcome::Shared)
        shared.insert({op, rule});
    }
    return rewriter.notifyMatchFailure(op, "no rule is about it");
  }

private:
  ArrayRef<const Rule *> rulesOf(OperationName name) const {
    auto [entry, isNew] = byName.try_emplace(name);
    if (isNew)
      llvm::copy_if(rules, std::back_inserter(entry->second), [&](const Rule *rule) { return isAbout(*rule, name); });
    return entry->second;
  }

  SmallVector<const Rule *, 0> rules;
  Pass::Statistic &rewritten;
  llvm::SmallMapVector<Operation *, const Rule *, 8> &shared;
  mutable llvm::DenseMap<OperationName, SmallVector<const Rule *, 4>> byName;
};

/// Forgets refusals of ops that are gone.
struct ForgetErased final : RewriterBase::Listener {
  explicit ForgetErased(llvm::SmallMapVector<Operation *, const Rule *, 8> &shared) : shared(shared) {}
  void notifyOperationErased(Operation *op) override { shared.erase(op); }
  llvm::SmallMapVector<Operation *, const Rule *, 8> &shared;
};

/// Tells of every op that CSE finds to be there already.
struct ReportEqual final : RewriterBase::Listener {
  void notifyOperationReplaced(Operation *op, ValueRange) override { applied(op, "merge_equal", 1); }
};

struct Simplify final : kumiko::impl::SimplifyPassBase<Simplify> {
  using SimplifyPassBase::SimplifyPassBase;

  void runOnOperation() override {
    std::optional<eq::RuleClass> most = eq::ruleClassNamed(allow);
    if (!most) {
      getOperation().emitError() << "allow is '" << allow << "', expected exact, rounding, approximate or lossy";
      return signalPassFailure();
    }
    int64_t ops = removeDead();
    llvm::SmallMapVector<Operation *, const Rule *, 8> shared;
    ForgetErased forget(shared);
    RewritePatternSet patterns(&getContext());
    patterns.add<RemoveCopy>(&getContext(), removed);
    patterns.add<RemoveEmpty>(&getContext());
    auto isWanted = [&](const Rule &rule) {
      return rule.def.kind <= *most && !llvm::is_contained(without, rule.def.name) &&
             !(keepPadding && mentions(rule.def.left, "pad") && !mentions(rule.def.right, "pad"));
    };
    patterns.add<ApplyRules>(&getContext(), isWanted, rewritten, shared);
    addConcatPatterns(patterns);
    addViewPatterns(patterns);
    addRowsBetweenViewsPattern(patterns);
    if (ruleNamed("permute_weights").def.kind <= *most)
      addPermuteWeightsPattern(patterns);
    GreedyRewriteConfig config;
    config.setListener(&forget).setMaxNumRewrites(rewritesPerOp * ops + 1000);
    // Not converging is no error: every step on the way was right.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
    for (auto [op, rule] : shared)
      declined(op, rule->def.name, "what it reads has other readers");
    ReportEqual report;
    IRRewriter rewriter(&getContext(), &report);
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }

private:
  /// Readers before what they read, so one walk is enough; the number of ops that stay.
  int64_t removeDead() {
    int64_t ops = 0;
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (!isOpTriviallyDead(op))
        return void(++ops);
      if (!isa<nn::ConstantOp>(op))
        applied(op, "dead_code", 1);
      op->erase();
    });
    return ops;
  }
};

} // namespace
