//===- main.cpp - random graphs: optimised against not optimised against compiled -------------===//
//
//   random-graphs [--seed S] [--count N] [--first N] [--jobs N] [--compile-each N] [--target CPU] [--print]
//   [--backend NAME] [--coverage]
//                 [--quick]
//
// Graph number k of seed S is always the same. Each is judged by the evaluator, before against after the Optimize stage
// (Differential.h), as it is and with symbols in place of sizes, every hundredth also compiled in both forms. A graph
// that fails is made as small as it can be and printed with the command that shows it again; with `--quick` its number
// is all that is said. With `--coverage` every op of the library must have occurred. The last line is `N passed, N
// failed, N skipped`; skipped are graphs whose results hang on last places so that only a change of many units explains
// a difference.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Nn/Equations.h"
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Verify/Shrink.h"
#include "test/Graphs/Differential.h"
#include "test/Graphs/GraphMaker.h"
#include "test/Graphs/OpenSizes.h"
#include "test/Graphs/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Threading.h"

using namespace kumiko;
using namespace kumiko::graphs;
using llvm::errs;
using llvm::outs;

namespace {
struct Options {
  uint64_t seed = 1, first = 0, count = 2000, compileEach = 100;
  unsigned jobs = llvm::hardware_concurrency().compute_thread_count();
  bool print = false, coverage = false, quick = false;
  std::string target = "host", backend;

  JudgeOptions judging(uint64_t number) const { return {isWild(number), target, backend}; }
};
} // namespace

static bool parseOptions(llvm::ArrayRef<char *> arguments, Options &options) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef name = arguments[i];
    if (name == "--print" || name == "--coverage" || name == "--quick") {
      (name == "--print" ? options.print : name == "--quick" ? options.quick : options.coverage) = true;
      continue;
    }
    if ((name == "--target" || name == "--backend") && i + 1 < arguments.size()) {
      (name == "--target" ? options.target : options.backend) = arguments[i + 1];
      ++i;
      continue;
    }
    uint64_t value = 0;
    if (i + 1 == arguments.size() || llvm::StringRef(arguments[++i]).getAsInteger(10, value))
      return false;
    if (name == "--seed")
      options.seed = value;
    else if (name == "--first")
      options.first = value;
    else if (name == "--count")
      options.count = value;
    else if (name == "--compile-each")
      options.compileEach = value;
    else if (name == "--jobs")
      options.jobs = std::max<uint64_t>(value, 1);
    else
      return false;
  }
  return true;
}

static void printGraph(const TestCase &graph, llvm::raw_ostream &os) {
  graph.module.get().print(os);
  for (auto [number, input] : llvm::enumerate(graph.inputs)) {
    os << "// argument " << number << ": " << describe(input.element(), input.shape()) << " {";
    for (int64_t i = 0; i < std::min<int64_t>(input.count(), 32); ++i)
      os << (i ? ", " : "") << llvm::format("%.9g", valueAt(input, i));
    os << (input.count() > 32 ? ", ...}\n" : "}\n");
  }
}

/// One graph by all the checks that it gets.
static Outcome judgeGraph(const Options &options, mlir::MLIRContext &context, uint64_t number, OpCounts &counts) {
  TestCase graph = makeGraph(context, options.seed, number);
  counts.add(*graph.module);
  Outcome outcome;
  for (Check check : allChecks) {
    if (needsCode(check) && (options.compileEach == 0 || number % options.compileEach != 0))
      continue;
    Verdict verdict = judge(graph, check, options.judging(number));
    outcome.opened += check == Check::Open && verdict.kind == Verdict::Kind::Passed && verdict.what.empty();
    outcome.compiled += check == Check::Compiled && verdict.kind == Verdict::Kind::Passed;
    if (verdict.kind == Verdict::Kind::Passed)
      continue;
    outcome.kind = verdict.kind;
    outcome.check = check;
    if (verdict.kind == Verdict::Kind::Failed)
      break;
  }
  return outcome;
}

/// What a failure says, in a process of its own: it may crash.
static std::string explain(const TestCase &graph, Check check, const JudgeOptions &options) {
  std::string what;
  std::string ended = inChild([&] { return judge(graph, check, options).what; }, what);
  return ended.empty() ? what : ended;
}

/// True when the check fails on the graph, or ends the process. What the evaluator does not take is no graph.
static bool fails(const TestCase &graph, Check check, const JudgeOptions &options) {
  std::string text;
  std::string ended = inChild(
      [&] {
        Verdict verdict = judge(graph, check, options);
        bool isOurs = llvm::StringRef(verdict.what).starts_with(unevaluated);
        return std::string(verdict.kind == Verdict::Kind::Failed && !isOurs ? "fails" : "");
      },
      text);
  return !ended.empty() || !text.empty();
}

/// The command that shows it again.
static std::string commandFor(const Options &options, const Failure &failure) {
  std::string command = llvm::formatv("random-graphs --seed {0} --first {1} --count 1", options.seed, failure.number);
  if (options.compileEach != 0 && failure.number % options.compileEach == 0)
    command += " --compile-each 1";
  if (!options.backend.empty())
    command += " --backend " + options.backend;
  return options.target == "host" ? command : command + " --target " + options.target;
}

static void report(const Options &options, const Failure &failure) {
  outs() << commandFor(options, failure) << "\n";
  Session session(1);
  TestCase graph = makeGraph(session.context(), options.seed, failure.number);
  JudgeOptions judging = options.judging(failure.number);
  for (Check check : allChecks) {
    if (failure.check.value_or(check) != check || !fails(graph, check, judging))
      continue;
    shrink(graph, [&](TestCase &candidate) { return fails(candidate, check, judging); }, 400);
    outs() << nameOf(check) << ": " << explain(graph, check, judging) << "\n";
    printGraph(graph, outs());
    outs().flush();
    return;
  }
}

static unsigned missingOps(const OpCounts &counts) {
  unsigned missing = 0;
  for (const eq::OpDef &op : nn::allEquations()) {
    uint64_t count = counts.of(op.name);
    outs() << llvm::formatv("{0,-24}{1,8}\n", op.name, count);
    if (count == 0)
      outs() << "no graph has an op " << op.name << "\n", ++missing;
  }
  return missing;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  if (!parseOptions(llvm::ArrayRef(argv, argc), options))
    return errs() << "usage: random-graphs [--seed S] [--count N] [--first N] [--jobs N] [--compile-each N] "
                     "[--target CPU] [--backend NAME] [--print] [--coverage] [--quick]\n",
           2;
  if (options.print) {
    Session session(1);
    for (uint64_t number = options.first; number < options.first + options.count; ++number) {
      TestCase graph = makeGraph(session.context(), options.seed, number);
      printGraph(graph, outs());
      if (std::optional<OpenGraph> open = openSizes(graph))
        open->module->print(outs());
    }
    return 0;
  }
  OpCounts counts;
  auto judgeNumber = [&](mlir::MLIRContext &context, uint64_t number) {
    return judgeGraph(options, context, number, counts);
  };
  Totals totals = judgeAll(options.first, options.count, options.jobs, judgeNumber, counts);
  for (const Failure &failure : llvm::ArrayRef(totals.failures).take_front(options.quick ? 0 : 5))
    report(options, failure);
  for (const Failure &failure : llvm::ArrayRef(totals.failures).drop_front(std::min<size_t>(totals.failures.size(), 5)))
    outs() << commandFor(options, failure) << ": fails, too\n";
  unsigned missing = options.coverage ? missingOps(counts) : 0;
  outs() << totals.opened << " also with open sizes, " << totals.compiled << " also compiled\n";
  outs() << totals.passed << " passed, " << totals.failures.size() + missing << " failed, " << totals.skipped
         << " skipped\n";
  return totals.failures.empty() && missing == 0 ? 0 : 1;
}
