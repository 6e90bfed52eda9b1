#include "kumiko/Import/Build/ModelFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace kumiko {

namespace {

/// A file descriptor that closes itself.
struct Descriptor {
  int number = -1;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  explicit operator bool() const { return number >= 0; }
};

std::string textOf(int error) { return std::error_code(error, std::generic_category()).message(); }

/// The open regular file as memory. The kind is asked of the open file, so it cannot change in between.
std::unique_ptr<MemoryBuffer> mapped(const Descriptor &file, StringRef path, Code notRegular, Report report) {
  struct stat status;
  if (::fstat(file.number, &status) != 0) {
    report(Code::CannotOpen, "cannot read " + path + ": " + textOf(errno));
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    report(notRegular, path + " is not a regular file")
        .helped("give a plain file; folders, pipes and devices are refused");
    return nullptr;
  }
  auto buffer = MemoryBuffer::getOpenFile(file.number, path, status.st_size, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    report(Code::CannotOpen, "cannot read " + path + ": " + buffer.getError().message());
    return nullptr;
  }
  return std::move(*buffer);
}

// Without O_NONBLOCK, opening a pipe would wait for a writer for ever.
constexpr int readFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

} // namespace

std::shared_ptr<ModelFile> ModelFile::open(StringRef path, bool allowSymlinks, Report report) {
  auto model = std::make_shared<ModelFile>();
  model->name = path.str();
  model->allowSymlinks = allowSymlinks;
  Descriptor file(::open(model->name.c_str(), readFlags));
  if (!file) {
    report(Code::CannotOpen, "cannot open the model: " + textOf(errno)).helped("check the path and its permissions");
    return nullptr;
  }
  model->buffer = mapped(file, path, Code::CannotOpen, report);
  return model->buffer ? model : nullptr;
}

std::shared_ptr<ModelFile> ModelFile::of(std::unique_ptr<MemoryBuffer> bytes, bool allowSymlinks) {
  auto model = std::make_shared<ModelFile>();
  model->name = bytes->getBufferIdentifier().str();
  model->allowSymlinks = allowSymlinks;
  model->buffer = std::move(bytes);
  return model;
}

/// Says why a location is refused before anything is opened; empty when it may be tried.
static StringRef refusal(StringRef location) {
  if (location.empty())
    return "it is empty";
  if (location.contains('\0'))
    return "it contains a zero byte";
  if (sys::path::is_absolute(location))
    return "it is an absolute path";
  for (auto part = sys::path::begin(location), end = sys::path::end(location); part != end; ++part)
    if (*part == "..")
      return "it leaves the folder with ..";
  return "";
}

/// Opens `location` below `folder`, one component at a time: a link in the middle is found like one at the end.
static Descriptor openBelow(Descriptor folder, StringRef location, bool allowSymlinks, Report report) {
  std::string shown = "external data \"" + printable(location) + "\"";
  for (auto part = sys::path::begin(location), end = sys::path::end(location); part != end;) {
    std::string component = part->str();
    bool last = ++part == end;
    int flags = readFlags | (allowSymlinks ? 0 : O_NOFOLLOW) | (last ? 0 : O_DIRECTORY);
    Descriptor next(::openat(folder.number, component.c_str(), flags));
    if (!next) {
      int error = errno;
      struct stat status;
      // A link at the end gives ELOOP; one to a folder gives ENOTDIR, like a file in its place.
      bool link = !allowSymlinks &&
                  (error == ELOOP || (::fstatat(folder.number, component.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                                      S_ISLNK(status.st_mode)));
      if (link)
        report(Code::ExternalLink, shown + " leads over a symbolic link")
            .helped("links are refused because they can leave the model's folder; --allow-symlinks follows them");
      else if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG)
        report(Code::ExternalMissing, shown + " does not exist")
            .helped("put the file into the folder of the model, or save the model with its weights inside");
      else
        report(Code::CannotOpen, "cannot open " + shown + ": " + textOf(error)).helped("check the file's permissions");
      return Descriptor(-1);
    }
    folder = std::move(next);
  }
  return folder;
}

std::optional<StringRef> ModelFile::external(StringRef location, Report report) {
  if (auto known = files.find(location); known != files.end())
    return known->second ? std::optional(known->second->getBuffer()) : std::nullopt;
  std::unique_ptr<MemoryBuffer> &entry = files[location];
  if (StringRef reason = refusal(location); !reason.empty()) {
    report(Code::ExternalPath, "external data \"" + printable(location) + "\" is refused: " + reason)
        .helped("external data must be a relative path to a file in the model's folder or below it");
    return std::nullopt;
  }
  // What a program hands over as bytes alone is called so (Pipeline/ModelSource.h).
  if (StringRef(name).starts_with("memory:")) {
    report(Code::ExternalPath, "external data \"" + printable(location) + "\" is refused: the model is in memory alone")
        .helped("say in which folder its data lies, or save the model with its weights inside");
    return std::nullopt;
  }
  StringRef parent = sys::path::parent_path(name);
  Descriptor folder(::open(parent.empty() ? "." : parent.str().c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (!folder) {
    report(Code::CannotOpen, "cannot open the folder of the model: " + textOf(errno));
    return std::nullopt;
  }
  Descriptor file = openBelow(std::move(folder), location, allowSymlinks, report);
  if (file)
    entry = mapped(file, location, Code::ExternalKind, report);
  return entry ? std::optional(entry->getBuffer()) : std::nullopt;
}

MutableArrayRef<char> ModelFile::allocate(size_t size) {
  decoded.push_back(std::make_unique_for_overwrite<char[]>(size));
  return {decoded.back().get(), size};
}

} // namespace kumiko
