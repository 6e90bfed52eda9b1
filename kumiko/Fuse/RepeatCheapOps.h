//===- RepeatCheapOps.h - cheap ops are computed by each of their readers -===//
#pragma once
#include "kumiko/Target/Target.h"
#include "mlir/IR/Block.h"

namespace kumiko {

/// A dequantisation or cast that makes a tensor larger is given to each reader that can compute it on the way: reading
/// bytes several times costs less than writing and reading floats once.
///
///   y = dequantize(x);  a = add(y, p);  b = add(y, q)     becomes     a = add(dequantize(x), p);  b = ...
///
/// So is a part of a tensor, which costs nothing at all.
void repeatCheapOps(mlir::Block &block, const Target &target);

} // namespace kumiko
