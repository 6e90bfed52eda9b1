//===- Nearest.h - what somebody may have meant -----------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kumiko {

/// The closest of `candidates`, when it is close enough to be meant; else empty.
std::string nearest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace kumiko
