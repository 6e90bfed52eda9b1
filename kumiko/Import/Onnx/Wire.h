//===- Wire.h - fields of protobuf messages, checked --------------------------===//
//
// The lower half of Proto.cpp, which alone includes it: protozero decodes in place, throws on bad encodings and merely
// asserts wire types. Here the wire type and the length of every field are checked before protozero sees it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/Proto.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include <cstring>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <string>

namespace kumiko::onnx {

using Pbf = protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

/// protobuf's own limit. Three messages (graph, node, attribute) make one level of subgraphs.
inline constexpr size_t maxDepth = 100;

/// What this file throws itself; protozero's exceptions carry no text of use to a user.
struct Bad {
  Code code;
  std::string what;
};

[[noreturn]] inline void bad(Code code, const llvm::Twine &what) { throw Bad{code, what.str()}; }

inline llvm::StringRef nameOf(Wire wire) {
  switch (wire) {
  case Wire::varint:
    return "a varint";
  case Wire::fixed64:
    return "8 fixed bytes";
  case Wire::length_delimited:
    return "a length and bytes";
  case Wire::fixed32:
    return "4 fixed bytes";
  default:
    return "an unknown wire type";
  }
}

/// A field of a message and what to do with it.
template <typename Read> struct Field {
  uint32_t tag;
  Read read;
};
template <typename Read> Field<Read> on(uint32_t tag, Read read) { return {tag, read}; }

/// Calls the field's reader for every field of the message; fields without a reader are skipped.
template <typename... Fields> void scan(llvm::StringRef content, Fields... fields) {
  Pbf message(content.data(), content.size());
  while (message.next()) {
    bool known = ((message.tag() == fields.tag ? (fields.read(message), true) : false) || ...);
    if (!known)
      message.skip();
  }
}

class WireReader {
public:
  /// The message that was being read when an exception left, e.g. `graph.node[17].attribute[2]`.
  std::string where() const;

protected:
  struct Step {
    const char *field;
    int64_t index; // -1: not repeated
  };
  llvm::SmallVector<Step, 16> path;

  void expect(Pbf &message, Wire wire, const char *name);
  llvm::StringRef bytes(Pbf &message, const char *name);
  Piece piece(Pbf &message, const char *name, Piece::Coding coding);
  void readIntegers(Pbf &message, const char *name, llvm::SmallVectorImpl<int64_t> &list);
  void readReals(Pbf &message, const char *name, llvm::SmallVectorImpl<float> &list);

  // Field readers for `scan`: number, name, destination.
  auto text(uint32_t tag, const char *name, llvm::StringRef &into) {
    return on(tag, [=, this, &into](Pbf &message) { into = bytes(message, name); });
  }
  auto texts(uint32_t tag, const char *name, llvm::SmallVectorImpl<llvm::StringRef> &into) {
    return on(tag, [=, this, &into](Pbf &message) { into.push_back(bytes(message, name)); });
  }
  template <typename T> auto number(uint32_t tag, const char *name, T &into) {
    return on(tag, [=, this, &into](Pbf &message) {
      expect(message, Wire::varint, name);
      into = static_cast<T>(message.get_int64());
    });
  }
  auto integers(uint32_t tag, const char *name, llvm::SmallVectorImpl<int64_t> &into) {
    return on(tag, [=, this, &into](Pbf &message) { readIntegers(message, name, into); });
  }
  auto pieces(uint32_t tag, const char *name, Piece::Coding coding, llvm::SmallVectorImpl<Piece> &into) {
    return on(tag, [=, this, &into](Pbf &message) { into.push_back(piece(message, name, coding)); });
  }
};

inline std::string WireReader::where() const {
  // Of a deep path the two ends say enough.
  constexpr size_t shownFirst = 3, shownAtAll = 8;
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.size() > shownAtAll && i == shownFirst) {
      text += ". ... ";
      i = path.size() - shownFirst;
    }
    text += (text.empty() ? "" : ".") + std::string(path[i].field);
    if (path[i].index >= 0)
      text += "[" + std::to_string(path[i].index) + "]";
  }
  return text;
}

inline void WireReader::expect(Pbf &message, Wire wire, const char *name) {
  if (message.wire_type() != wire)
    bad(Code::Malformed,
        llvm::Twine("field ") + name + " is encoded as " + nameOf(message.wire_type()) + ", expected " + nameOf(wire));
}

inline llvm::StringRef WireReader::bytes(Pbf &message, const char *name) {
  expect(message, Wire::length_delimited, name);
  // protozero reads lengths modulo 2^32, so the length is looked at first.
  protozero::data_view rest = message.data();
  const char *cursor = rest.data(), *end = rest.data() + rest.size();
  uint64_t length = protozero::decode_varint(&cursor, end);
  uint64_t left = end - cursor;
  if (length > left)
    bad(path.empty() ? Code::Truncated : Code::Malformed,
        llvm::Twine("field ") + name + " claims " + llvm::Twine(length) + " bytes, " + llvm::Twine(left) + " are left");
  if (length > std::numeric_limits<uint32_t>::max())
    bad(Code::Malformed, llvm::Twine("field ") + name + " is larger than protobuf allows");
  protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

inline Piece WireReader::piece(Pbf &message, const char *name, Piece::Coding coding) {
  uint32_t tag = message.tag();
  if (message.wire_type() == Wire::length_delimited)
    return {tag, coding, bytes(message, name)};
  // A single element without packing: its bytes as they stand are a packed list of one.
  expect(message,
         coding == Piece::Coding::Varint    ? Wire::varint
         : coding == Piece::Coding::Fixed32 ? Wire::fixed32
                                            : Wire::fixed64,
         name);
  const char *begin = message.data().data();
  message.skip();
  return {tag, coding, llvm::StringRef(begin, message.data().data() - begin)};
}

inline void WireReader::readIntegers(Pbf &message, const char *name, llvm::SmallVectorImpl<int64_t> &list) {
  if (message.wire_type() != Wire::length_delimited) {
    expect(message, Wire::varint, name);
    return list.push_back(message.get_int64());
  }
  llvm::StringRef packed = bytes(message, name);
  for (const char *cursor = packed.begin(); cursor != packed.end();)
    list.push_back(static_cast<int64_t>(protozero::decode_varint(&cursor, packed.end())));
}

inline void WireReader::readReals(Pbf &message, const char *name, llvm::SmallVectorImpl<float> &list) {
  if (message.wire_type() != Wire::length_delimited) {
    expect(message, Wire::fixed32, name);
    return list.push_back(message.get_float());
  }
  llvm::StringRef packed = bytes(message, name);
  if (packed.size() % sizeof(float))
    bad(Code::Malformed, llvm::Twine("field ") + name + " is no whole number of floats");
  size_t old = list.size();
  list.resize_for_overwrite(old + packed.size() / sizeof(float));
  if (!packed.empty())
    std::memcpy(list.data() + old, packed.data(), packed.size());
}

} // namespace kumiko::onnx
