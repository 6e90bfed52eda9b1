//===- Allow.h - how far rewrites may go ------------------------------------===//
#pragma once
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace kumiko {

/// How far rewrites may go; each includes those before it.
enum class Allow : uint8_t { Exact, Rounding, Approximate };
llvm::StringRef nameOf(Allow allow);
std::optional<Allow> allowNamed(llvm::StringRef name);

} // namespace kumiko
