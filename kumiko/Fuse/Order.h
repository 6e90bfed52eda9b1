//===- Order.h - calls behind all that they need -----------------------------===//
#pragma once
#include "mlir/IR/Block.h"

namespace kumiko {

/// Brings what an op needs in front of it, and leaves the order as it is elsewhere. An op needs its operands, and
/// whoever finds a symbol that it, or the kernel it calls, has in a type or an attribute: no operand tells of that.
void putInOrder(mlir::Block &block);

} // namespace kumiko
