//===- NpyFile.h - whole files in and out ---------------------------------------===//
#pragma once
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kumiko {

/// The content of a regular file. Anything else (a device, a pipe) has no end to rely on and is refused.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> mapFile(llvm::StringRef path);

/// Writes beside `path` and renames, so that nobody ever sees half a file. A path that exists and is not a regular
/// file (`/dev/null`) is written in place; a symbolic link is followed.
llvm::Error writeWhole(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write);

/// The start of a text from a file, fit for a message.
std::string shownText(llvm::StringRef text);

} // namespace kumiko
