//===- Objects.h - kernels to object code -----------------------------------===//
//
// Each kernel is one object of its own, with one hidden global symbol. The JIT, the object file and the shared library
// are put together from the same bytes.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Module;
} // namespace llvm

namespace kumiko {

/// A relocatable object in memory.
struct Object {
  /// The kernel's symbol, or `table`.
  std::string name;
  llvm::SmallVector<char, 0> bytes;
  /// Wall time it took; for `--timing` only.
  double seconds = 0;
};

/// Optimises the module and returns its object code; ThreadSanitizer sees what is `watched` (WatchThreads.h).
llvm::Expected<llvm::SmallVector<char, 0>> assemble(llvm::Module &module, const Target &target, bool watched = false);

/// Compiles a kernel: a module of the LLVM dialect whose one public function is
/// `i32 k_<hash>(ptr buffers, ptr symbols, i64 chunk, ptr scratch)`. Kernels may be compiled side by side.
llvm::Expected<Object> compileKernel(mlir::ModuleOp kernel, const Target &target, bool watched = false);

/// What a context needs before kernels that live in it are compiled: loading a translation is not safe beside threads.
void registerTranslations(mlir::DialectRegistry &registry);

} // namespace kumiko
