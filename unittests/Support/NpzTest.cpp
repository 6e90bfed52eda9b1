#include "kumiko/Support/Npy.h"
#include "kumiko/Support/NpyHeader.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <random>
#include <zlib.h>

using namespace kumiko;
using E = ElementType;
using Bytes = std::vector<uint8_t>;

static Tensor numbers(int64_t count) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(E::I32, {count}));
  for (int64_t i = 0; i < count; ++i) {
    int32_t value = int32_t(i * i);
    std::memcpy(tensor.mutableData() + 4 * i, &value, 4);
  }
  return tensor;
}

static void put(Bytes &to, uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i)
    to.push_back(i < 8 ? uint8_t(value >> 8 * i) : 0);
}

/// A member of an archive made by hand: anything in it can be wrong.
struct Member {
  std::string name = "x.npy";
  Bytes content;
  uint16_t method = 0, flags = 0;
  bool zip64 = false;
  std::optional<uint32_t> checksum;
  std::optional<uint64_t> size;

  Bytes packed() const {
    if (method != 8)
      return content;
    z_stream stream = {};
    deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    Bytes out(deflateBound(&stream, content.size()));
    stream.next_in = const_cast<uint8_t *>(content.data());
    stream.avail_in = content.size();
    stream.next_out = out.data();
    stream.avail_out = out.size();
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }
};

static Bytes archive(const std::vector<Member> &members, bool zip64End = false) {
  Bytes file, directory;
  for (const Member &member : members) {
    Bytes packed = member.packed();
    uint32_t checksum = member.checksum.value_or(crc32_z(0, member.content.data(), member.content.size()));
    uint64_t size = member.size.value_or(member.content.size()), offset = file.size();
    put(file, 0x04034b50, 4), put(file, 20, 2), put(file, member.flags, 2), put(file, member.method, 2);
    put(file, 0, 4), put(file, checksum, 4), put(file, packed.size(), 4), put(file, uint32_t(size), 4);
    put(file, member.name.size(), 2), put(file, 0, 2);
    file.insert(file.end(), member.name.begin(), member.name.end());
    file.insert(file.end(), packed.begin(), packed.end());
    put(directory, 0x02014b50, 4), put(directory, 45, 2), put(directory, 45, 2), put(directory, member.flags, 2);
    put(directory, member.method, 2), put(directory, 0, 4), put(directory, checksum, 4);
    put(directory, member.zip64 ? UINT32_MAX : packed.size(), 4), put(directory, member.zip64 ? UINT32_MAX : size, 4);
    put(directory, member.name.size(), 2), put(directory, member.zip64 ? 28 : 0, 2), put(directory, 0, 10);
    put(directory, member.zip64 ? UINT32_MAX : offset, 4);
    directory.insert(directory.end(), member.name.begin(), member.name.end());
    if (member.zip64)
      put(directory, 1, 2), put(directory, 24, 2), put(directory, size, 8), put(directory, packed.size(), 8),
          put(directory, offset, 8);
  }
  uint64_t start = file.size();
  file.insert(file.end(), directory.begin(), directory.end());
  uint64_t end = file.size();
  if (zip64End) {
    put(file, 0x06064b50, 4), put(file, 44, 8), put(file, 45, 2), put(file, 45, 2), put(file, 0, 8);
    put(file, members.size(), 8), put(file, members.size(), 8), put(file, end - start, 8), put(file, start, 8);
    put(file, 0x07064b50, 4), put(file, 0, 4), put(file, end, 8), put(file, 1, 4);
  }
  put(file, 0x06054b50, 4), put(file, 0, 4);
  put(file, zip64End ? 0xffff : members.size(), 2), put(file, zip64End ? 0xffff : members.size(), 2);
  put(file, zip64End ? UINT32_MAX : end - start, 4), put(file, zip64End ? UINT32_MAX : start, 4), put(file, 0, 2);
  return file;
}

static Bytes npyBytes(const Tensor &tensor) {
  std::string header = makeNpyHeader(tensor.element(), tensor.shape());
  Bytes bytes(header.begin(), header.end());
  bytes.insert(bytes.end(), tensor.bytes().begin(), tensor.bytes().end());
  return bytes;
}

static std::string refusal(const Bytes &file, uint64_t limit = defaultTensorLimit) {
  auto arrays = readNpz(file, limit);
  return arrays ? "accepted" : llvm::toString(arrays.takeError());
}

TEST(Npz, RoundTripsAnyName) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("kumiko", "npz", path));
  llvm::FileRemover remover(path);
  Tensor a = numbers(5), b = llvm::cantFail(Tensor::zeros(E::F16, {2, 0, 3})), c = numbers(3000);
  std::string names[] = {"model/layer:0", "", "..\\ü\n.npy"};
  std::pair<llvm::StringRef, const Tensor *> arrays[] = {{names[0], &a}, {names[1], &b}, {names[2], &c}};
  ASSERT_FALSE(llvm::errorToBool(writeNpzFile(path, arrays)));
  auto back = readNpzFile(path);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  ASSERT_EQ(back->size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ((*back)[i].name, names[i]);
    EXPECT_EQ((*back)[i].array.tensor.shape(), arrays[i].second->shape());
    EXPECT_EQ((*back)[i].array.tensor.bytes(), arrays[i].second->bytes());
  }
}

TEST(Npz, EqualTensorsGiveEqualFiles) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("kumiko", "npz", path));
  llvm::FileRemover remover(path);
  Tensor a = numbers(100);
  std::string first;
  for (int round = 0; round < 2; ++round) {
    ASSERT_FALSE(llvm::errorToBool(writeNpzFile(path, {{"a", &a}})));
    std::string content = (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
    EXPECT_TRUE(round == 0 || content == first);
    first = content;
  }
}

TEST(Npz, RefusesTwoOfOneName) {
  Tensor a = numbers(1);
  EXPECT_NE(llvm::toString(writeNpzFile("/dev/null", {{"a", &a}, {"a", &a}})).find("occurs twice"), std::string::npos);
  Member member;
  member.content = npyBytes(a);
  EXPECT_NE(refusal(archive({member, member})).find("'x.npy' occurs twice"), std::string::npos);
}

TEST(Npz, ReadsDeflateAndZip64) {
  Tensor tensor = numbers(100000);
  for (uint16_t method : {0, 8})
    for (bool zip64 : {false, true})
      for (bool zip64End : {false, true}) {
        Member member;
        member.content = npyBytes(tensor);
        member.method = method;
        member.zip64 = zip64;
        auto arrays = readNpz(archive({member}, zip64End));
        ASSERT_TRUE(bool(arrays)) << llvm::toString(arrays.takeError());
        ASSERT_EQ(arrays->size(), 1u);
        EXPECT_EQ(arrays->front().name, "x");
        EXPECT_EQ(arrays->front().array.tensor.bytes(), tensor.bytes());
      }
}

TEST(Npz, SkipsOtherMembers) {
  Member text, array;
  text.name = "readme.txt";
  array.content = npyBytes(numbers(2));
  EXPECT_EQ(llvm::cantFail(readNpz(archive({text, array}))).size(), 1u);
}

TEST(Npz, RefusesLies) {
  Member member;
  member.content = npyBytes(numbers(100));
  auto with = [&](auto change) {
    Member copy = member;
    change(copy);
    return refusal(archive({copy}));
  };
  EXPECT_EQ(with([](Member &) {}), "accepted");
  EXPECT_NE(with([](Member &m) { m.checksum = 1; }).find("checksum"), std::string::npos);
  EXPECT_NE(with([](Member &m) { m.flags = 1; }).find("encrypted"), std::string::npos);
  EXPECT_NE(with([](Member &m) { m.method = 12; }).find("method 12"), std::string::npos);
  EXPECT_NE(with([](Member &m) { m.size = 5; }).find("not supported"), std::string::npos);
  EXPECT_NE(with([](Member &m) { m.method = 8, m.size = 5; }).find("damaged"), std::string::npos);
  EXPECT_NE(with([](Member &m) { m.method = 8, m.size = 600; }).find("damaged"), std::string::npos);
  // 1032 to 1 is the most that deflate can do; a larger claim never reaches the allocator.
  EXPECT_NE(with([](Member &m) { m.method = 8, m.size = 1 << 30; }).find("not supported"), std::string::npos);
  EXPECT_NE(with([](Member &m) { m.zip64 = true, m.size = UINT64_MAX; }).find("not supported"), std::string::npos);
  EXPECT_NE(with([](Member &m) { m.method = 8, m.zip64 = true, m.size = UINT64_MAX; }).find("not supported"),
            std::string::npos);
}

// A small file of zeros unpacks to a large array: the limit holds for what comes out, over all members.
TEST(Npz, KeepsTheLimit) {
  Member bomb;
  bomb.content = npyBytes(llvm::cantFail(Tensor::zeros(E::U8, {1 << 20})));
  bomb.method = 8;
  Bytes file = archive({bomb});
  EXPECT_LT(file.size(), 5000u);
  EXPECT_NE(refusal(file, 1 << 19).find("limit"), std::string::npos);
  EXPECT_EQ(refusal(file, 3 << 20), "accepted");
  Member other = bomb;
  other.name = "y.npy";
  EXPECT_NE(refusal(archive({bomb, other}), (3 << 20) / 2).find("limit"), std::string::npos);
}

TEST(Npz, SurvivesDamage) {
  Member member;
  member.content = npyBytes(numbers(20));
  std::mt19937 random(5);
  for (uint16_t method : {0, 8})
    for (bool zip64 : {false, true}) {
      member.method = method;
      member.zip64 = zip64;
      Bytes good = archive({member}, zip64);
      for (size_t length = 0; length < good.size(); ++length)
        EXPECT_NE(refusal(Bytes(good.begin(), good.begin() + length)), "accepted");
      for (int round = 0; round < 5000; ++round) {
        Bytes bad = good;
        for (int i = 0; i < 4; ++i)
          bad[random() % bad.size()] = random() % 3 ? uint8_t(random()) : 0xff;
        refusal(bad, 1 << 20);
      }
    }
}
