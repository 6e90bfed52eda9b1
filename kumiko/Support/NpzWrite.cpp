//===- NpzWrite.cpp - archives of arrays, uncompressed --------------------------------===//
#include "kumiko/Support/Npy.h"
#include "kumiko/Support/NpyFile.h"
#include "kumiko/Support/NpyHeader.h"
#include "kumiko/Support/NpzFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/FormatVariadic.h"
#include <zlib.h>

using namespace kumiko;
using namespace kumiko::zip;

namespace {

/// Writes members one after another and remembers what the directory must say.
class ZipWriter {
public:
  explicit ZipWriter(llvm::raw_ostream &out) : out(out), little(out, llvm::endianness::little) {}

  void add(llvm::StringRef name, const Tensor &tensor) {
    std::string header = makeNpyHeader(tensor.element(), tensor.shape());
    Entry entry{name.str() + ".npy", uint32_t(crc32_z(0, nullptr, 0)), header.size() + tensor.bytes().size(),
                out.tell()};
    entry.checksum = crc32_z(entry.checksum, reinterpret_cast<const uint8_t *>(header.data()), header.size());
    if (!tensor.bytes().empty())
      entry.checksum = crc32_z(entry.checksum, tensor.data(), tensor.bytes().size());
    bool large = entry.size >= full;
    little.write<uint32_t>(localMagic);
    writeCommon(entry, large);
    little.write<uint16_t>(large ? 20 : 0);
    out << entry.name;
    if (large) {
      little.write<uint16_t>(zip64Field);
      little.write<uint16_t>(16);
      little.write<uint64_t>(entry.size);
      little.write<uint64_t>(entry.size);
    }
    out << header << llvm::toStringRef(tensor.bytes());
    entries.push_back(std::move(entry));
  }

  void finish() {
    uint64_t start = out.tell();
    for (const Entry &entry : entries)
      writeEntry(entry);
    uint64_t end = out.tell();
    bool large = end >= full || entries.size() >= UINT16_MAX;
    if (large)
      writeEnd64(start, end);
    little.write<uint32_t>(endMagic);
    little.write<uint32_t>(0); // both disk numbers
    for (int times = 0; times < 2; ++times)
      little.write<uint16_t>(large ? UINT16_MAX : uint16_t(entries.size()));
    little.write<uint32_t>(large ? full : uint32_t(end - start));
    little.write<uint32_t>(large ? full : uint32_t(start));
    little.write<uint16_t>(0); // no comment
  }

private:
  struct Entry {
    std::string name;
    uint32_t checksum;
    uint64_t size, offset;
  };

  /// From the version up to the length of the name: the same in both kinds of header.
  void writeCommon(const Entry &entry, bool large) {
    little.write<uint16_t>(large ? 45 : 20); // version of the format needed to read it
    little.write<uint16_t>(llvm::all_of(entry.name, [](unsigned char c) { return c < 0x80; }) ? 0 : utf8Names);
    little.write<uint16_t>(stored);
    little.write<uint16_t>(0);    // midnight,
    little.write<uint16_t>(0x21); // 1 January 1980: the files of two equal runs are equal
    little.write<uint32_t>(entry.checksum);
    for (int times = 0; times < 2; ++times)
      little.write<uint32_t>(large ? full : uint32_t(entry.size));
    little.write<uint16_t>(uint16_t(entry.name.size()));
  }

  void writeEntry(const Entry &entry) {
    bool large = entry.size >= full || entry.offset >= full;
    little.write<uint32_t>(entryMagic);
    little.write<uint16_t>(large ? 45 : 20); // version of the writer
    writeCommon(entry, large);
    little.write<uint16_t>(large ? 28 : 0);
    little.write<uint16_t>(0); // comment
    little.write<uint16_t>(0); // disk
    little.write<uint16_t>(0); // internal attributes
    little.write<uint32_t>(0); // external attributes
    little.write<uint32_t>(large ? full : uint32_t(entry.offset));
    out << entry.name;
    if (!large)
      return;
    little.write<uint16_t>(zip64Field);
    little.write<uint16_t>(24);
    little.write<uint64_t>(entry.size);
    little.write<uint64_t>(entry.size);
    little.write<uint64_t>(entry.offset);
  }

  void writeEnd64(uint64_t start, uint64_t end) {
    little.write<uint32_t>(end64Magic);
    little.write<uint64_t>(end64Size - 12);
    little.write<uint16_t>(45);
    little.write<uint16_t>(45);
    little.write<uint64_t>(0); // both disk numbers
    little.write<uint64_t>(entries.size());
    little.write<uint64_t>(entries.size());
    little.write<uint64_t>(end - start);
    little.write<uint64_t>(start);
    little.write<uint32_t>(locatorMagic);
    little.write<uint32_t>(0); // disk
    little.write<uint64_t>(end);
    little.write<uint32_t>(1); // disks
  }

  llvm::raw_ostream &out;
  llvm::support::endian::Writer little;
  std::vector<Entry> entries;
};

} // namespace

llvm::Error kumiko::writeNpzFile(llvm::StringRef path,
                                 llvm::ArrayRef<std::pair<llvm::StringRef, const Tensor *>> arrays) {
  llvm::StringSet<> names;
  for (auto &[name, tensor] : arrays) {
    if (!names.insert(name).second)
      return llvm::createStringError("npz: array '" + shownText(name) + "' occurs twice");
    if (name.size() > UINT16_MAX - 4)
      return llvm::createStringError("npz: the name of an array is longer than 65531 bytes");
  }
  return writeWhole(path, [&](llvm::raw_ostream &out) {
    ZipWriter writer(out);
    for (auto &[name, tensor] : arrays)
      writer.add(name, *tensor);
    writer.finish();
  });
}
