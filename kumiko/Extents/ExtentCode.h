//===- ExtentCode.h - an extent as steps of a stack machine ----------------===//
//
// Whoever computes an extent elsewhere (a kernel at its entry, the runtime when shapes are bound) gets it as steps and
// need not know how polynomials are stored:
//
//   2*batch*seq + 1    ->    2  batch  *  seq  *  1  +
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"

namespace kumiko {

/// Constants and symbols are pushed; every other step takes two values and pushes one, the left operand lies below.
struct ExtentStep {
  enum class Kind : uint8_t { Constant, Symbol, Add, Multiply, FloorDiv, Max, Min, Broadcast };
  Kind kind = Kind::Constant;
  int64_t value = 0;    ///< of a constant
  llvm::StringRef name; ///< of a symbol; lives as long as the extent
};

/// The steps whose last result is `extent`, which must not be overflowed.
llvm::SmallVector<ExtentStep> codeOf(const Extent &extent);

} // namespace kumiko
