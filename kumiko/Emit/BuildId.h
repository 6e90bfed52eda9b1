//===- BuildId.h - which compiler this is, to the byte ----------------------===//
#pragma once
#include <string>

namespace kumiko {

/// A digest of what makes code: the program or library that this function is in, and LLVM's and MLIR's libraries. It
/// changes with every build that differs, whatever its version says. By the linker's build ids; of a file without one,
/// by its bytes. Empty where neither can be read.
const std::string &buildId();

} // namespace kumiko
