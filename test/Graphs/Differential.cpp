#include "test/Graphs/Differential.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Fuse/Passes.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Verify/BindSymbols.h"
#include "kumiko/Verify/CompiledCase.h"
#include "test/Graphs/OpenSizes.h"

using namespace kumiko;
using namespace kumiko::graphs;
using llvm::Twine;
using Tensors = llvm::SmallVector<Tensor, 2>;

llvm::StringRef graphs::nameOf(Check check) {
  constexpr llvm::StringLiteral names[] = {"exact", "rounding", "open sizes", "compiled", "compiled with open sizes"};
  return names[unsigned(check)];
}

static mlir::func::FuncOp mainOf(const TestCase &graph) {
  return graph.module.get().lookupSymbol<mlir::func::FuncOp>("main");
}

static llvm::Expected<Tensors> evaluate(const TestCase &graph, Precision precision) {
  GraphOptions options;
  options.precision = precision;
  auto arguments = llvm::map_to_vector(graph.inputs, [](const Tensor &tensor) { return &tensor; });
  return evaluateGraph(mainOf(graph), arguments, options);
}

/// An empty text when the passes ran.
static std::string run(TestCase &graph, llvm::function_ref<void(mlir::PassManager &)> addPasses) {
  std::string said;
  mlir::ScopedDiagnosticHandler handler(graph.module->getContext(), [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    return mlir::success();
  });
  mlir::PassManager passes(graph.module->getContext());
  addPasses(passes);
  return mlir::succeeded(passes.run(*graph.module)) ? "" : "a pass fails: " + said;
}

static std::string optimize(TestCase &graph, Allow allow) {
  PipelineOptions options;
  options.allow = allow;
  return run(graph, [&](mlir::PassManager &passes) { addStage(passes, Stage::Optimize, options); });
}

static Verdict judgeExact(const TestCase &graph) {
  auto wanted = evaluate(graph, Precision::Declared);
  if (!wanted)
    return Verdict::failed(unevaluated + toString(wanted.takeError()));
  TestCase optimized = graph.clone();
  if (std::string why = optimize(optimized, Allow::Exact); !why.empty())
    return Verdict::failed(why);
  auto got = evaluate(optimized, Precision::Declared);
  if (!got)
    return Verdict::failed("the evaluator on the optimised graph: " + toString(got.takeError()));
  std::optional<Outlier> difference = firstDifference(*got, *wanted);
  return difference ? Verdict::failed(difference->text()) : Verdict();
}

static Verdict verdictOf(const RoundingJudge::Answer &answer) {
  if (answer.outlier)
    return Verdict::failed(answer.outlier->text());
  return answer.unstable ? Verdict{Verdict::Kind::Skipped, "hangs on last places"} : Verdict();
}

/// Grouping ops into kernels changes no bit. Symbols, if any, get their values.
static Verdict judgeFused(TestCase &optimized, const llvm::StringMap<int64_t> &symbols) {
  TestCase fused = optimized.clone();
  std::string why = run(fused, [](mlir::PassManager &passes) { passes.addPass(createFormKernelsPass()); });
  if (!why.empty())
    return Verdict::failed(why);
  bindSymbols(*optimized.module, symbols);
  bindSymbols(*fused.module, symbols);
  auto wanted = evaluate(optimized, Precision::Declared), got = evaluate(fused, Precision::Declared);
  if (!wanted || !got)
    return Verdict::failed("the evaluator on kernels: " +
                           toString(llvm::joinErrors(wanted.takeError(), got.takeError())));
  std::optional<Outlier> difference = firstDifference(*got, *wanted);
  return difference ? Verdict::failed("as kernels, " + difference->text()) : Verdict();
}

/// Judges `optimized`, which is the graph as it was or with symbols in place of sizes.
static Verdict judgeRounding(const TestCase &graph, TestCase optimized, const llvm::StringMap<int64_t> &symbols,
                             bool wild) {
  if (std::string why = optimize(optimized, Allow::Approximate); !why.empty())
    return Verdict::failed(why);
  if (Verdict fused = judgeFused(optimized, symbols); fused.kind == Verdict::Kind::Failed)
    return fused;
  auto got = evaluate(optimized, Precision::Double);
  if (!got)
    return Verdict::failed("the evaluator on the optimised graph: " + toString(got.takeError()));
  if (wild)
    return Verdict();
  auto answer = RoundingJudge(mainOf(graph), graph.inputs).judge(*got);
  return answer ? verdictOf(*answer) : Verdict::failed(unevaluated + toString(answer.takeError()));
}

/// What a sum of truth values is, is not said: the evaluator keeps whether it differs from 0, code its last bit.
static bool sumsTruthValues(const TestCase &graph) {
  auto isArithmetic = [](const eq::Expr &expr, auto &&self) -> bool {
    bool here = expr.kind == eq::Expr::Kind::Apply && expr.type == ElementType::B1 &&
                (expr.function == eq::Function::Neg || expr.function == eq::Function::Abs ||
                 expr.function == eq::Function::Sign ||
                 (expr.function >= eq::Function::Add && expr.function <= eq::Function::Pow));
    return here || llvm::any_of(expr.operands, [&](const eq::Expr *operand) { return self(*operand, self); });
  };
  bool found = false;
  mainOf(graph).walk([&](nn::EquationInterface op) {
    auto instance = nn::instantiate(op);
    if (!instance)
      return llvm::consumeError(instance.takeError());
    for (const eq::Statement &statement : instance->statements) {
      bool sums = statement.combine == eq::Combine::Sum || statement.combine == eq::Combine::Product;
      found |= sums && statement.values[0]->type == ElementType::B1;
      found |=
          llvm::any_of(statement.values, [&](const eq::Expr *value) { return isArithmetic(*value, isArithmetic); });
    }
  });
  return found;
}

/// Integers that are made of a softmax inside of one op change with its last place, and the judge does not see inside.
static bool attendsToIntegers(const TestCase &graph) {
  return mainOf(graph)
      .walk([](nn::AttentionOp op) {
        bool isFloat = mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
        return isFloat ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
      })
      .wasInterrupted();
}

static Verdict judgeCode(const TestCase &graph, mlir::ModuleOp compiled, const JudgeOptions &options) {
  if (sumsTruthValues(graph))
    return {Verdict::Kind::Skipped, "sums truth values"};
  if (attendsToIntegers(graph))
    return {Verdict::Kind::Skipped, "attention of integers hangs on last places"};
  ProblemList problems;
  CompileOptions how;
  how.target = options.target;
  how.backend = options.backend;
  auto answer = judgeCompiled(graph, compiled, how, problems);
  if (!answer && problems.exitCode() == int(Fault::Unsupported))
    return {Verdict::Kind::Skipped, problems.all().front().what};
  if (!answer)
    return Verdict::failed(problems.all().empty() ? "does not run" : problems.all().front().what);
  return options.wild ? Verdict() : verdictOf(*answer);
}

static Verdict judgeOpen(const TestCase &graph, Check check, const JudgeOptions &options) {
  std::optional<OpenGraph> open = openSizes(graph);
  if (!open)
    return {Verdict::Kind::Passed, "every size is fixed"};
  if (check == Check::CompiledOpen)
    return judgeCode(graph, *open->module, options);
  TestCase copy = graph.clone();
  copy.module = std::move(open->module);
  return judgeRounding(graph, std::move(copy), open->symbols, options.wild);
}

Verdict graphs::judge(const TestCase &graph, Check check, const JudgeOptions &options) {
  switch (check) {
  case Check::Exact:
    return judgeExact(graph);
  case Check::Rounding:
    return judgeRounding(graph, graph.clone(), {}, options.wild);
  case Check::Compiled:
    return judgeCode(graph, graph.module.get(), options);
  case Check::Open:
  case Check::CompiledOpen:
    return judgeOpen(graph, check, options);
  }
  llvm_unreachable("all checks are above");
}
