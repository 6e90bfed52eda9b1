//===- Objects.h - kernels to object code -----------------------------------===//
//
// Each kernel is one object of its own, with one hidden global symbol. The JIT, the object file and the shared library
// are put together from the same bytes.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace kumiko {

/// A relocatable object in memory.
struct Object {
  /// The kernel's symbol, or `table`.
  std::string name;
  llvm::SmallVector<char, 0> bytes;
  /// Wall time it took; for `--timing` only.
  double seconds = 0;
};

/// Optimises the module and returns its object code.
llvm::Expected<llvm::SmallVector<char, 0>> assemble(llvm::Module &module, const Target &target);

/// Compiles each kernel: a module of the LLVM dialect whose one public function is
/// `i32 k_<hash>(ptr buffers, ptr symbols, i64 chunk, ptr scratch)`. Runs on the thread pool of the modules' context;
/// the result has the order of `kernels` and does not depend on the number of threads. `progress` is called once for
/// each finished kernel, from any thread.
llvm::Expected<std::vector<Object>> compileKernels(llvm::ArrayRef<mlir::ModuleOp> kernels, const Target &target,
                                                   llvm::function_ref<void()> progress = nullptr);

} // namespace kumiko
