//===- Refusal.h - which ops of the graph have a way to code -----------------===//
//
// The one answer to "will this compile?", for the pass that stops a compilation before any kernel is made
// (refuse-uncompiled) and for `kumiko inspect`, which asks it about a model as imported. An op with an equation is
// lowered for trial, away from its graph, so what is said here is what the lowering would say.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/Decision.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace kumiko::lower {

class Refusals {
public:
  explicit Refusals(mlir::ModuleOp module);

  /// Whether `op` of a function can be compiled. Equal ops are tried once.
  Decision ask(mlir::Operation *op);

private:
  /// Name and constants of one number, attributes, types of operands and results, and which results are read.
  using Key = std::tuple<mlir::Attribute, mlir::Attribute, mlir::Type, uint64_t>;
  llvm::DenseMap<Key, Decision> known;
  mlir::MLIRContext *context;

  Decision tryToLower(mlir::Operation *op, uint64_t wanted);
};

/// Calls `tell` for each op of the module's functions that cannot be compiled. `foldable`: ops that depend on no
/// argument are passed over, because Optimize computes them.
void findRefusals(mlir::ModuleOp module, bool foldable,
                  llvm::function_ref<void(mlir::Operation *, llvm::StringRef why)> tell);

} // namespace kumiko::lower
