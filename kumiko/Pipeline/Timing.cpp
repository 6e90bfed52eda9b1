#include "kumiko/Pipeline/Timing.h"
#include "kumiko/Support/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace kumiko;

double Timing::total() const {
  double sum = 0;
  for (const StageTime &stage : stages)
    sum += stage.seconds;
  return sum;
}

void Timing::add(Stage stage, double seconds) {
  for (StageTime &known : stages)
    if (known.stage == stage) {
      known.seconds += seconds;
      return;
    }
  stages.push_back({stage, seconds});
}

void Timing::print(llvm::raw_ostream &os) const {
  os << "stage        seconds\n";
  for (const StageTime &stage : stages)
    os << llvm::left_justify(nameOf(stage.stage), 12) << llvm::format("%8.3f\n", stage.seconds);
  os << llvm::left_justify("total", 12) << llvm::format("%8.3f\n", total());
  if (!cache.empty())
    os << "\n" << cache << "\n";
  if (kernels.empty())
    return;
  llvm::SmallVector<const KernelTime *> sorted(llvm::make_pointer_range(kernels));
  llvm::sort(sorted, [](const KernelTime *a, const KernelTime *b) { return a->seconds > b->seconds; });
  os << "\nkernel to object code (one thread each), slowest first\n";
  for (const KernelTime *kernel : sorted)
    os << llvm::format("%8.3f  ", kernel->seconds) << kernel->kernel << "  " << printable(kernel->nodes)
       << (kernel->calls > 1 ? " and " + std::to_string(kernel->calls - 1) + " more" : "") << "\n";
}
