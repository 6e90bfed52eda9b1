//===- RuleTest.cpp - every rule against the evaluator ---------------------===//
//
// A rule is its own test: its left side is put together on random operands at boundary shapes, the rule is applied, and
// the evaluator must see no difference beyond the class of the rule. Each condition must be the only thing that stops
// the rule somewhere, and there the rule must not fire.
//
//===----------------------------------------------------------------------===//
#include "RuleSamples.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/RuleBinding.h"
#include "kumiko/Optimize/RuleMatch.h"
#include "kumiko/Support/Convert.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"
#include <cmath>

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

std::string textOf(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  function.print(os);
  return text;
}

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

  static std::optional<SmallVector<Tensor, 2>> evaluate(func::FuncOp function, ArrayRef<Tensor> arguments) {
    auto pointers = llvm::map_to_vector(arguments, [](const Tensor &tensor) { return &tensor; });
    llvm::Expected<SmallVector<Tensor, 2>> results = evaluateGraph(function, pointers);
    if (results)
      return std::move(*results);
    return llvm::consumeError(results.takeError()), std::nullopt;
  }

  /// Equal within the class; the place of the first difference otherwise.
  static std::optional<int64_t> difference(eq::RuleClass kind, ArrayRef<Tensor> arguments, const Tensor &before,
                                           const Tensor &after) {
    // Sums may cancel: rounding is measured by what goes in, and constants are of this size.
    double largest = 8;
    auto look = [&](const Tensor &tensor) {
      for (int64_t i = 0; i < tensor.count(); ++i)
        if (std::isfinite(valueAt(tensor, i)))
          largest = std::max(largest, std::abs(valueAt(tensor, i)));
    };
    llvm::for_each(arguments, look);
    look(before);
    double digits = before.element() == ElementType::F16 ? 1e-3 : before.element() == ElementType::F64 ? 1e-14 : 1e-7;
    for (int64_t i = 0; i < before.count(); ++i) {
      double x = valueAt(before, i), y = valueAt(after, i);
      bool equal = std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
      if (equal)
        continue;
      bool allowed = kind != eq::RuleClass::Exact && isFloat(before.element()) &&
                     (std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) <= 64 * digits * largest
                                                           : kind == eq::RuleClass::Approximate);
      if (!allowed)
        return i;
    }
    return std::nullopt;
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
    std::optional<SmallVector<Tensor, 2>> before = evaluate(*function, arguments);
    if (!before)
      continue;
    std::optional<SmallVector<Tensor, 2>> after = evaluate(*rewritten, arguments);
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
