//===- OutputFile.h - files that appear whole or not at all -----------------===//
#pragma once
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace kumiko {

/// A folder beside the output for what is made on the way; removed with everything in it. Beside, because the result is
/// renamed into place and a rename does not cross file systems, and because the system's folder for temporary files may
/// be too small for the weights.
class WorkFolder {
public:
  /// Says in words why nothing can be written at `output` (a folder, no such folder, read-only).
  static llvm::Expected<WorkFolder> beside(llvm::StringRef output);
  WorkFolder(WorkFolder &&other) : folder(std::move(other.folder)) { other.folder.clear(); }
  ~WorkFolder();

  /// The path of a file in it. Names are the caller's, fixed, so that nothing random reaches an artefact.
  std::string file(llvm::StringRef name) const;

private:
  explicit WorkFolder(llvm::StringRef folder) : folder(folder) {}
  llvm::SmallString<128> folder;
};

/// From now on unfinished files go when a signal ends the process. For programs: in a library, signals are the business
/// of whoever uses it.
void removeUnfinishedOnSignals();

/// LLVM installs handlers for signals when it first makes a file that it wants to remove should one come, as lld does.
/// After this call it has done so, and the handlers of the process are those from before.
void keepSignalHandlers();

/// Creates `path` with what `write` gives out; a full disk is an error.
llvm::Error writeFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Puts a finished file in its place; what was there stays whole until then.
llvm::Error renameInto(llvm::StringRef finished, llvm::StringRef output);

/// writeFile beside `output`, then renameInto.
llvm::Error writeFileWhole(llvm::StringRef output, llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace kumiko
