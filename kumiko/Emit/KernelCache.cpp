#include "kumiko/Emit/KernelCache.h"
#include "kumiko/Support/EmitError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kumiko;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// An entry: these words, the key, the size of the object, the object, and the digest of all that.
static constexpr llvm::StringLiteral magic = "kumiko kernel 1\n";
static constexpr size_t headBytes = magic.size() + 32 + 8, digestBytes = 32;
/// No kernel is this large; a file that says so is not read.
static constexpr uint64_t mostBytes = 1ull << 30;
static constexpr llvm::StringLiteral entrySuffix = ".kernel", asideSuffix = ".tmp";

static std::optional<uint64_t> parseSize(llvm::StringRef text) {
  unsigned shift = text.consume_back("K") ? 10 : text.consume_back("M") ? 20 : text.consume_back("G") ? 30 : 0;
  uint64_t number = 0;
  if (text.getAsInteger(10, number) || number > (UINT64_MAX >> shift))
    return std::nullopt;
  return number << shift;
}

static llvm::StringRef variable(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

KernelCache::Place KernelCache::placeOf() {
  Place place;
  if (variable("KUMIKO_CACHE") == "0") {
    place.why = "KUMIKO_CACHE=0";
    return place;
  }
  if (llvm::StringRef size = variable("KUMIKO_CACHE_SIZE"); !size.empty()) {
    std::optional<uint64_t> limit = parseSize(size);
    if (!limit)
      place.why = "KUMIKO_CACHE_SIZE is '" + printable(size) + "', not a number of bytes like 500M";
    place.limit = limit.value_or(0);
  }
  llvm::SmallString<128> folder(variable("KUMIKO_CACHE_DIR"));
  if (folder.empty()) {
    folder = variable("XDG_CACHE_HOME");
    // One that is not absolute is to be ignored, says the standard of these folders.
    if (!path::is_absolute(folder)) {
      folder = variable("HOME");
      if (path::is_absolute(folder))
        path::append(folder, ".cache");
    }
    if (path::is_absolute(folder))
      path::append(folder, "kumiko");
    else
      folder.clear();
  }
  place.folder = folder.str().str();
  if (place.folder.empty() && place.why.empty())
    place.why = "no home folder; set KUMIKO_CACHE_DIR";
  return place;
}

/// Empty where the folder is this user's alone to write in.
static std::string whyUnusable(const std::string &folder) {
  struct stat status;
  if (stat(folder.c_str(), &status) != 0)
    return std::string(strerror(errno));
  if (!S_ISDIR(status.st_mode))
    return "it is no folder";
  if (status.st_uid != geteuid())
    return "it belongs to another user";
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return "others may write in it";
  return "";
}

KernelCache::KernelCache(Place place) : at(std::move(place)) {
  if (!isUsable())
    return;
  fs::create_directories(path::parent_path(at.folder));
  mkdir(at.folder.c_str(), S_IRWXU); // what went wrong shows below
  if (std::string why = whyUnusable(at.folder); !why.empty())
    at.why = printable(at.folder) + " cannot be used: " + why;
}

std::string KernelCache::pathOf(const Key &key) const {
  llvm::SmallString<128> file(at.folder);
  path::append(file, llvm::toHex(key, /*LowerCase=*/true) + entrySuffix);
  return file.str().str();
}

namespace {
/// Closes a file at the end.
struct OpenFile {
  int number;
  ~OpenFile() {
    if (number >= 0)
      close(number);
  }
};
} // namespace

static bool readAll(int file, char *to, size_t size) {
  while (size) {
    ssize_t got = read(file, to, size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    to += got;
    size -= got;
  }
  return true;
}

static KernelCache::Key digestOf(llvm::ArrayRef<char> bytes) {
  return llvm::BLAKE3::hash<digestBytes>(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

/// All of an entry before its digest.
static KernelCache::Bytes headOf(const KernelCache::Key &key, uint64_t size) {
  KernelCache::Bytes head(magic.begin(), magic.end());
  head.append(key.begin(), key.end());
  char number[8];
  llvm::support::endian::write64le(number, size);
  head.append(std::begin(number), std::end(number));
  return head;
}

std::optional<KernelCache::Bytes> KernelCache::find(const Key &key) const {
  if (!isUsable())
    return std::nullopt;
  // A link could lead to what somebody else may write, and a pipe would make us wait.
  OpenFile file{open(pathOf(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      status.st_mode & (S_IWGRP | S_IWOTH))
    return std::nullopt;
  auto size = uint64_t(status.st_size);
  if (size < headBytes + digestBytes || size > mostBytes)
    return std::nullopt;
  Bytes bytes;
  bytes.resize_for_overwrite(size);
  if (!readAll(file.number, bytes.data(), size))
    return std::nullopt;
  llvm::ArrayRef<char> whole(bytes), content = whole.drop_back(digestBytes);
  Key digest = digestOf(content);
  if (content.take_front(headBytes) != llvm::ArrayRef<char>(headOf(key, content.size() - headBytes)) ||
      std::memcmp(digest.data(), whole.take_back(digestBytes).data(), digestBytes) != 0)
    return std::nullopt;
  // The times that the system keeps by itself depend on how the disk is mounted.
  futimens(file.number, nullptr);
  return Bytes(content.drop_front(headBytes));
}

bool KernelCache::keep(const Key &key, llvm::ArrayRef<char> object) const {
  if (!isUsable() || object.size() > mostBytes - headBytes - digestBytes)
    return false;
  Bytes bytes = headOf(key, object.size());
  bytes.append(object.begin(), object.end());
  Key digest = digestOf(bytes);
  bytes.append(digest.begin(), digest.end());
  llvm::SmallString<128> model(at.folder), aside;
  path::append(model, "%%%%%%%%%%%%%%%%" + asideSuffix);
  int file = -1;
  if (fs::createUniqueFile(model, file, aside, fs::OF_None, fs::owner_read | fs::owner_write))
    return false;
  // Should the process end here, pruning takes away what is left; a library catches no signals for that.
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
  os.write(bytes.data(), bytes.size());
  os.close();
  bool kept = !os.has_error() && !fs::rename(aside, pathOf(key));
  os.clear_error();
  if (!kept)
    fs::remove(aside);
  return kept;
}

namespace {
struct Entry {
  std::string path;
  uint64_t bytes;
  std::chrono::system_clock::time_point used;
  bool isAside; ///< unfinished
};
} // namespace

/// What is ours in the folder, and nothing else.
static std::vector<Entry> entriesOf(const std::string &folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator each(folder, error, /*follow_symlinks=*/false), end; each != end && !error;
       each.increment(error)) {
    bool isAside = llvm::StringRef(each->path()).ends_with(asideSuffix);
    fs::file_status status;
    if ((isAside || llvm::StringRef(each->path()).ends_with(entrySuffix)) &&
        !fs::status(each->path(), status, /*follow=*/false) && status.type() == fs::file_type::regular_file)
      entries.push_back({each->path(), status.getSize(), status.getLastModificationTime(), isAside});
  }
  return entries;
}

// LLVM's own pruneCache ends the process where the folder has gone meanwhile.
void KernelCache::prune() const {
  if (!isUsable())
    return;
  using namespace std::chrono_literals;
  auto now = std::chrono::system_clock::now();
  std::vector<Entry> entries = entriesOf(at.folder);
  llvm::sort(entries, [](const Entry &a, const Entry &b) { return a.used < b.used; });
  uint64_t total = 0, limit = at.limit;
  for (const Entry &entry : entries)
    total += entry.bytes;
  if (auto space = fs::disk_space(at.folder))
    limit = std::min(limit, (total + space->available) / 4);
  for (const Entry &entry : entries) {
    // A writer that is still there takes no hour.
    bool isOld = now - entry.used > (entry.isAside ? 1h : 30 * 24h);
    if (!isOld && total <= limit)
      continue;
    if (!fs::remove(entry.path))
      total -= entry.bytes;
  }
}

KernelCache::Contents KernelCache::contents() const {
  Contents contents;
  for (const Entry &entry : entriesOf(at.folder)) {
    contents.entries += !entry.isAside;
    contents.bytes += entry.bytes;
  }
  return contents;
}

llvm::Error KernelCache::clear() const {
  for (const Entry &entry : entriesOf(at.folder))
    if (std::error_code error = fs::remove(entry.path))
      return emitError(Code::CannotWrite, "cannot remove " + printable(entry.path) + ": " + error.message(),
                       "the files there may be removed by hand at any time");
  return llvm::Error::success();
}
