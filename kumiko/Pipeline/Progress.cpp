#include "kumiko/Pipeline/Progress.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace kumiko;

ProgressLine::ProgressLine(bool wanted) : enabled(wanted && llvm::sys::Process::StandardErrIsDisplayed()) {}

void ProgressLine::begin(llvm::StringRef newTask, uint64_t newTotal) {
  std::lock_guard<std::mutex> lock(mutex);
  task = newTask.str();
  total = newTotal;
  done = 0;
  draw();
}

void ProgressLine::step() {
  std::lock_guard<std::mutex> lock(mutex);
  ++done;
  draw();
}

void ProgressLine::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  if (drawn)
    llvm::errs() << "\r\x1b[K";
  drawn = false;
}

void ProgressLine::draw() {
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!enabled || seconds < 1)
    return;
  llvm::errs() << "\r\x1b[Kkumiko: " << task;
  if (total)
    llvm::errs() << " " << done << "/" << total;
  llvm::errs() << llvm::format(", %.0f s", seconds);
  drawn = true;
}
