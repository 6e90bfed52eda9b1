//===- OpShape.h - what fusion asks about an op ----------------------------===//
#pragma once
#include "kumiko/Equation/Extent.h"
#include "mlir/IR/Operation.h"

namespace kumiko {

/// The class of an op is the heaviest of its statements (docs/equations.md); ops without an equation are opaque.
enum class OpClass { Injective, Reduction, Contraction, Scatter, Opaque };

/// How an elementwise op reads one of its operands.
enum class ReadKind {
  Identity,    ///< at the position it writes
  Permutation, ///< each element once, in another order, the last dimension staying last
  Shifted,     ///< each element at most once, in the same order: a pad
  Part,        ///< at the position it writes, and a number of elements further along the last dimension
  Other
};

OpClass classOf(mlir::Operation *op);

/// How `op`, which must be injective, reads operand number `operand`.
ReadKind readKindOf(mlir::Operation *op, unsigned operand);

/// Where the part begins that `op` reads of operand number `operand` along its last dimension; nothing where it reads
/// otherwise.
std::optional<int64_t> partStartOf(mlir::Operation *op, unsigned operand);

/// The points of the op's largest statement: how often an operand may be read.
eq::Extent pointsOf(mlir::Operation *op);

} // namespace kumiko
