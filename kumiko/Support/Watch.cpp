#include "kumiko/Support/Watch.h"

using namespace kumiko;

void Steps::begin(llvm::StringRef newTask, uint64_t newTotal) {
  if (!watch.progress)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  task = newTask.str();
  total = newTotal;
  done = 0;
  watch.progress(task, done, total);
}

void Steps::step() {
  if (!watch.progress)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  watch.progress(task, ++done, total);
}

bool Steps::stopped() {
  if (!canStop() || isStopped)
    return isStopped;
  std::lock_guard<std::mutex> lock(mutex);
  if (!isStopped && watch.cancelled())
    isStopped = true;
  return isStopped;
}

Problem kumiko::cancelledProblem() {
  return Problem(cancelledCode, "stopped, as the caller asked for").helped("nothing was written; begin again");
}
