//===- Views.h - values that are the same bytes under other shapes ---------===//
#pragma once
#include "mlir/IR/Value.h"

namespace kumiko::nn {

/// The value whose bytes `value` has.
mlir::Value underViews(mlir::Value value);

} // namespace kumiko::nn
