//===- Watch.h - who hears about work, and may stop it ----------------------===//
#pragma once
#include "kumiko/Support/Problem.h"
#include <atomic>
#include <functional>
#include <mutex>
#include <string>

namespace kumiko {

/// What a caller may want from work that takes long. Both functions may be missing, then nobody hears anything and
/// nobody stops it. They are called from any thread, but never two calls at a time, and must not start other work.
struct Watch {
  /// What is being done, and how many of its steps are; `total` is 0 where they are not counted. An empty task: nothing
  /// is being done any more.
  std::function<void(llvm::StringRef task, uint64_t done, uint64_t total)> progress;
  /// Asked between steps. Once it has said yes it is not asked again, and the work ends with the problem `Cancelled`.
  std::function<bool()> cancelled;
};

/// One piece of work under a watch.
class Steps {
public:
  explicit Steps(Watch watch) : watch(std::move(watch)) {}
  ~Steps() { begin(""); }

  /// Begins a task of `total` steps; 0 when they are not counted.
  void begin(llvm::StringRef task, uint64_t total = 0);
  void step();
  /// Somebody may say stop.
  bool canStop() const { return bool(watch.cancelled); }
  /// Somebody has.
  bool stopped();

private:
  const Watch watch;
  std::mutex mutex;
  std::string task;
  uint64_t total = 0, done = 0;
  std::atomic<bool> isStopped = false;
};

/// K0012, of the environment. Only programs that use the library meet it, so it is none of Problems.def.
inline constexpr Code cancelledCode = Code(12);
/// Says that the caller stopped the work.
Problem cancelledProblem();

} // namespace kumiko
