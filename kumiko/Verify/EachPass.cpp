#include "kumiko/Verify/EachPass.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Plan/Plan.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Verify/BindSymbols.h"
#include "mlir/Pass/PassInstrumentation.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;
using Tensors = SmallVector<Tensor, 2>;

/// Whole models take seconds to evaluate.
static constexpr double shareOfRuns = 0.1;

namespace {

/// The values of all ops that stand for one source node and have one result, by its name.
using NodeValues = llvm::StringMap<Tensor>;

/// Evaluates the module after every pass.
class PassWatch final : public PassInstrumentation {
public:
  PassWatch(const PassQuestion &question, ModuleOp module, bool stopAtFirst, TestCase *before)
      : question(question), module(module), stopAtFirst(stopAtFirst), before(before),
        imported(bound(question.imported)), print(module) {
    earlier = module.clone();
  }

  std::vector<PassReport> reports;
  std::vector<AppliedRule> rules;

  llvm::Error begin() {
    auto results = evaluate(*imported, Precision::Declared);
    if (!results)
      return results.takeError();
    declared = std::move(*results);
    return llvm::Error::success();
  }

  void runBeforePass(Pass *pass, Operation *) override { rules.clear(); }
  void runAfterPass(Pass *pass, Operation *) override {
    bool done = stopAtFirst && !reports.empty() && !reports.back().good();
    if (done || pass->getArgument().empty()) // what only holds others has no name
      return;
    PassReport &report = reports.emplace_back();
    report.pass = pass->getArgument().str();
    report.rules = std::move(rules);
    report.kind = coarsestOf(report.rules);
    OperationFingerPrint now(module);
    report.changed = now != print;
    print = now;
    if (report.changed)
      judge(report);
  }

private:
  OwningOpRef<ModuleOp> bound(ModuleOp of) {
    OwningOpRef<ModuleOp> copy = of.clone();
    if (!question.symbols.empty())
      bindSymbols(*copy, question.symbols);
    return copy;
  }

  func::FuncOp mainOf(ModuleOp of) { return of.lookupSymbol<func::FuncOp>("main"); }

  llvm::Expected<Tensors> evaluate(ModuleOp of, Precision precision, NodeValues *nodes = nullptr) {
    GraphOptions options;
    options.precision = precision;
    if (nodes)
      options.afterOp = [&](Operation *op, ArrayRef<const Tensor *>, ArrayRef<const Tensor *> results) -> llvm::Error {
        std::string name = sourceNodes(op->getLoc());
        if (results.size() != 1 || name.empty() || results[0]->element() == ElementType::Invalid)
          return llvm::Error::success();
        llvm::Expected<Tensor> copy = results[0]->copy();
        if (!copy)
          return copy.takeError();
        (*nodes)[name] = std::move(*copy);
        return llvm::Error::success();
      };
    auto arguments = llvm::map_to_vector(question.inputs, [](const Tensor &tensor) { return &tensor; });
    return evaluateGraph(mainOf(of), arguments, options);
  }

  void judge(PassReport &report) {
    OwningOpRef<ModuleOp> after = bound(module);
    llvm::Expected<Tensors> now = evaluate(*after, Precision::Declared);
    if (!now) {
      report.error = toString(now.takeError());
      return finish(report, *after);
    }
    if (report.kind == "exact")
      report.outlier = firstDifference(*now, declared);
    else
      judgeRounding(report, *after);
    declared = std::move(*now);
    finish(report, *after);
  }

  void judgeRounding(PassReport &report, ModuleOp after) {
    llvm::Expected<Tensors> wide = evaluate(after, Precision::Double);
    if (!wide) {
      report.error = toString(wide.takeError());
      return;
    }
    std::unique_ptr<RoundingJudge> &judge = judges[unitsOf(report.kind)];
    if (!judge)
      judge = std::make_unique<RoundingJudge>(mainOf(*imported), question.inputs, unitsOf(report.kind), shareOfRuns);
    auto answer = judge->judge(*wide);
    if (answer)
      report.outlier = answer->outlier;
    else
      report.error = toString(answer.takeError());
  }

  void finish(PassReport &report, ModuleOp after) {
    if (report.outlier) {
      auto name = mainOf(question.imported).getResultAttrOfType<StringAttr>(report.outlier->result, "nn.name");
      report.output = name ? name.str() : "result " + std::to_string(report.outlier->result);
      report.node = firstNodeThatDiffers(after);
    }
    if (!report.good() && before) {
      before->module = bound(*earlier);
      before->inputs.clear();
      for (const Tensor &input : question.inputs)
        before->inputs.push_back(input.alias());
    }
    earlier = module.clone();
  }

  /// In the order of the network: a value that is there before and after the pass and is another one.
  std::string firstNodeThatDiffers(ModuleOp after) {
    OwningOpRef<ModuleOp> was = bound(*earlier);
    NodeValues old, now;
    for (auto [of, nodes] : {std::pair(*was, &old), std::pair(after, &now)})
      if (auto results = evaluate(of, Precision::Double, nodes); !results)
        llvm::consumeError(results.takeError());
    std::string found;
    mainOf(*was).walk([&](Operation *op) {
      std::string name = sourceNodes(op->getLoc());
      auto left = old.find(name), right = now.find(name);
      if (left == old.end() || right == now.end() || left->second.shape() != right->second.shape())
        return WalkResult::advance();
      double largest = 0, furthest = 0;
      for (int64_t i = 0; i < left->second.count(); ++i) {
        double a = valueAt(left->second, i), b = valueAt(right->second, i);
        largest = std::max(largest, std::fabs(a));
        furthest = std::max(furthest, a == b || (std::isnan(a) && std::isnan(b)) ? 0 : std::fabs(a - b));
      }
      if (!(furthest > largest * 1e-5))
        return WalkResult::advance();
      found = name;
      return WalkResult::interrupt();
    });
    return found;
  }

  const PassQuestion &question;
  ModuleOp module;
  bool stopAtFirst;
  TestCase *before;
  OwningOpRef<ModuleOp> imported, earlier;
  OperationFingerPrint print;
  Tensors declared; ///< the results after the last pass
  std::map<double, std::unique_ptr<RoundingJudge>> judges;
};

} // namespace

llvm::Expected<std::vector<PassReport>> kumiko::checkPasses(const PassQuestion &question, AddPasses addPasses,
                                                            bool stopAtFirst, TestCase *before) {
  ModuleOp imported = question.imported;
  MLIRContext *context = imported.getContext();
  OwningOpRef<ModuleOp> module = imported.clone();
  PassManager passes(context);
  addPasses(passes);
  auto watch = std::make_unique<PassWatch>(question, *module, stopAtFirst, before);
  PassWatch &watched = *watch;
  passes.addInstrumentation(std::move(watch));
  if (llvm::Error error = watched.begin())
    return std::move(error);

  std::string said;
  RuleCollector collector(*context, watched.rules);
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    said += (said.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  if (failed(passes.run(*module)))
    return llvm::createStringError(said.empty() ? "a pass fails" : said);
  return std::move(watched.reports);
}

void kumiko::addGraphPasses(OpPassManager &passes, const PipelineOptions &options) {
  addStage(passes, Stage::Optimize, options);
  addStage(passes, Stage::Fuse, options);
}
