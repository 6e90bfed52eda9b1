//===- ScalarRun.h - the scalar loops of an op, compiled and loaded --------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "kumiko/Support/Tensor.h"
#include <vector>

namespace kumiko::bench {

/// Holds the buffers that the loops work on; operands stay the caller's.
class ScalarRun {
public:
  /// Compiles both orders of the reduced loops and keeps the faster. `operands` in the order of the op's operands, with
  /// empty tensors for absent ones.
  static llvm::Expected<ScalarRun> make(const eq::Instance &instance, llvm::ArrayRef<Tensor> operands);
  void run() { function(pointers.data()); }
  /// The first result.
  const Tensor &result() const { return *first; }

private:
  using Function = void (*)(void **);
  std::vector<std::unique_ptr<Tensor>> buffers;
  std::vector<void *> pointers;
  const Tensor *first = nullptr;
  Function function = nullptr;
};

} // namespace kumiko::bench
