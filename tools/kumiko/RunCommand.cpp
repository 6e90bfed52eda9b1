#include "kumiko/Support/Convert.h"
#include "kumiko/Support/Npy.h"
#include "tools/kumiko/Commands.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace kumiko;

static void printValue(const Tensor &tensor, int64_t index) {
  if (isFloat(tensor.element()))
    llvm::outs() << llvm::format("%.6g", valueAt(tensor, index));
  else
    llvm::outs() << integerAt(tensor, index);
}

/// One line for each output: type, the first values, the largest.
static void printResult(llvm::StringRef name, const Tensor &tensor) {
  constexpr int64_t shown = 8;
  llvm::outs() << printable(name) << ": " << describe(tensor.element(), tensor.shape()) << " = [";
  for (int64_t i = 0; i < std::min(tensor.count(), shown); ++i) {
    llvm::outs() << (i ? ", " : "");
    printValue(tensor, i);
  }
  llvm::outs() << (tensor.count() > shown ? ", ...]" : "]");
  int64_t largest = 0;
  for (int64_t i = 1; i < tensor.count(); ++i)
    if (valueAt(tensor, i) > valueAt(tensor, largest))
      largest = i;
  if (tensor.count() > 1) {
    llvm::outs() << ", largest ";
    printValue(tensor, largest);
    llvm::outs() << " at " << largest;
  }
  llvm::outs() << "\n";
}

/// To the file of `--outputs`, or in words.
static void give(const Invocation &invocation, llvm::ArrayRef<std::pair<llvm::StringRef, const Tensor *>> results,
                 ProblemList &problems) {
  if (!invocation.has(OPT_outputs)) {
    for (auto [name, tensor] : results)
      printResult(name, *tensor);
    return;
  }
  llvm::StringRef path = invocation.value(OPT_outputs);
  if (llvm::Error error = writeNpzFile(path, results))
    problems.add(Code::CannotWrite, "cannot write " + printable(path) + ": " + toString(std::move(error)))
        .helped("give a path that can be written with --outputs");
}

static int runByReference(const Invocation &invocation, ProblemList &problems) {
  auto outputs = runReference(invocation, problems);
  if (!outputs)
    return 0;
  std::vector<std::pair<llvm::StringRef, const Tensor *>> results;
  for (const NamedTensor &output : *outputs)
    results.push_back({output.name, &output.tensor});
  give(invocation, results, problems);
  return 0;
}

int kumiko::runCommand(const Invocation &invocation, ProblemList &problems) {
  unsigned threads = invocation.threadCount(OPT_threads, problems);
  if (problems.hasErrors())
    return 0;
  if (invocation.has(OPT_reference))
    return runByReference(invocation, problems);
  auto model = openModel(invocation, problems);
  if (!model)
    return 0;
  std::vector<Tensor> inputs = inputsOf(invocation, *model->executable, /*randomOtherwise=*/false, problems);
  Executable &executable = *model->executable;
  if (problems.hasErrors() || !executable.prepare(inputs, threads, problems) || !executable.run(problems))
    return 0;
  std::vector<std::pair<llvm::StringRef, const Tensor *>> results;
  for (auto [value, tensor] : llvm::zip_equal(executable.outputs(), executable.results()))
    results.push_back({value.name, &tensor});
  give(invocation, results, problems);
  return 0;
}
