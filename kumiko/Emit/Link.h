//===- Link.h - lld in process ----------------------------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace kumiko {

/// Runs `ld.lld arguments` on one thread. One at a time: lld keeps global state.
llvm::Error runLinker(llvm::ArrayRef<std::string> arguments);

/// Turns every hidden symbol of the relocatable object `from` into a local one and writes `to`. Two models in one
/// program may then hold kernels of the same name.
llvm::Error localizeHidden(llvm::StringRef from, llvm::StringRef to);

/// The C libraries that this process runs on (libc, libm, the loader): what a shared library for this machine is linked
/// against. Only their sonames and symbol versions reach the output.
std::vector<std::string> hostCLibraries();

} // namespace kumiko
