#include "tools/kumiko/ProgressLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <memory>

using namespace kumiko;

namespace {
class ProgressLine {
public:
  void show(llvm::StringRef task, uint64_t done, uint64_t total) {
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (task.empty())
      return clear();
    if (seconds < 1)
      return;
    llvm::errs() << "\r\x1b[Kkumiko: " << task;
    if (total)
      llvm::errs() << " " << done << "/" << total;
    llvm::errs() << llvm::format(", %.0f s", seconds);
    drawn = true;
  }

private:
  void clear() {
    if (drawn)
      llvm::errs() << "\r\x1b[K";
    drawn = false;
  }

  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  bool drawn = false;
};
} // namespace

Watch kumiko::watchOnTerminal() {
  Watch watch;
  if (!llvm::sys::Process::StandardErrIsDisplayed())
    return watch;
  watch.progress = [line = std::make_shared<ProgressLine>()](llvm::StringRef task, uint64_t done, uint64_t total) {
    line->show(task, done, total);
  };
  return watch;
}
