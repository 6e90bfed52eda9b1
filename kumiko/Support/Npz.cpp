//===- Npz.cpp - archives of arrays ------------------------------------------------===//
//
// A zip archive ends with a directory: one record per member with its sizes, checksum and position. Reading starts
// there. Numbers that do not fit 32 bits stand in 64-bit extension records ("zip64").
//
//===----------------------------------------------------------------------===//
#include "kumiko/Support/Npy.h"
#include "kumiko/Support/NpyFile.h"
#include "kumiko/Support/NpzFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <zlib.h>

using namespace kumiko;
using Bytes = llvm::ArrayRef<uint8_t>;
namespace endian = llvm::support::endian;

template <typename... Args> static llvm::Error fail(const char *format, Args &&...args) {
  return llvm::createStringError(llvm::formatv(format, std::forward<Args>(args)...).str());
}

using namespace kumiko::zip;

namespace {

struct Member {
  llvm::StringRef name;
  uint16_t flags = 0, method = 0;
  uint32_t checksum = 0;
  uint64_t packedSize = 0, size = 0, offset = 0;
};

struct Directory {
  uint64_t count = 0, size = 0, offset = 0;
};

} // namespace

/// `length` bytes at `offset`, or nothing when the file does not have them.
static std::optional<Bytes> slice(Bytes file, uint64_t offset, uint64_t length) {
  if (offset > file.size() || length > file.size() - offset)
    return std::nullopt;
  return file.slice(offset, length);
}

static llvm::Expected<Directory> findDirectory(Bytes file) {
  // The end record may be followed by a comment of at most 65535 bytes.
  size_t furthest = endSize + UINT16_MAX;
  for (size_t back = endSize; back <= std::min(file.size(), furthest); ++back) {
    const uint8_t *end = file.data() + file.size() - back;
    if (endian::read32le(end) != endMagic || endian::read16le(end + 20) != back - endSize)
      continue;
    Directory directory{endian::read16le(end + 10), endian::read32le(end + 12), endian::read32le(end + 16)};
    if (directory.count != UINT16_MAX && directory.size != full && directory.offset != full)
      return directory;
    std::optional<Bytes> locator = slice(file, file.size() - back - locatorSize, locatorSize);
    if (!locator || endian::read32le(locator->data()) != locatorMagic)
      return directory;
    std::optional<Bytes> end64 = slice(file, endian::read64le(locator->data() + 8), end64Size);
    if (!end64 || endian::read32le(end64->data()) != end64Magic)
      return fail("npz: the 64-bit end record is missing");
    return Directory{endian::read64le(end64->data() + 32), endian::read64le(end64->data() + 40),
                     endian::read64le(end64->data() + 48)};
  }
  return fail("npz: not a zip archive (end record missing)");
}

/// Takes the 64-bit values of those fields that say "see the extension".
static llvm::Error readExtension(Bytes extra, Member &member) {
  while (extra.size() >= 4) {
    uint16_t id = endian::read16le(extra.data()), length = endian::read16le(extra.data() + 2);
    if (length > extra.size() - 4)
      return fail("npz: an extension record is longer than its field");
    Bytes field = extra.slice(4, length);
    extra = extra.drop_front(4 + size_t(length));
    if (id != zip64Field)
      continue;
    for (uint64_t *value : {&member.size, &member.packedSize, &member.offset}) {
      if (*value != full)
        continue;
      if (field.size() < 8)
        return fail("npz: a 64-bit extension record is too short");
      *value = endian::read64le(field.data());
      field = field.drop_front(8);
    }
  }
  return llvm::Error::success();
}

/// Reads one record of the directory and moves `records` behind it.
static llvm::Expected<Member> readMember(Bytes &records) {
  if (records.size() < entrySize || endian::read32le(records.data()) != entryMagic)
    return fail("npz: the directory is damaged");
  const uint8_t *entry = records.data();
  size_t nameLength = endian::read16le(entry + 28), extraLength = endian::read16le(entry + 30);
  size_t commentLength = endian::read16le(entry + 32);
  if (nameLength + extraLength + commentLength > records.size() - entrySize)
    return fail("npz: the directory is damaged");
  Member member;
  member.flags = endian::read16le(entry + 8);
  member.method = endian::read16le(entry + 10);
  member.checksum = endian::read32le(entry + 16);
  member.packedSize = endian::read32le(entry + 20);
  member.size = endian::read32le(entry + 24);
  member.offset = endian::read32le(entry + 42);
  member.name = llvm::toStringRef(records.slice(entrySize, nameLength));
  if (llvm::Error error = readExtension(records.slice(entrySize + nameLength, extraLength), member))
    return std::move(error);
  records = records.drop_front(entrySize + nameLength + extraLength + commentLength);
  return member;
}

/// The packed bytes of a member, after its local header.
static llvm::Expected<Bytes> packedBytes(Bytes file, const Member &member) {
  std::optional<Bytes> local = slice(file, member.offset, localSize);
  if (!local || endian::read32le(local->data()) != localMagic)
    return fail("npz: the local header is missing");
  uint64_t skip = localSize + uint64_t(endian::read16le(local->data() + 26)) + endian::read16le(local->data() + 28);
  std::optional<Bytes> data = slice(file, member.offset + skip, member.packedSize);
  if (!data)
    return fail("npz: the member leaves the file");
  return *data;
}

/// zlib counts in 32 bits, so input and output are fed in pieces.
static bool inflateAll(Bytes packed, uint8_t *to, uint64_t size) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  constexpr uint64_t piece = 1 << 30;
  uint64_t read = 0, written = 0;
  uint8_t beyond; // an output of nothing still needs a place
  int status = Z_OK;
  while (status == Z_OK) {
    uInt in = uInt(std::min<uint64_t>(piece, packed.size() - read));
    uInt out = uInt(std::min<uint64_t>(piece, size - written));
    stream.next_in = const_cast<uint8_t *>(packed.data()) + read;
    stream.avail_in = in;
    stream.next_out = out ? to + written : &beyond;
    stream.avail_out = out;
    status = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
    if (in == stream.avail_in && out == stream.avail_out && status == Z_OK)
      status = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && written == size;
}

/// The content of a member; `buffer` holds it when it had to be unpacked.
static llvm::Expected<Bytes> unpack(Bytes file, const Member &member, Tensor &buffer, uint64_t limit) {
  if (member.flags & encrypted)
    return fail("npz: the member is encrypted");
  llvm::Expected<Bytes> packed = packedBytes(file, member);
  if (!packed)
    return packed.takeError();
  // Deflate cannot pack better than 1032 to 1: a larger claim is a lie and must not reach the allocator.
  bool possible = member.method == stored ? member.size == packed->size() : member.size / 1032 <= packed->size();
  if ((member.method != stored && member.method != deflated) || !possible)
    return fail("npz: packing method {0} with {1} bytes for {2} is not supported", member.method, packed->size(),
                member.size);
  Bytes content = *packed;
  if (member.method == deflated) {
    llvm::Expected<Tensor> space = Tensor::zeros(ElementType::U8, {int64_t(member.size)}, limit);
    if (!space)
      return space.takeError();
    buffer = std::move(*space);
    if (!inflateAll(*packed, buffer.mutableData(), member.size))
      return fail("npz: the packed data is damaged");
    content = buffer.bytes();
  }
  if (crc32_z(0, content.data(), content.size()) != member.checksum)
    return fail("npz: the checksum is wrong");
  return content;
}

static llvm::Expected<NpzArray> readArray(Bytes file, const Member &member, uint64_t limit) {
  Tensor buffer;
  llvm::Expected<Bytes> content = unpack(file, member, buffer, limit);
  if (!content)
    return content.takeError();
  llvm::Expected<NpyArray> array = readNpy(*content, limit);
  if (!array)
    return array.takeError();
  return NpzArray{member.name.drop_back(4).str(), std::move(*array)};
}

llvm::Expected<std::vector<NpzArray>> kumiko::readNpz(Bytes file, uint64_t limit) {
  llvm::Expected<Directory> directory = findDirectory(file);
  if (!directory)
    return directory.takeError();
  std::optional<Bytes> records = slice(file, directory->offset, directory->size);
  if (!records || directory->count > records->size() / entrySize)
    return fail("npz: the directory leaves the file");
  std::vector<NpzArray> arrays;
  llvm::StringSet<> names;
  for (uint64_t number = 0; number < directory->count; ++number) {
    llvm::Expected<Member> member = readMember(*records);
    if (!member)
      return member.takeError();
    if (!member->name.ends_with(".npy"))
      continue; // np.load hands such members out as bytes; they are no arrays
    if (!names.insert(member->name).second)
      return fail("npz: array '{0}' occurs twice", shownText(member->name));
    llvm::Expected<NpzArray> array = readArray(file, *member, limit);
    if (!array)
      return fail("array '{0}': {1}", shownText(member->name), llvm::toString(array.takeError()));
    limit -= std::min<uint64_t>(limit, array->array.tensor.bytes().size());
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

llvm::Expected<std::vector<NpzArray>> kumiko::readNpzFile(llvm::StringRef path, uint64_t limit) {
  auto file = mapFile(path);
  if (!file)
    return file.takeError();
  return readNpz(llvm::arrayRefFromStringRef((*file)->getBuffer()), limit);
}
