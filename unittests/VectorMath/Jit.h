//===- Jit.h - one math function, compiled and callable ---------------------===//
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <memory>
#include <string>

namespace kumiko {

/// How the compiled function walks its arguments.
struct LoopShape {
  /// What it computes on: `f32`, `vector<8xf32>`, ...
  std::string type = "vector<8xf32>";
  unsigned elements = 8; ///< of the type
};

/// The function over arrays of Compiled::count floats: y[i] = f(a[i]) or f(a[i], b[i]).
class CompiledMath {
public:
  static constexpr unsigned count = 1024;

  /// `name` is a name that mathFunctionNamed knows. Fails with a message when something does not compile.
  static llvm::Expected<CompiledMath> create(llvm::StringRef name, const LoopShape &shape = {});

  void operator()(const float *a, const float *b, float *y) const { entry(a, b, y); }

private:
  CompiledMath(std::unique_ptr<llvm::orc::LLJIT> jit, void (*entry)(const float *, const float *, float *))
      : jit(std::move(jit)), entry(entry) {}

  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*entry)(const float *, const float *, float *);
};

} // namespace kumiko
