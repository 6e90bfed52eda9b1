//===- Exact.h - how a generic says that it must not be reordered ----------===//
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kumiko {

/// A unit attribute of linalg.generic: its reductions run one point after the other, in the order of its loops, and a
/// product and a sum round one after the other.
inline constexpr llvm::StringLiteral exactAttribute = "exact";

} // namespace kumiko
