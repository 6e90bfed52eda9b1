//===- SignlessTypes.h - integer types without a sign, module-wide ---------===//
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace kumiko::lower {

/// tensor<4xui8> as tensor<4xi8>; what is below 8 bits, and floats of 8, as bytes; other types as they are. A tensor
/// loses its encoding.
mlir::Type signless(mlir::Type type);
/// A constant of unsigned elements with the same bytes.
mlir::ElementsAttr signless(mlir::ElementsAttr value);

/// Changes the type of every value, function and constant. linalg and arith know signless integers only; which ops to
/// apply to them has been decided by then. Ops whose meaning depends on the sign must have been looked at before and be
/// replaced after, for in between they do not verify. The extents of arguments and results of functions and kernels
/// that are not all numbers become attributes, `nn.extents = #nn.extents<"batch", 4>`, and those of results of ops
/// between kernels a list, `nn.extents = [#nn.extents<"batch", 4>, unit]`.
void makeSignless(mlir::ModuleOp module);

} // namespace kumiko::lower
