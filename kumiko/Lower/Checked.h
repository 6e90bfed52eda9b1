//===- Checked.h - how an element is read whose place comes from data ------===//
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kumiko {

/// An array attribute of tensor.extract: the dimensions whose index may be anything. The kernel looks at them, reads
/// inside the tensor whatever they are, and answers KUMIKO_E_INDEX at its end when one was outside.
inline constexpr llvm::StringLiteral checkedAttribute = "checked";

/// A unit attribute of tensor.extract: indices outside of the tensor were replaced by 0, and what is read there is not
/// used.
inline constexpr llvm::StringLiteral guardedAttribute = "guarded";

} // namespace kumiko
