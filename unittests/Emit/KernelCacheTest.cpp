#include "kumiko/Emit/KernelCache.h"
#include "kumiko/Emit/BuildId.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kumiko;
namespace fs = llvm::sys::fs;

namespace {
class KernelCacheTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(fs::createUniqueDirectory("kumiko-cache", folder)); }
  void TearDown() override { fs::remove_directories(folder); }

  KernelCache open(uint64_t limit = 1 << 20) { return KernelCache({folder.str().str(), limit}); }

  static KernelCache::Key key(uint8_t number) {
    KernelCache::Key key = {};
    key.back() = number;
    return key;
  }
  static std::vector<char> object(size_t size) {
    std::vector<char> bytes(size);
    for (size_t i = 0; i < size; ++i)
      bytes[i] = char(i * 7);
    return bytes;
  }
  static bool has(const KernelCache &cache, uint8_t number, llvm::ArrayRef<char> bytes) {
    auto found = cache.find(key(number));
    return found && llvm::ArrayRef<char>(*found) == bytes;
  }
  /// The files of the folder.
  std::vector<std::string> files() {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; each != end && !error; each.increment(error))
      files.push_back(each->path());
    llvm::sort(files);
    return files;
  }
  static std::string read(const std::string &file) {
    return llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(file)))->getBuffer().str();
  }
  static void write(const std::string &file, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << bytes;
    ASSERT_FALSE(error);
  }
  /// As if the file had been used so long ago.
  static void age(const std::string &file, int64_t seconds) {
    timespec then[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), then, 0), 0);
  }

  llvm::SmallString<128> folder;
};
} // namespace

TEST_F(KernelCacheTest, FindsWhatWasKept) {
  KernelCache cache = open();
  ASSERT_TRUE(cache.isUsable()) << cache.place().why;
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_TRUE(cache.keep(key(1), object(100)));
  EXPECT_TRUE(cache.keep(key(2), {})); // a kernel that has nothing to write
  EXPECT_TRUE(has(cache, 1, object(100)));
  EXPECT_TRUE(has(cache, 2, {}));
  EXPECT_FALSE(cache.find(key(3)));
  EXPECT_TRUE(has(open(), 1, object(100)));
  EXPECT_EQ(cache.contents().entries, 2u);
  EXPECT_EQ(files().size(), 2u); // nothing is left aside
}

TEST_F(KernelCacheTest, EveryFlippedByteAndEveryCutIsAMissAndIsReplaced) {
  KernelCache cache = open();
  std::vector<char> bytes = object(150);
  ASSERT_TRUE(cache.keep(key(1), bytes));
  std::string file = files().front(), whole = read(file);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] ^= 1 << (at % 8);
    write(file, damaged);
    EXPECT_FALSE(cache.find(key(1))) << "byte " << at;
    write(file, whole.substr(0, at));
    EXPECT_FALSE(cache.find(key(1))) << "cut at " << at;
  }
  write(file, whole + "x");
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_TRUE(cache.keep(key(1), bytes));
  EXPECT_TRUE(has(cache, 1, bytes));
}

// Whoever can put a file there could have his code run.
TEST_F(KernelCacheTest, EntriesOfOthersAreMisses) {
  KernelCache cache = open();
  ASSERT_TRUE(cache.keep(key(1), object(10)));
  std::string file = files().front(), elsewhere = file + "-moved", other = file;
  // Under another kernel's name.
  other[other.size() - llvm::StringRef(".kernel").size() - 1] = '2';
  write(other, read(file));
  EXPECT_FALSE(cache.find(key(2)));
  // A link to a good one, and a pipe.
  ASSERT_FALSE(fs::rename(file, elsewhere));
  ASSERT_FALSE(fs::create_link(elsewhere, file));
  EXPECT_FALSE(cache.find(key(1)));
  ASSERT_FALSE(fs::remove(file));
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_TRUE(cache.keep(key(1), object(10)));
  EXPECT_TRUE(has(cache, 1, object(10)));
  // One that others may write.
  ASSERT_EQ(chmod(file.c_str(), 0620), 0);
  EXPECT_FALSE(cache.find(key(1)));
  if (geteuid() == 0) {
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    ASSERT_EQ(chown(file.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(cache.find(key(1)));
  }
}

TEST_F(KernelCacheTest, UnusableFoldersKeepNothing) {
  ASSERT_EQ(chmod(folder.c_str(), 0770), 0);
  KernelCache shared = open();
  EXPECT_FALSE(shared.isUsable());
  EXPECT_NE(shared.place().why.find("others may write"), std::string::npos) << shared.place().why;
  EXPECT_FALSE(shared.keep(key(1), object(10)));
  EXPECT_FALSE(shared.find(key(1)));
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
  std::string file = (folder + "/file").str();
  write(file, "");
  EXPECT_FALSE(KernelCache({file}).isUsable());
  EXPECT_FALSE(KernelCache({file + "/below"}).isUsable());
  if (geteuid() == 0) {
    ASSERT_EQ(chown(folder.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(open().isUsable());
  }
}

TEST_F(KernelCacheTest, MakesAFolderForItsOwnerAlone) {
  std::string below = (folder + "/a/b").str();
  KernelCache cache({below});
  ASSERT_TRUE(cache.isUsable());
  struct stat status;
  ASSERT_EQ(stat(below.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  // It goes while it is in use.
  ASSERT_FALSE(fs::remove_directories(below));
  EXPECT_FALSE(cache.keep(key(1), object(10)));
  EXPECT_FALSE(cache.find(key(1)));
  cache.prune();
  EXPECT_EQ(cache.contents().entries, 0u);
}

TEST_F(KernelCacheTest, PrunesWhatWasUsedLongestAgo) {
  KernelCache cache = open(3000);
  for (uint8_t number : {1, 2, 3, 4}) {
    ASSERT_TRUE(cache.keep(key(number), object(900)));
    age(files().back(), 1000 - number);
  }
  EXPECT_TRUE(cache.find(key(1))); // used now
  cache.prune();
  EXPECT_LE(cache.contents().bytes, 3000u);
  EXPECT_TRUE(cache.find(key(1)));
  EXPECT_FALSE(cache.find(key(2)));
  EXPECT_TRUE(cache.find(key(3)));
  EXPECT_TRUE(cache.find(key(4)));
  age(files().back(), 40 * 24 * 3600);
  cache.prune();
  EXPECT_FALSE(cache.find(key(4)));
}

// A writer that was killed leaves a file aside, which nobody reads and which goes in the end.
TEST_F(KernelCacheTest, LeftoversGo) {
  KernelCache cache = open();
  ASSERT_TRUE(cache.keep(key(1), object(10)));
  std::string young = (folder + "/0123.tmp").str(), old = (folder + "/4567.tmp").str(),
              foreign = (folder + "/notes.txt").str();
  for (const std::string &file : {young, old, foreign})
    write(file, "half");
  age(old, 7200);
  age(foreign, 100 * 24 * 3600);
  EXPECT_EQ(cache.contents().entries, 1u);
  cache.prune();
  EXPECT_TRUE(fs::exists(young));
  EXPECT_FALSE(fs::exists(old));
  llvm::cantFail(cache.clear());
  EXPECT_EQ(files(), std::vector<std::string>{foreign}); // never what is not ours
}

TEST(KernelCachePlace, IsWhereTheEnvironmentSays) {
  for (const char *name : {"KUMIKO_CACHE", "KUMIKO_CACHE_DIR", "KUMIKO_CACHE_SIZE", "XDG_CACHE_HOME", "HOME"})
    unsetenv(name);
  EXPECT_TRUE(KernelCache::placeOf().folder.empty());
  EXPECT_FALSE(KernelCache::placeOf().why.empty());
  setenv("HOME", "/home/a", 1);
  EXPECT_EQ(KernelCache::placeOf().folder, "/home/a/.cache/kumiko");
  setenv("XDG_CACHE_HOME", "relative", 1); // to be ignored
  EXPECT_EQ(KernelCache::placeOf().folder, "/home/a/.cache/kumiko");
  setenv("XDG_CACHE_HOME", "/c", 1);
  EXPECT_EQ(KernelCache::placeOf().folder, "/c/kumiko");
  setenv("KUMIKO_CACHE_DIR", "/d", 1);
  EXPECT_EQ(KernelCache::placeOf().folder, "/d");
  setenv("KUMIKO_CACHE_SIZE", "3M", 1);
  EXPECT_EQ(KernelCache::placeOf().limit, 3u << 20);
  for (const char *wrong : {"much", "-1", "99999999999999999999", "99999999999G"}) {
    setenv("KUMIKO_CACHE_SIZE", wrong, 1);
    EXPECT_FALSE(KernelCache::placeOf().why.empty()) << wrong;
  }
  unsetenv("KUMIKO_CACHE_SIZE");
  setenv("KUMIKO_CACHE", "0", 1);
  EXPECT_TRUE(KernelCache::placeOf().folder.empty());
  unsetenv("KUMIKO_CACHE");
}

TEST(BuildId, IsThere) {
  EXPECT_EQ(buildId().size(), 64u);
  EXPECT_EQ(buildId(), buildId());
}
