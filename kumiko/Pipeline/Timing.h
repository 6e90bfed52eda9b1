//===- Timing.h - where compile time went -----------------------------------===//
#pragma once
#include "kumiko/Pipeline/Stage.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <string>
#include <vector>

namespace kumiko {

struct Timing {
  struct StageTime {
    Stage stage;
    double seconds;
  };
  struct KernelTime {
    std::string kernel;
    std::string nodes; ///< of its first call
    uint64_t calls;
    double seconds; ///< of one thread
  };
  llvm::SmallVector<StageTime, 8> stages;
  std::vector<KernelTime> kernels;
  /// What the cache of kernels did, a sentence; empty where nobody asked for one.
  std::string cache;

  /// Stages in the order of their first time.
  void add(Stage stage, double seconds);
  double total() const;
  /// Stages in order, then the kernels, slowest first.
  void print(llvm::raw_ostream &os) const;
};

/// Adds the time between its construction and destruction to a stage.
class StageTimer {
public:
  StageTimer(Timing &timing, Stage stage) : timing(timing), stage(stage) {}
  ~StageTimer() { timing.add(stage, seconds()); }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

private:
  Timing &timing;
  Stage stage;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace kumiko
