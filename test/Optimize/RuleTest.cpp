//===- RuleTest.cpp - every rule against the evaluator ---------------------===//
//
// A rule is its own test: its left side is put together on random operands at boundary shapes, the rule is applied, and
// the evaluator must see no difference beyond the class of the rule. Each condition must be the only thing that stops
// the rule somewhere, and there the rule must not fire.
//
//===----------------------------------------------------------------------===//
#include "Judge.h"
#include "RuleSamples.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/RuleBinding.h"
#include "kumiko/Optimize/RuleMatch.h"
#include "kumiko/Support/Convert.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

namespace {

constexpr unsigned draws = 6000;
/// Enough for one rule.
constexpr unsigned wantedFires = 60;

struct Tally {
  unsigned fired = 0, boundary = 0;
  std::vector<unsigned> onlyObstacle;
};

class RuleTest : public testing::TestWithParam<const Rule *> {
protected:
  RuleTest() { context.loadDialect<nn::NnDialect, func::FuncDialect>(); }
  ~RuleTest() override { writeRuleCounts(); }

  RuleOutcome apply(const Rule &rule, func::FuncOp function) {
    Operation *root = function.front().getTerminator()->getOperand(0).getDefiningOp();
    // As the pass does: what is known altogether is not for rules.
    if (llvm::all_of(root->getOperands(), [](Value x) { return x.getDefiningOp<nn::ConstantOp>(); }))
      return RuleOutcome::NoMatch;
    PatternRewriter rewriter(&context);
    return applyRule(rule, root, rewriter);
  }

  MLIRContext context;
};

TEST_P(RuleTest, keepsValues) {
  const Rule &rule = *GetParam();
  for (const eq::RuleCondition &condition : rule.def.when)
    ASSERT_TRUE(isCondition(condition.name)) << condition.text.str();
  RuleSampler sampler(context, rule.def, std::hash<std::string_view>()(std::string_view(rule.def.name)));
  std::deque<Rule> without;
  for (size_t i = 0; i < rule.def.when.size(); ++i) {
    eq::RuleDef def = rule.def;
    def.when.erase(def.when.begin() + i);
    without.emplace_back(std::move(def));
  }
  Tally tally;
  tally.onlyObstacle.resize(without.size());
  for (unsigned i = 0; i < draws; ++i) {
    if (tally.fired >= wantedFires && tally.boundary && llvm::all_of(tally.onlyObstacle, [](unsigned n) { return n; }))
      break;
    OwningOpRef<func::FuncOp> function = sampler.draw();
    if (!function)
      continue;
    ASSERT_TRUE(succeeded(verify(*function)));
    OwningOpRef<func::FuncOp> rewritten = function->clone();
    if (apply(rule, *rewritten) != RuleOutcome::Applied) {
      for (auto [number, lax] : llvm::enumerate(without)) {
        OwningOpRef<func::FuncOp> copy = function->clone();
        tally.onlyObstacle[number] += apply(lax, *copy) == RuleOutcome::Applied;
      }
      continue;
    }
    ASSERT_TRUE(succeeded(verify(*rewritten))) << textOf(*function) << textOf(*rewritten);
    std::vector<Tensor> arguments = sampler.arguments(*function);
    std::optional<SmallVector<Tensor, 2>> before = evaluated(*function, arguments);
    if (!before)
      continue;
    std::optional<SmallVector<Tensor, 2>> after = evaluated(*rewritten, arguments);
    ASSERT_TRUE(after.has_value()) << textOf(*function) << textOf(*rewritten);
    std::optional<int64_t> place = difference(rule.def.kind, arguments, (*before)[0], (*after)[0]);
    ASSERT_FALSE(place.has_value()) << "element " << *place << ": " << valueAt((*before)[0], *place) << " became "
                                    << valueAt((*after)[0], *place) << "\n"
                                    << textOf(*function) << textOf(*rewritten);
    ++tally.fired;
    tally.boundary += (*before)[0].rank() == 0 || (*before)[0].count() == 0;
  }
  EXPECT_GE(tally.fired, 10u) << "it hardly fires";
  EXPECT_TRUE(tally.boundary > 0 || !rule.def.samples.empty()) << "never on a tensor of rank 0 or without elements";
  for (auto [number, count] : llvm::enumerate(tally.onlyObstacle))
    EXPECT_GT(count, 0u) << "nothing needs `when " << rule.def.when[number].text.str() << "`";
}

std::vector<const Rule *> textRules() {
  std::vector<const Rule *> rules;
  for (const Rule &rule : allRules())
    if (!rule.def.isCode())
      rules.push_back(&rule);
  return rules;
}

INSTANTIATE_TEST_SUITE_P(All, RuleTest, testing::ValuesIn(textRules()),
                         [](const auto &info) { return info.param->def.name.str(); });

} // namespace
