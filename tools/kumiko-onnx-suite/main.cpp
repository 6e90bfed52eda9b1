//===- main.cpp - the ONNX backend tests against Kumiko --------------------------------===//
#include "kumiko/Nn/Equations.h"
#include "tools/kumiko-onnx-suite/Pool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <thread>

using namespace llvm;
using namespace kumiko::suite;

namespace {

constexpr StringLiteral usage =
    "kumiko-onnx-suite --mode=evaluator|compiled|symbolic [--core] [--data DIR] [--expected FILE] [--fewest N] [--jobs "
    "N] "
    "[--all] "
    "[--target CPU] [--backend NAME] [--runner COMMAND] [--guard] [--sample N] [FILTER...]\n"
    "  --mode=evaluator  compute each model with the reference evaluator\n"
    "  --mode=compiled   compile each model for the shapes of its data and run it\n"
    "  --mode=symbolic   the same with every dimension of the inputs a symbol\n"
    "  --core            only the core set\n"
    "  --data DIR        the tests (build/onnx-suite)\n"
    "  --expected FILE   tests that do not pass, with reasons (test/Import/Onnx/suite-refusals.txt)\n"
    "  --fewest N        how many tests the folder must have (those of the pinned onnx package)\n"
    "  --jobs N          tests at a time (one per CPU)\n"
    "  --all             a line for every test, not only for those that are not as expected\n"
    "  --target CPU      compile for this target (host)\n"
    "  --backend NAME    who makes code: cpu or plain (cpu)\n"
    "  --runner COMMAND  what runs a shared library of a target that does not run here\n"
    "  --guard           run with every buffer between guard pages\n"
    "  --sample N        every Nth test only\n"
    "  FILTER            only tests whose name contains one of these\n";

/// Fewer tests than the pinned package has mean that something is missing, not that all is well.
constexpr size_t fewestTests = 2036, fewestCoreTests = 1595;

struct Arguments {
  Way way;
  bool core = false, all = false;
  std::string data = "build/onnx-suite", expected = "test/Import/Onnx/suite-refusals.txt";
  std::optional<size_t> fewest;
  size_t sample = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> filters;
};

/// Empty after a message.
std::optional<Arguments> parse(ArrayRef<const char *> words) {
  Arguments arguments;
  bool mode = false;
  auto fail = [](const Twine &what) { return errs() << "error: " << what << "\n" << usage, std::nullopt; };
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    auto [name, value] = word.split('=');
    auto take = [&] {
      if (!word.contains('=') && i + 1 < words.size())
        value = words[++i];
      return value;
    };
    if (name == "--mode") {
      if (take() != "evaluator" && value != "compiled" && value != "symbolic")
        return fail("mode '" + value + "' is not there; evaluator, compiled and symbolic are");
      arguments.way.mode = value == "compiled"   ? Mode::Compiled
                           : value == "symbolic" ? Mode::Symbolic
                                                 : Mode::Evaluator;
      mode = true;
    } else if (name == "--core" || name == "--all") {
      (name == "--core" ? arguments.core : arguments.all) = true;
    } else if (name == "--guard") {
      arguments.way.guarded = true;
    } else if (name == "--backend") {
      arguments.way.backend = take().str();
    } else if (name == "--target" || name == "--runner") {
      (name == "--target" ? arguments.way.target : arguments.way.runner) = take().str();
    } else if (name == "--sample") {
      if (take().getAsInteger(10, arguments.sample) || arguments.sample == 0)
        return fail("--sample wants a number");
    } else if (name == "--data" || name == "--expected") {
      (name == "--data" ? arguments.data : arguments.expected) = take().str();
    } else if (name == "--jobs") {
      if (take().getAsInteger(10, arguments.jobs) || arguments.jobs == 0)
        return fail("--jobs wants a number");
    } else if (name == "--fewest") {
      if (take().getAsInteger(10, arguments.fewest.emplace()))
        return fail("--fewest wants a number");
    } else if (word.starts_with("-")) {
      return fail("unknown option " + word);
    } else {
      arguments.filters.push_back(word.str());
    }
  }
  return mode ? std::optional(arguments) : fail("--mode is missing");
}

struct Counts {
  size_t passed = 0, failed = 0, skipped = 0;
};

/// Counts the test as what it is and says so where that is not as expected.
void judge(const Test &test, const Verdict &verdict, const Expectation *expected, bool all, Counts &counts,
           std::map<std::string, std::vector<std::string>> &skipped) {
  auto say = [&](StringRef word, const Twine &text) { outs() << word << " " << test.name << ": " << text << "\n"; };
  bool passed = verdict.kind == Verdict::Kind::Passed, refused = verdict.kind == Verdict::Kind::Refused;
  if (!expected) {
    ++(passed ? counts.passed : counts.failed);
    if (!passed)
      say(refused ? "REFUSED" : "FAILED", verdict.text);
    else if (all)
      say("passed", test.kind + (verdict.ulp ? formatv(", {0:f1} ulp", *verdict.ulp).str() : ""));
  } else if (passed) {
    ++counts.failed;
    say("PASSED", "is listed as not passing: " + expected->reason);
  } else if (refused != expected->refused) {
    ++counts.failed;
    say("FAILED", verdict.text + (expected->refused ? "; listed as refused" : "; listed as different"));
  } else {
    ++counts.skipped;
    skipped[expected->reason].push_back(test.name);
    if (all)
      say(refused ? "refused" : "differs", verdict.text);
  }
}

/// Passed tests for which the compiler had to know more than the file says.
void printHelped(ArrayRef<Test> tests, ArrayRef<Verdict> verdicts) {
  std::map<std::string, std::vector<std::string>> helped;
  for (auto [test, verdict] : zip_equal(tests, verdicts))
    if (verdict.kind == Verdict::Kind::Passed && !verdict.text.empty())
      helped[verdict.text].push_back(test.name);
  for (const auto &[what, names] : helped)
    outs() << names.size() << " passed because " << what << ": " << join(names, " ") << "\n";
}

/// How many tests are how far from the evaluator in f64.
void printDistances(ArrayRef<Verdict> verdicts) {
  constexpr double limits[] = {0, 1, 2, 4, 16, 256};
  std::vector<size_t> within(std::size(limits));
  size_t measured = 0;
  for (const Verdict &verdict : verdicts)
    if (verdict.ulp) {
      ++measured;
      for (auto [limit, count] : zip_equal(limits, within))
        count += *verdict.ulp <= limit;
    }
  if (!measured)
    return;
  outs() << "largest distance from the evaluator in f64, " << measured << " tests with float outputs:";
  for (auto [limit, count] : zip_equal(limits, within))
    outs() << formatv(" {0:P1} within {1} ulp{2}", double(count) / measured, limit, limit == 256 ? "\n" : ",");
}

} // namespace

int main(int argc, char **argv) {
  ArrayRef words(argv + 1, argc - 1);
  if (llvm::any_of(words, [](StringRef word) { return word == "--help" || word == "-h"; })) {
    outs() << usage;
    return 0;
  }
  std::optional<Arguments> arguments = parse(words);
  if (!arguments)
    return 2;
  std::string why;
  StringMap<Expectation> expectations = readExpectations(arguments->expected, arguments->way.mode, why);
  if (!why.empty())
    return errs() << "error: " << why << "\n", 2;
  std::vector<Test> tests = findTests(arguments->data);
  llvm::StringSet<> names;
  for (const Test &test : tests)
    names.insert(test.name);
  if (arguments->core)
    erase_if(tests, [](const Test &test) { return !isCore(test); });
  size_t found = tests.size(), fewest = arguments->fewest.value_or(arguments->core ? fewestCoreTests : fewestTests);
  if (!arguments->filters.empty())
    erase_if(tests, [&](const Test &test) {
      return none_of(arguments->filters, [&](const std::string &part) { return StringRef(test.name).contains(part); });
    });
  size_t counter = 0;
  erase_if(tests, [&](const Test &) { return counter++ % arguments->sample != 0; });
  // Read once, before the processes part.
  (void)kumiko::nn::allEquations();
  std::vector<Verdict> verdicts =
      runAll(tests, arguments->jobs, [&](const Test &test) { return runTest(test, arguments->way); });

  Counts counts;
  std::map<std::string, std::vector<std::string>> skipped;
  for (auto [test, verdict] : zip_equal(tests, verdicts)) {
    auto expected = expectations.find(test.name);
    judge(test, verdict, expected == expectations.end() ? nullptr : &expected->second, arguments->all, counts, skipped);
  }
  for (const auto &expected : expectations)
    if (!names.contains(expected.getKey())) {
      outs() << "FAILED " << arguments->expected << ": there is no test " << expected.getKey() << "\n";
      ++counts.failed;
    }
  if (found < fewest) {
    outs() << "FAILED " << found << " tests in " << arguments->data << ", there should be at least " << fewest << "\n";
    ++counts.failed;
  }
  for (const auto &[reason, list] : skipped)
    outs() << "skipped, " << reason << ": " << join(list, " ") << "\n";
  printHelped(tests, verdicts);
  printDistances(verdicts);
  outs() << counts.passed << " passed, " << counts.failed << " failed, " << counts.skipped << " skipped\n";
  return counts.failed ? 1 : 0;
}
