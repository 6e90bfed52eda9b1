#include "tools/kumiko/Commands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <chrono>

using namespace kumiko;

namespace {
struct Measurement {
  double firstMs = 0;
  std::vector<double> ms; ///< sorted
  double minimum() const { return ms.front(); }
  double median() const {
    size_t middle = ms.size() / 2;
    return ms.size() % 2 ? ms[middle] : (ms[middle - 1] + ms[middle]) / 2;
  }
};
} // namespace

/// One warm-up, then at least two seconds and at least five runs.
static std::optional<Measurement> measure(Executable &executable, ProblemList &problems) {
  using Clock = std::chrono::steady_clock;
  auto runOnce = [&](double &ms) {
    auto start = Clock::now();
    bool good = executable.run(problems);
    ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    return good;
  };
  Measurement result;
  if (!runOnce(result.firstMs))
    return std::nullopt;
  double spent = 0;
  while (spent < 2000 || result.ms.size() < 5) {
    double ms = 0;
    if (!runOnce(ms))
      return std::nullopt;
    result.ms.push_back(ms);
    spent += ms;
  }
  llvm::sort(result.ms);
  return result;
}

int kumiko::benchCommand(const Invocation &invocation, ProblemList &problems) {
  unsigned threads = invocation.threadCount(OPT_threads, problems);
  if (problems.hasErrors())
    return 0;
  auto model = openModel(invocation, problems);
  if (!model)
    return 0;
  Executable &executable = *model->executable;
  std::vector<Tensor> inputs = inputsOf(invocation, executable, /*randomOtherwise=*/true, problems);
  if (problems.hasErrors() || !executable.prepare(inputs, threads, problems))
    return 0;
  auto measured = measure(executable, problems);
  if (!measured)
    return 0;
  if (invocation.has(OPT_json)) {
    llvm::json::OStream json(llvm::outs(), /*IndentSize=*/0);
    json.object([&] {
      json.attribute("compile_s", model->compileSeconds);
      json.attribute("first_run_ms", measured->firstMs);
      json.attribute("min_ms", measured->minimum());
      json.attribute("median_ms", measured->median());
      json.attribute("runs", int64_t(measured->ms.size()));
      json.attribute("threads", int64_t(executable.threads()));
    });
    llvm::outs() << "\n";
    return 0;
  }
  llvm::outs() << llvm::format("median %.3f ms, min %.3f ms, first %.3f ms over %zu runs on %u threads",
                               measured->median(), measured->minimum(), measured->firstMs, measured->ms.size(),
                               executable.threads());
  if (model->compiled)
    llvm::outs() << llvm::format("; compiled in %.2f s", model->compileSeconds);
  llvm::outs() << "\n";
  return 0;
}
