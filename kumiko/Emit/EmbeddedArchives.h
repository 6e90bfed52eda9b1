//===- EmbeddedArchives.h - static libraries that travel inside the tool ----===//
#pragma once
#include "kumiko/Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace kumiko {

struct EmbeddedArchive {
  llvm::StringRef name; ///< of the library, such as `KumikoRuntime`
  llvm::StringRef bytes;
};

/// What goes into shared libraries for `target`, position-independent; empty when this tool has nothing for such
/// machines.
llvm::SmallVector<EmbeddedArchive, 2> embeddedArchives(const Target &target);

} // namespace kumiko
