//===- Pieces.h - a result as boxes to be written --------------------------===//
//
// The last ops of a kernel may only say where elements go: a pad around the result, a concatenation, a reshape. Instead
// of asking for every element of the padded tensor, templates compute each *piece* over its own box and store it at a
// linear place in the result, and fill the *borders* separately.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/KernelExtents.h"
#include "mlir/IR/BuiltinTypes.h"
#include <vector>

namespace kumiko {

/// source[d0, d1, ...] goes to offset constant + sum strides[i] * di of the flat result.
struct Piece {
  mlir::Value source;
  Extents strides;
  Extent constant;

  size_t rank() const { return strides.size(); }
};

/// Everything of a box outside [low, low + extent) holds `value`.
struct Border {
  Extents shape, low, extent, strides;
  Extent constant;
  mlir::Value value; ///< a scalar of the kernel's body
  /// So many of the last dimensions: what lies outside along them has been filled together with what lies inside.
  size_t doneDimensions = 0;
};

struct Output {
  std::vector<Piece> pieces;
  std::vector<Border> borders;
};

/// How `result` of a kernel is written, whose elements lie these strides apart; a whole of one piece where it does not
/// end in pads or inserts. A kernel that works `byRows` writes what it also reads as whole rows.
Output traceOutput(mlir::Value result, KernelExtents &extents, bool byRows, llvm::ArrayRef<Extent> strides);

Extents rowMajorStrides(llvm::ArrayRef<Extent> shape);

} // namespace kumiko
