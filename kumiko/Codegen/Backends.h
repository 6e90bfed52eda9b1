//===- Backends.h - the back ends that are built in -------------------------===//
#pragma once
#include "kumiko/Codegen/Common/Backend.h"

namespace kumiko {

/// All that are built in; the first one is taken where nobody asks for another.
llvm::ArrayRef<const Backend *> allBackends();
const Backend *backendNamed(llvm::StringRef name);
/// "cpu, plain", for messages.
std::string backendNames();

} // namespace kumiko
