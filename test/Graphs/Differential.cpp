#include "test/Graphs/Differential.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Verify/Stability.h"
#include "mlir/Parser/Parser.h"
#include <cmath>

using namespace kumiko;
using namespace kumiko::graphs;
using llvm::Twine;
using Tensors = llvm::SmallVector<Tensor, 2>;

llvm::StringRef graphs::nameOf(Check check) {
  constexpr llvm::StringLiteral names[] = {"exact", "rounding", "compiled"};
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

/// An empty text when the stage ran.
static std::string optimize(TestCase &graph, Allow allow) {
  std::string said;
  mlir::ScopedDiagnosticHandler handler(graph.module->getContext(), [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    return mlir::success();
  });
  mlir::PassManager passes(graph.module->getContext());
  PipelineOptions options;
  options.allow = allow;
  addStage(passes, Stage::Optimize, options);
  if (mlir::succeeded(passes.run(*graph.module)))
    return "";
  return "the stage fails: " + said;
}

/// Every bit, and any NaN for any other. Empty when they are equal.
static std::string firstDifference(llvm::ArrayRef<Tensor> got, llvm::ArrayRef<Tensor> wanted) {
  for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(got, wanted))) {
    auto &[mine, right] = pair;
    if (mine.element() != right.element() || mine.shape() != right.shape())
      return "result " + std::to_string(number) + " has another type";
    unsigned width = bytesOf(mine.element());
    for (int64_t i = 0; i < mine.count(); ++i) {
      double a = valueAt(mine, i), b = valueAt(right, i);
      if (std::memcmp(mine.data() + i * width, right.data() + i * width, width) != 0 &&
          !(std::isnan(a) && std::isnan(b)))
        return Outlier{unsigned(number), i, a, b, 0}.text();
    }
  }
  return "";
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
  std::string difference = firstDifference(*got, *wanted);
  return difference.empty() ? Verdict() : Verdict::failed(difference);
}

static Verdict judgeNearness(const TestCase &graph, llvm::ArrayRef<Tensor> got, double units) {
  RoundingJudge judge(mainOf(graph), graph.inputs, units);
  auto answer = judge.judge(got);
  if (!answer)
    return Verdict::failed(unevaluated + toString(answer.takeError()));
  if (answer->outlier)
    return Verdict::failed(answer->outlier->text());
  return answer->unstable ? Verdict{Verdict::Kind::Skipped, "hangs on last places"} : Verdict();
}

static Verdict judgeRounding(const TestCase &graph, bool wild) {
  TestCase optimized = graph.clone();
  if (std::string why = optimize(optimized, Allow::Approximate); !why.empty())
    return Verdict::failed(why);
  auto got = evaluate(optimized, Precision::Double);
  if (!got)
    return Verdict::failed("the evaluator on the optimised graph: " + toString(got.takeError()));
  return wild ? Verdict() : judgeNearness(graph, *got, /*units=*/1);
}

/// The module in another context, which the compiled model then owns.
static mlir::OwningOpRef<mlir::ModuleOp> moved(const TestCase &graph, mlir::MLIRContext &to) {
  std::string text;
  llvm::raw_string_ostream out(text);
  graph.module.get().print(out, mlir::OpPrintingFlags().enableDebugInfo());
  return mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&to));
}

static Verdict judgeCompiled(const TestCase &graph, bool wild) {
  auto session = std::make_unique<Session>(/*jobs=*/1);
  auto module = moved(graph, session->context());
  if (!module)
    return Verdict::failed("the graph does not read back from its text");
  CompileOptions options;
  options.name = "graph";
  options.jobs = 1;
  ProblemList problems;
  auto compiled = compileModule(std::move(session), std::move(module), options, problems);
  if (!compiled && problems.exitCode() == int(Fault::Unsupported))
    return {Verdict::Kind::Skipped, problems.all().front().what};
  auto executable = compiled ? Executable::fromCompiled(*compiled, problems) : nullptr;
  if (!executable || !executable->prepare(graph.inputs, /*threads=*/1, problems) || !executable->run(problems))
    return Verdict::failed(problems.all().empty() ? "does not run" : problems.all().front().what);
  if (wild)
    return Verdict();
  // Functions of compiled code are a few units off the evaluator's.
  return judgeNearness(graph, executable->results(), /*units=*/4);
}

Verdict graphs::judge(const TestCase &graph, Check check, bool wild) {
  switch (check) {
  case Check::Exact:
    return judgeExact(graph);
  case Check::Rounding:
    return judgeRounding(graph, wild);
  case Check::Compiled:
    return judgeCompiled(graph, wild);
  }
  llvm_unreachable("all checks are above");
}
