#include "test/Graphs/Workers.h"
#include "kumiko/Pipeline/Session.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kumiko;
using namespace kumiko::graphs;

/// A process and its context are done after this many graphs: contexts only grow.
static constexpr uint64_t graphsPerProcess = 200;
static constexpr unsigned secondsPerGraph = 60;

/// Memory that children of this process write and it reads.
template <typename T> static T *shared(size_t count) {
  void *memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    llvm::report_fatal_error("no memory to share");
  return static_cast<T *>(memory);
}

OpCounts::OpCounts() : counts(shared<std::atomic<uint64_t>>(nn::allEquations().size())) {}

void OpCounts::add(mlir::ModuleOp module) {
  module.walk([&](mlir::Operation *op) {
    if (const eq::OpDef *definition = nn::lookupEquation(op->getName().getStringRef()))
      ++counts[definition - nn::allEquations().data()];
  });
}

uint64_t OpCounts::of(llvm::StringRef op) const { return counts[nn::lookupEquation(op) - nn::allEquations().data()]; }

namespace {
/// What a process says about itself.
struct Report {
  uint64_t next = 0; ///< the graph that is being judged
  Outcome outcomes[graphsPerProcess];
};

struct Child {
  pid_t process;
  uint64_t first, last;
  Report *report;
};
} // namespace

static void limitMemory() {
  rlimit memory{rlim_t(8) << 30, rlim_t(8) << 30};
  setrlimit(RLIMIT_AS, &memory);
}

/// Seconds of the processor: what else the machine does is no failure. By the clock it is more, for what only waits.
static void limitTime() {
  itimerval busy{{0, 0}, {secondsPerGraph, 0}};
  setitimer(ITIMER_PROF, &busy, nullptr);
  alarm(10 * secondsPerGraph);
}

static Child start(uint64_t first, uint64_t last, Report *report,
                   llvm::function_ref<Outcome(mlir::MLIRContext &, uint64_t)> judge) {
  report->next = first;
  pid_t process = fork();
  if (process < 0)
    llvm::report_fatal_error("no process");
  if (process > 0)
    return {process, first, last, report};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limitMemory();
  Session session(/*jobs=*/1);
  for (uint64_t number = first; number < last; ++number) {
    report->next = number;
    limitTime();
    report->outcomes[number - first] = judge(session.context(), number);
  }
  report->next = last;
  _exit(0);
}

Totals graphs::judgeAll(uint64_t first, uint64_t count, unsigned jobs,
                        llvm::function_ref<Outcome(mlir::MLIRContext &, uint64_t number)> judge, OpCounts &counts) {
  Totals totals;
  std::vector<Report *> reports;
  for (unsigned i = 0; i < jobs; ++i)
    reports.push_back(shared<Report>(1));
  std::vector<Child> running;
  uint64_t next = first, end = first + count, done = 0;
  auto fail = [&](const Failure &failure) {
    llvm::errs() << "graph " << failure.number << " fails\n";
    totals.failures.push_back(failure);
  };
  auto collect = [&](const Child &child) {
    uint64_t reached = child.report->next;
    for (uint64_t number = child.first; number < reached; ++number) {
      const Outcome &outcome = child.report->outcomes[number - child.first];
      totals.passed += outcome.kind == Verdict::Kind::Passed;
      totals.skipped += outcome.kind == Verdict::Kind::Skipped;
      totals.compiled += outcome.compiled;
      totals.opened += outcome.opened;
      if (outcome.kind == Verdict::Kind::Failed)
        fail({number, outcome.check});
    }
    done += reached - child.first;
    if (reached == child.last)
      return;
    fail({reached, std::nullopt});
    ++done;
    if (reached + 1 < child.last)
      running.push_back(start(reached + 1, child.last, child.report, judge));
    else
      reports.push_back(child.report);
  };
  uint64_t told = 0;
  while (next < end || !running.empty()) {
    while (next < end && !reports.empty()) {
      uint64_t last = std::min(end, next + graphsPerProcess);
      running.push_back(start(next, last, reports.back(), judge));
      reports.pop_back();
      next = last;
    }
    int status = 0;
    pid_t ended = waitpid(-1, &status, 0);
    auto found = llvm::find_if(running, [&](const Child &child) { return child.process == ended; });
    if (found == running.end())
      continue;
    Child child = *found;
    running.erase(found);
    bool whole = child.report->next == child.last;
    collect(child);
    if (whole)
      reports.push_back(child.report);
    if (done >= told + 2000 || done == count)
      llvm::errs() << (told = done) << " of " << count << " graphs, " << totals.failures.size() << " failures\n";
  }
  llvm::sort(totals.failures, [](const Failure &a, const Failure &b) { return a.number < b.number; });
  return totals;
}

std::string graphs::inChild(llvm::function_ref<std::string()> work, std::string &text) {
  int ends[2];
  llvm::outs().flush();
  pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0)
    return "no process";
  if (child == 0) {
    limitMemory();
    limitTime();
    std::string result = work().substr(0, 4000); // fits the pipe
    bool written = write(ends[1], result.data(), result.size()) == ssize_t(result.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  char buffer[4096];
  text.clear();
  for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, got);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF
               ? "takes more than " + std::to_string(secondsPerGraph) + " s"
               : std::string("ended by a signal: ") + strsignal(WTERMSIG(status));
  return status == 0 ? "" : "ended badly";
}
