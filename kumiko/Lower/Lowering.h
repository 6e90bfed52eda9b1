//===- Lowering.h - from an instance to linalg on tensors ------------------===//
//
// One statement becomes at most one linalg.generic, with views of its operands before it and a view of its result
// after it. What can be said with indexing maps is said with them, because fusion and scheduling look at nothing else:
//
//   in the statement                            in MLIR
//   x(i), x(0)                                  d0, 0 in the map
//   x((g, c))                                   tensor.expand_shape of x; never d0 * C + d1
//   x(start + i*step), x(i) on fewer points     tensor.extract_slice
//   x(o*stride + k*dilation)                    d0 * stride + d1 * dilation
//   x(affine) else c                            tensor.pad, then as above
//   x(i), x a constant of one number            arith.constant in the body
//   data-dependent, mod, clamp, backwards       tensor.extract at linalg.index arithmetic
//   sum and the like                            linalg.fill with the identity, then a generic that combines
//   y(offset + j) = x(j), blocks                tensor.insert_slice
//   y(anything else) += v                       turned around, then as above (Invert.h)
//
// A statement that only moves whole blocks (a pad, a slice, a concat) has no generic at all.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Error.h"

namespace kumiko::lower {

/// One instance on its way to linalg.
struct Lowering {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const eq::Instance &instance;
  /// By tensor number; null for what is absent or not computed yet. Element types are signless.
  llvm::SmallVector<mlir::Value, 8> values;
  /// By result number: somebody reads it.
  llvm::SmallVector<bool, 2> wanted;
  /// Bit for bit what the evaluator computes in the declared types.
  bool exact = false;

  bool isWanted(unsigned tensor) const;
};

/// Sets `values` for the targets of statement number `number`. The error says what about it is not compiled.
[[nodiscard]] llvm::Error lowerStatement(Lowering &lowering, unsigned number);

/// The results of the instance on these operands (null where absent); null for a result that is not wanted. `known` are
/// further tensors of it, by number, which are not computed again.
[[nodiscard]] llvm::Expected<llvm::SmallVector<mlir::Value, 2>>
lowerInstance(mlir::OpBuilder &builder, mlir::Location loc, const eq::Instance &instance,
              llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<bool> wanted, bool exact,
              llvm::ArrayRef<std::pair<unsigned, mlir::Value>> known = {});

} // namespace kumiko::lower
