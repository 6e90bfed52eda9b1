//===- ScalarRun.h - the scalar loops of an op, compiled and loaded --------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "kumiko/Support/Tensor.h"
#include <vector>

namespace kumiko::bench {

/// Holds the buffers that the loops work on; operands stay the caller's.
class ScalarRun {
public:
  using Function = void (*)(void **);

  /// Compiles both orders of the reduced loops. `operands` in the order of the op's operands, with empty tensors for
  /// absent ones. Loops that the folder `kept` has are not compiled, and those that it has not stay there; it may be
  /// empty. Those that are `checked` look at each index that data say, as compiled ops do.
  static llvm::Expected<ScalarRun> make(const eq::Instance &instance, llvm::ArrayRef<Tensor> operands,
                                        llvm::StringRef kept, bool checked);
  /// One function per order that differs.
  llvm::ArrayRef<Function> orders() const { return functions; }
  void run(Function order) { order(pointers.data()); }
  /// The first result.
  const Tensor &result() const { return *first; }
  /// From now on the first result is written there: which pages it has must not matter for a comparison.
  void writeTo(uint8_t *memory);

private:
  std::vector<std::unique_ptr<Tensor>> buffers;
  std::vector<void *> pointers;
  const Tensor *first = nullptr;
  std::vector<Function> functions;
};

} // namespace kumiko::bench
