//===- Overwrites.h - results in the place of operands that end ------------===//
#pragma once
#include "kumiko/Plan/Joins.h"
#include "kumiko/Plan/Place.h"
#include "mlir/IR/BuiltinOps.h"

namespace kumiko {

/// Gives results the places of operands that nobody reads any more, where the kernel's layouts allow it
/// (Kernel/Layouts.h). Operands are never inputs, weights, parts of a
/// joined tensor, or what lives outside of the loop or branch.
class Overwrites {
public:
  Overwrites(mlir::ModuleOp module, Places &places, const Joins &joins)
      : module(module), places(places), joins(joins) {}

  /// Chooses for one call, whose operands have their places. Fails with a diagnostic.
  mlir::LogicalResult take(nn::CallOp call, llvm::function_ref<Extent(mlir::Value)> bytesOf);

  /// Says of each kernel what some call makes use of.
  void writeLayouts();

private:
  bool endsWith(nn::CallOp call, unsigned number) const;
  bool isTaken(mlir::Value value, nn::CallOp call) const;

  mlir::ModuleOp module;
  Places &places;
  const Joins &joins;
  llvm::MapVector<mlir::Operation *, Layouts> used; ///< by kernel; `inPlace` is what calls make use of
};

} // namespace kumiko
