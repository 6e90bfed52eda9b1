//===- Progress.h - one line that says what is going on ---------------------===//
#pragma once
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace kumiko {

/// A line on standard error that is rewritten in place and wiped at the end. Silent off a terminal and for the first
/// second. May be stepped from any thread.
class ProgressLine {
public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { clear(); }

  /// Begins a task of `total` steps; 0 when they are not counted.
  void begin(llvm::StringRef task, uint64_t total = 0);
  void step();
  void clear();

private:
  void draw();

  const bool enabled;
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::string task;
  uint64_t total = 0, done = 0;
  bool drawn = false;
};

} // namespace kumiko
