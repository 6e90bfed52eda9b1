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
static void printResult(const ProgramValue &value, const Tensor &tensor) {
  constexpr int64_t shown = 8;
  llvm::outs() << printable(value.name) << ": " << describe(tensor.element(), tensor.shape()) << " = [";
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

static void writeResults(llvm::StringRef path, const Executable &executable, ProblemList &problems) {
  std::vector<std::pair<llvm::StringRef, const Tensor *>> arrays;
  for (auto [value, tensor] : llvm::zip_equal(executable.outputs(), executable.results()))
    arrays.push_back({value.name, &tensor});
  if (llvm::Error error = writeNpzFile(path, arrays))
    problems.add(Code::CannotWrite, "cannot write " + printable(path) + ": " + toString(std::move(error)))
        .helped("give a path that can be written with --outputs");
}

int kumiko::runCommand(const Invocation &invocation, ProblemList &problems) {
  unsigned threads = invocation.threadCount(OPT_threads, problems);
  if (problems.hasErrors())
    return 0;
  auto model = openModel(invocation, problems);
  if (!model)
    return 0;
  std::vector<Tensor> inputs = inputsOf(invocation, *model->executable, /*randomOtherwise=*/false, problems);
  Executable &executable = *model->executable;
  if (problems.hasErrors() || !executable.prepare(inputs, threads, problems) || !executable.run(problems))
    return 0;
  if (invocation.has(OPT_outputs)) {
    writeResults(invocation.value(OPT_outputs), executable, problems);
    return 0;
  }
  for (auto [value, tensor] : llvm::zip_equal(executable.outputs(), executable.results()))
    printResult(value, tensor);
  return 0;
}
