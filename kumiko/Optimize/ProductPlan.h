//===- ProductPlan.h - the order of dimensions in a normal form ------------===//
#pragma once
#include "kumiko/Optimize/ProductForm.h"
#include "mlir/IR/Operation.h"

namespace kumiko::optimize {

/// The order that each tensor has in the normal form: groups of dimensions, each of which becomes one.
struct ProductPlan {
  using Group = llvm::SmallVector<ProductToken, 2>;
  llvm::StringRef name; ///< of the op
  /// The factors change places: what is called `x` is the second of a matrix product.
  bool isSwapped = false;
  llvm::SmallVector<Group, 6> x, w, y;
  /// Elements that change their place at run time.
  int64_t moved = 0;
  /// Elements of both factors are used more than once.
  bool reuses = false;
};

/// The plan that moves the least. `op` has the statement as its only one, or as one of several.
ProductPlan planOf(const ProductForm &form, const eq::Instance &instance, mlir::Operation *op);

/// Whether the factor is a constant operand of `op`, which is laid out when compiling.
bool isKnown(mlir::Operation *op, const eq::Instance &instance, const ProductTensor &factor);

} // namespace kumiko::optimize
