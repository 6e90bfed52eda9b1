#include "kumiko/Verify/Bisect.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Plan/Plan.h"
#include "kumiko/Verify/CompiledCase.h"
#include "kumiko/Verify/Shrink.h"
#include "mlir/IR/Action.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace mlir;
using namespace kumiko;
using Tensors = SmallVector<Tensor, 2>;

/// Candidates for a smaller network; each is optimised and evaluated.
static constexpr unsigned mostTries = 500;

namespace {

/// Runs one pass of a pipeline, of it only the first applications of patterns.
class PartialRun {
public:
  PartialRun(AddPasses addPasses, size_t wanted, uint64_t limit) : addPasses(addPasses), wanted(wanted), limit(limit) {}

  bool run(ModuleOp module) {
    MLIRContext &context = *module.getContext();
    PassManager passes(&context);
    addPasses(passes);
    RuleCollector collector(context, rules);
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
    context.registerActionHandler(
        [&](llvm::function_ref<void()> act, const tracing::Action &action) { handle(act, action); });
    LogicalResult result = passes.run(module);
    context.registerActionHandler(nullptr);
    return succeeded(result);
  }

  std::vector<AppliedRule> rules;
  uint64_t attempts = 0;
  /// Of the last attempt that was allowed.
  AppliedRule last;

private:
  void handle(llvm::function_ref<void()> act, const tracing::Action &action) {
    if (auto *execution = dyn_cast<PassExecutionAction>(&action)) {
      bool isNamed = !execution->getPass().getArgument().empty();
      if (!isNamed || numberOf(execution->getPass()) == wanted)
        act();
      return;
    }
    auto *attempt = dyn_cast<ApplyPatternAction>(&action);
    if (!attempt)
      return act();
    if (attempts >= limit)
      return;
    ++attempts;
    size_t before = rules.size();
    // The op may be gone afterwards.
    Operation *op = action.getContextIRUnits().empty() ? nullptr : dyn_cast<Operation *>(action.getContextIRUnits()[0]);
    std::string node = op ? sourceNodes(op->getLoc()) : "";
    act();
    if (rules.size() > before)
      last = rules[before];
    else
      last = {nameOf(*attempt), "exact", node};
  }

  /// An action only prints the name of its pattern.
  static std::string nameOf(const ApplyPatternAction &attempt) {
    std::string text;
    llvm::raw_string_ostream out(text);
    attempt.print(out);
    return StringRef(text).rsplit(": ").second.rsplit("::").second.str();
  }

  size_t numberOf(const Pass &pass) { return numbers.try_emplace(&pass, numbers.size()).first->second; }

  AddPasses addPasses;
  size_t wanted;
  uint64_t limit;
  llvm::DenseMap<const Pass *, size_t> numbers;
};

/// What one pass does to the results of a network.
struct Effect {
  bool failed = false;
  std::optional<Outlier> outlier;
  uint64_t attempts = 0;
  std::vector<AppliedRule> rules;
  AppliedRule last;

  bool bad() const { return failed || outlier; }
};

} // namespace

static func::FuncOp mainOf(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("main"); }

static llvm::Expected<Tensors> evaluate(ModuleOp module, ArrayRef<Tensor> inputs, Precision precision) {
  GraphOptions options;
  options.precision = precision;
  auto arguments = llvm::map_to_vector(inputs, [](const Tensor &tensor) { return &tensor; });
  return evaluateGraph(mainOf(module), arguments, options);
}

static Effect effectOf(const TestCase &test, AddPasses addPasses, size_t pass, uint64_t limit = UINT64_MAX) {
  Effect effect;
  OwningOpRef<ModuleOp> after = test.module.get().clone();
  PartialRun run(addPasses, pass, limit);
  effect.failed = !run.run(*after);
  effect.attempts = run.attempts;
  effect.rules = std::move(run.rules);
  effect.last = std::move(run.last);
  if (effect.failed)
    return effect;
  std::string kind = coarsestOf(effect.rules);
  bool exact = kind == "exact";
  auto precision = exact ? Precision::Declared : Precision::Double;
  auto was = evaluate(*test.module, test.inputs, precision);
  if (!was) { // a network that cannot be evaluated shows nothing
    llvm::consumeError(was.takeError());
    return effect;
  }
  auto now = evaluate(*after, test.inputs, precision);
  if (!now) {
    llvm::consumeError(now.takeError());
    effect.failed = true;
    return effect;
  }
  if (exact) {
    effect.outlier = firstDifference(*now, *was);
    return effect;
  }
  auto answer = RoundingJudge(mainOf(*test.module), test.inputs, unitsOf(kind)).judge(*now);
  if (answer)
    effect.outlier = answer->outlier;
  else
    llvm::consumeError(answer.takeError());
  return effect;
}

/// The first attempt at a pattern after which the results are wrong.
static std::optional<AppliedRule> firstBadAttempt(const TestCase &test, AddPasses addPasses, size_t pass,
                                                  uint64_t attempts) {
  uint64_t good = 0, bad = attempts;
  if (attempts == 0 || effectOf(test, addPasses, pass, 0).bad())
    return std::nullopt;
  while (bad - good > 1) {
    uint64_t middle = good + (bad - good) / 2;
    (effectOf(test, addPasses, pass, middle).bad() ? bad : good) = middle;
  }
  return effectOf(test, addPasses, pass, bad).last;
}

llvm::Expected<std::optional<Culprit>> kumiko::bisectPasses(const PassQuestion &question, AddPasses addPasses,
                                                            llvm::function_ref<void(StringRef)> tell) {
  tell("evaluating after every pass");
  Culprit culprit;
  auto reports = checkPasses(question, addPasses, /*stopAtFirst=*/true, &culprit.smallest);
  if (!reports)
    return reports.takeError();
  if (reports->empty() || reports->back().good())
    return std::nullopt;
  const PassReport &report = reports->back();
  size_t number = reports->size() - 1;
  culprit.pass = report.pass;
  culprit.what = report.outlier ? report.outlier->text() : report.error;

  tell("looking for the rule in " + report.pass);
  TestCase &test = culprit.smallest;
  Effect whole = effectOf(test, addPasses, number);
  // Rounding that only adds up over several passes is not this one's alone.
  if (!whole.bad())
    return culprit;
  std::optional<AppliedRule> rule = firstBadAttempt(test, addPasses, number, whole.attempts);

  tell("making the network smaller");
  shrink(test, [&](TestCase &candidate) { return effectOf(candidate, addPasses, number).bad(); }, mostTries);
  Effect last = effectOf(test, addPasses, number);
  if (!last.rules.empty() && !rule)
    rule = last.rules.front();
  if (rule)
    culprit.rule = *rule;
  culprit.what = last.outlier ? last.outlier->text() : "the pass fails, or leaves what cannot be evaluated";
  return culprit;
}

std::optional<Culprit> kumiko::bisectKernel(TestCase test, StringRef node, const CompileOptions &options) {
  auto outlierOf = [&](const TestCase &candidate) -> std::optional<Outlier> {
    ProblemList problems;
    auto answer = judgeCompiled(candidate, candidate.module.get(), options, problems);
    return answer ? answer->outlier : std::nullopt;
  };
  if (!outlierOf(test))
    return std::nullopt;
  shrink(test, [&](TestCase &candidate) { return outlierOf(candidate).has_value(); }, mostTries / 10);
  Culprit culprit;
  culprit.rule.node = node.str();
  culprit.what = outlierOf(test)->text();
  culprit.smallest = std::move(test);
  return culprit;
}
