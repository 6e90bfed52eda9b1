//===- ModelFile.h - the mapped model and the files beside it ---------------===//
#pragma once
#include "kumiko/Support/Problem.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <vector>

namespace kumiko {

/// Adds a problem; the caller knows the place.
using Report = llvm::function_ref<Problem &(Code, const llvm::Twine &)>;

/// Keeps everything alive that a model's views point into: the mapped file, mapped external data, the arena of the
/// lists and the buffers of decoded tensors. Shared by the importer and the blobs of the weights.
class ModelFile {
public:
  /// Maps the file read-only. Null with a problem when it cannot be read or is no regular file.
  static std::shared_ptr<ModelFile> open(llvm::StringRef path, bool allowSymlinks, Report report);

  /// A model in memory; external data would lie beside `bytes->getBufferIdentifier()`.
  static std::shared_ptr<ModelFile> of(std::unique_ptr<llvm::MemoryBuffer> bytes, bool allowSymlinks);

  llvm::StringRef path() const { return name; }
  llvm::StringRef bytes() const { return buffer->getBuffer(); }
  llvm::BumpPtrAllocator &arena() { return allocator; }

  /// The whole of the file `location`, which must lie in the model's folder or below: a relative path without `..` that
  /// leads over no symbolic link (unless allowed) to a regular file. Each file is opened once and checked when open.
  std::optional<llvm::StringRef> external(llvm::StringRef location, Report report);

  /// Room for a decoded tensor, uninitialised; lives as long as this.
  llvm::MutableArrayRef<char> allocate(size_t size);

private:
  std::string name;
  bool allowSymlinks = false;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  llvm::BumpPtrAllocator allocator;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
  std::vector<std::unique_ptr<char[]>> decoded;
};

} // namespace kumiko
