#include "kumiko/Emit/OutputFile.h"
#include "kumiko/Support/EmitError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include <array>
#include <atomic>
#include <csignal>
#include <mutex>

using namespace kumiko;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Set once, by the program's main.
static std::atomic<bool> removesOnSignals = false;

void kumiko::removeUnfinishedOnSignals() { removesOnSignals = true; }

void kumiko::keepSignalHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::array<struct sigaction, NSIG> before;
    for (int number = 1; number < NSIG; ++number)
      if (sigaction(number, nullptr, &before[number]) != 0)
        before[number].sa_flags = -1; // the C library keeps some for itself
    llvm::StringRef nothing = "kumiko-no-such-file";
    llvm::sys::RemoveFileOnSignal(nothing);
    llvm::sys::DontRemoveFileOnSignal(nothing);
    for (int number = 1; number < NSIG; ++number)
      if (before[number].sa_flags != -1 && number != SIGKILL && number != SIGSTOP)
        sigaction(number, &before[number], nullptr);
  });
}

static llvm::Error cannotWrite(llvm::StringRef file, std::error_code code) {
  llvm::StringRef help = "give a path that can be written with -o";
  if (code == std::errc::no_such_file_or_directory)
    help = "the folder does not exist; create it first";
  else if (code == std::errc::no_space_on_device || code == std::error_code(EDQUOT, std::generic_category()))
    help = "free some space or give another folder with -o";
  else if (code == std::errc::permission_denied || code == std::errc::read_only_file_system)
    help = "give a folder that you may write with -o";
  return emitError(Code::CannotWrite, "cannot write " + printable(file) + ": " + code.message(), help);
}

llvm::Expected<WorkFolder> WorkFolder::beside(llvm::StringRef output) {
  if (fs::is_directory(output))
    return emitError(Code::CannotWrite, "cannot write " + printable(output) + ": it is a folder",
                     "give the name of a file with -o");
  if (fs::exists(output) && !fs::can_write(output))
    return cannotWrite(output, std::make_error_code(std::errc::permission_denied));
  llvm::SmallString<128> folder(path::parent_path(output));
  path::append(folder, "." + path::filename(output) + ".");
  // Not createUniqueDirectory: that one insists on the system's folder.
  for (unsigned attempt = 0;; ++attempt) {
    llvm::SmallString<128> candidate = folder;
    candidate += std::to_string(llvm::sys::Process::getProcessId()) + "-" + std::to_string(attempt);
    std::error_code code = fs::create_directory(candidate, /*IgnoreExisting=*/false);
    if (!code)
      return WorkFolder(candidate);
    if (code != std::errc::file_exists || attempt == 100)
      return cannotWrite(output, code);
  }
}

WorkFolder::~WorkFolder() {
  if (!folder.empty())
    fs::remove_directories(folder);
}

std::string WorkFolder::file(llvm::StringRef name) const {
  llvm::SmallString<128> result = folder;
  path::append(result, name);
  if (removesOnSignals)
    llvm::sys::RemoveFileOnSignal(result);
  return std::string(result);
}

llvm::Error kumiko::writeFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return cannotWrite(path, code);
  write(stream);
  stream.close();
  if (stream.has_error()) {
    code = stream.error();
    stream.clear_error();
    return cannotWrite(path, code);
  }
  return llvm::Error::success();
}

llvm::Error kumiko::renameInto(llvm::StringRef finished, llvm::StringRef output) {
  if (std::error_code code = fs::rename(finished, output))
    return cannotWrite(output, code);
  if (removesOnSignals)
    llvm::sys::DontRemoveFileOnSignal(finished);
  return llvm::Error::success();
}

llvm::Error kumiko::writeFileWhole(llvm::StringRef output, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  auto folder = WorkFolder::beside(output);
  if (!folder)
    return folder.takeError();
  std::string file = folder->file("file");
  if (llvm::Error error = writeFile(file, write))
    return error;
  return renameInto(file, output);
}
