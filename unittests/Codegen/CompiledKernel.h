//===- CompiledKernel.h - one kernel, compiled and called by hand -----------===//
#pragma once
#include "kumiko/Kernel/Layouts.h"
#include "kumiko/Schedule/Schedule.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace kumiko {

/// A kernel as Lower leaves it, scheduled, compiled and loaded. Its buffers are f32.
class CompiledKernel {
public:
  /// `text` is a module with a function @main that lists the symbols, and a kernel @k. Null when something fails, with
  /// a failed expectation.
  static std::unique_ptr<CompiledKernel> create(llvm::StringRef text);
  ~CompiledKernel();

  /// Runs all chunks, the last one first, and returns the results. Every buffer ends where the next page may not be
  /// touched; an argument that the schedule wants packed is packed, and a result that may take an argument's place
  /// does. The worst answer of a chunk is expected to be `status`.
  std::vector<std::vector<float>> run(llvm::ArrayRef<int64_t> symbols, llvm::ArrayRef<std::vector<float>> arguments,
                                      int status = 0) const;

  const Schedule &schedule() const;
  const Layouts &layouts() const;

private:
  struct State;
  explicit CompiledKernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace kumiko
