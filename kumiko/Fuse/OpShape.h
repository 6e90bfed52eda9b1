//===- OpShape.h - what fusion asks about an op ----------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "mlir/IR/Operation.h"

namespace kumiko {

/// The class of an op is the heaviest of its statements (docs/equations.md); ops without an equation are opaque.
enum class OpClass { Injective, Reduction, Contraction, Scatter, Opaque };

/// How an elementwise op reads one of its operands.
enum class ReadKind {
  Identity,    ///< at the position it writes, dimensions of one element aside
  Permutation, ///< each element once, in another order, the last dimension staying last
  Shifted,     ///< each element at most once, in the same order: a pad
  Part,        ///< at the position it writes, and a number of elements further along the last dimension
  Other
};

/// What fusion asks an op's equation, answered at once: it is instantiated for that.
struct OpShape {
  OpClass kind = OpClass::Opaque;
  /// How an injective op reads each of its operands.
  llvm::SmallVector<ReadKind, 3> reads;
  /// The points of its largest statement: how often an operand may be read.
  Extent points = std::numeric_limits<int64_t>::max();
  /// What one point of all its statements takes (Cost.h).
  int64_t work = 0;
  /// Its result is a box of its operand: whoever reads it may read that instead.
  bool isBox = false;
  /// Its operands are written as boxes of its result, one after the other: a concatenation.
  bool joinsBoxes = false;
};

OpShape shapeOf(mlir::Operation *op);

/// Where the part begins that `op` reads of operand number `operand` along its last dimension; nothing where it reads
/// otherwise.
std::optional<int64_t> partStartOf(mlir::Operation *op, unsigned operand);

/// The extents of a tensor without those that are 1.
llvm::SmallVector<Extent, 4> longExtentsOf(mlir::Value tensor);

/// A reshape that only adds or drops dimensions of one element: it goes along wherever bodies go.
bool isUnitReshape(mlir::Operation *op);

} // namespace kumiko
