//===- Jit.h - one math function, compiled and callable ---------------------===//
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <memory>
#include <optional>
#include <string>

namespace kumiko {

/// How the compiled function walks its arguments.
struct LoopShape {
  /// What it computes on: `f32`, `vector<8xf32>`, `vector<4xf64>`, ...
  std::string type = "vector<8xf32>";
  unsigned elements = 8; ///< of the type
  /// The machine is taken to have fused multiply-add.
  bool fma = true;
  /// The second argument, where it is a constant.
  std::optional<double> second = std::nullopt;

  std::string element() const { return llvm::StringRef(type).contains("f64") ? "f64" : "f32"; }
  /// As it lies in memory.
  std::string flatType() const {
    return type == element() ? type : "vector<" + std::to_string(elements) + "x" + element() + ">";
  }
};

/// The function over arrays of Compiled::count elements: y[i] = f(a[i]) or f(a[i], b[i]).
class CompiledMath {
public:
  static constexpr unsigned count = 1024;

  /// `name` is a name that mathFunctionNamed knows. Fails with a message when something does not compile.
  static llvm::Expected<CompiledMath> create(llvm::StringRef name, const LoopShape &shape = {});

  /// On elements of the type that it was compiled for.
  template <typename Real> void operator()(const Real *a, const Real *b, Real *y) const { entry(a, b, y); }

private:
  using Entry = void (*)(const void *, const void *, void *);

  CompiledMath(std::unique_ptr<llvm::orc::LLJIT> jit, Entry entry) : jit(std::move(jit)), entry(entry) {}

  std::unique_ptr<llvm::orc::LLJIT> jit;
  Entry entry;
};

} // namespace kumiko
