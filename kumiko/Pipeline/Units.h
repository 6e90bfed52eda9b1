//===- Units.h - kernels on their way from the plan to object code ----------===//
#pragma once
#include "kumiko/Emit/KernelCache.h"
#include "kumiko/Pipeline/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"

namespace kumiko {

/// A kernel from Plan on: alone in a module that says what machine it is for, as the network's did, and has the symbols
/// of the program as `nn.symbols`. Nothing else decides what its code is.
struct KernelUnit {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Set once the kernel is compiled; of a kernel that has nothing to write, without bytes.
  Object object;
  /// Wall time of each half.
  double codegenSeconds = 0, objectSeconds = 0;
  /// The object was found in the cache.
  bool isCached = false;
};

/// Who compiles, for what, and what it remembers.
struct UnitCompiler {
  const PipelineOptions &options;
  const Target &target;
  /// Null for none.
  const KernelCache *cache = nullptr;
  /// Called once for each unit, from any thread.
  llvm::function_ref<void()> progress;
  /// Asked before each; when it says yes, the rest is left out.
  llvm::function_ref<bool()> stopped;

  /// A digest of all that decides the code of a unit that is not lowered yet: its IR, the passes with their options,
  /// the back end, the target and this very build of the compiler.
  KernelCache::Key keyOf(KernelUnit &unit) const;
};

/// Takes the kernels out of the network's module, and drops the functions: the program was made from them.
std::vector<KernelUnit> takeUnits(mlir::ModuleOp module);

/// Runs the passes of Codegen over each unit, side by side. Fails with diagnostics, in the order of the units.
mlir::LogicalResult lowerUnits(llvm::MutableArrayRef<KernelUnit> units, const PipelineOptions &options);

/// The same, and makes object code of each as soon as its passes are done; what is lowered already is compiled only,
/// and what the cache has is taken from there. The result does not depend on the number of threads. Fails with
/// diagnostics or with errors.
mlir::LogicalResult compileUnits(llvm::MutableArrayRef<KernelUnit> units, const UnitCompiler &compiler,
                                 llvm::Error &errors);

} // namespace kumiko
