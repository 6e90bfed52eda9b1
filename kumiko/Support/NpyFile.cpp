//===- NpyFile.cpp ----------------------------------------------------------------===//
#include "kumiko/Support/NpyFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace kumiko;
namespace fs = llvm::sys::fs;

static llvm::Error failAt(llvm::StringRef path, std::error_code code) {
  return llvm::createStringError(code, "'" + path + "': " + code.message());
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> kumiko::mapFile(llvm::StringRef path) {
  fs::file_status status;
  if (std::error_code code = fs::status(path, status))
    return failAt(path, code);
  if (!fs::is_regular_file(status))
    return llvm::createStringError("'" + path + "' is not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return failAt(path, buffer.getError());
  return std::move(*buffer);
}

std::string kumiko::shownText(llvm::StringRef text) {
  std::string shown;
  llvm::raw_string_ostream out(shown);
  llvm::printEscapedString(text.take_front(100), out);
  return shown;
}

/// Takes the error out of the stream: a stream destroyed with an error in it ends the program.
static std::error_code takeError(llvm::raw_fd_ostream &out) {
  out.flush();
  std::error_code code = out.error();
  out.clear_error();
  return code;
}

static llvm::Error writeInPlace(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  if (code)
    return failAt(path, code);
  write(out);
  if (std::error_code code = takeError(out))
    return failAt(path, code);
  return llvm::Error::success();
}

llvm::Error kumiko::writeWhole(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::SmallString<128> target(path);
  if (fs::exists(path)) {
    if (!fs::is_regular_file(path))
      return writeInPlace(path, write);
    if (std::error_code code = fs::real_path(path, target))
      return failAt(path, code);
  }
  llvm::Expected<fs::TempFile> file = fs::TempFile::create(target + ".%%%%%%%%.part");
  if (!file)
    return llvm::joinErrors(llvm::createStringError("cannot write beside '" + path + "'"), file.takeError());
  std::error_code code;
  {
    llvm::raw_fd_ostream out(file->FD, /*shouldClose=*/false);
    write(out);
    code = takeError(out);
  }
  if (code)
    return llvm::joinErrors(failAt(path, code), file->discard());
  return file->keep(target);
}
