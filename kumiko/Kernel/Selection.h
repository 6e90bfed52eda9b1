//===- Selection.h - reductions that choose a value and its number ----------===//
//
// The largest element of a row and where it is: two results that change together, when a condition on the new value and
// the two holds. The rows of such a reduction can be searched in parts, for what is kept of two parts can be told from
// the condition alone: the one that would replace the other. Where neither would, or both, it is the first, or the
// last.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace kumiko {

/// Values of the body of a reduction whose second result is the number of its one reduced loop.
struct Selection {
  mlir::Value condition;
  /// What becomes the first result where the condition holds. The condition depends on it and on the results so far,
  /// and on nothing else.
  mlir::Value value;
};

/// `op` as one; nothing where it is not.
std::optional<Selection> selectionOf(mlir::linalg::GenericOp op);

} // namespace kumiko
