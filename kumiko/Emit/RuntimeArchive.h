//===- RuntimeArchive.h - the runtime that goes into shared libraries -------===//
#pragma once
#include "kumiko/Emit/Target.h"
#include "llvm/ADT/StringRef.h"

namespace kumiko {

/// The bytes of the position-independent libkumiko_runtime.a for `target`; empty when this tool carries none.
llvm::StringRef runtimeArchive(const Target &target);

} // namespace kumiko
