//===- NpyHeader.cpp -----------------------------------------------------------===//
//
// The dictionary is a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
// Only the literals that NumPy writes are understood; a structured type (a list) is refused by name.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Support/NpyHeader.h"
#include "kumiko/Support/NpyFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace kumiko;
using llvm::StringRef;

static constexpr StringRef magic("\x93NUMPY", 6);
static constexpr size_t longestHeader = 1 << 16;
static constexpr size_t highestRank = 64;

template <typename... Args> static llvm::Error fail(const char *format, Args &&...args) {
  return llvm::createStringError(llvm::formatv(format, std::forward<Args>(args)...).str());
}

namespace {

/// Reads the dictionary from front to back; `rest` is what is left.
class DictionaryReader {
public:
  DictionaryReader(StringRef text, NpyHeader &header) : rest(text), header(header) {}

  llvm::Error read() {
    if (!eat('{'))
      return fail("npy: the header does not start with '{{'");
    while (!eat('}')) {
      StringRef key;
      if (!string(key) || !eat(':'))
        return fail("npy: expected a key and ':' in the header");
      if (llvm::Error error = value(key))
        return error;
      if (!eat(',') && !rest.starts_with("}"))
        return fail("npy: expected ',' or '}' in the header");
    }
    if (!rest.trim().empty())
      return fail("npy: text after the header's '}'");
    if (!seenType || !seenOrder || !seenShape)
      return fail("npy: the header lacks 'descr', 'fortran_order' or 'shape'");
    return llvm::Error::success();
  }

private:
  bool eat(char wanted) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&wanted, 1));
  }

  bool string(StringRef &text) {
    rest = rest.ltrim();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return false;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return false;
    text = rest.slice(1, end);
    rest = rest.substr(end + 1);
    return !text.contains('\\');
  }

  llvm::Error value(StringRef key) {
    if (key == "descr" && !std::exchange(seenType, true))
      return type();
    if (key == "fortran_order" && !std::exchange(seenOrder, true)) {
      rest = rest.ltrim();
      header.fortranOrder = rest.starts_with("True");
      if (!rest.consume_front("True") && !rest.consume_front("False"))
        return fail("npy: 'fortran_order' is neither True nor False");
      return llvm::Error::success();
    }
    if (key == "shape" && !std::exchange(seenShape, true))
      return shape();
    return fail("npy: unexpected or repeated key in the header");
  }

  llvm::Error shape() {
    if (!eat('('))
      return fail("npy: 'shape' is not a tuple");
    while (!eat(')')) {
      uint64_t extent;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, extent) || extent > uint64_t(INT64_MAX))
        return fail("npy: 'shape' holds something that is not an extent");
      rest.consume_front("L"); // files written by Python 2
      header.shape.push_back(int64_t(extent));
      if (header.shape.size() > highestRank)
        return fail("npy: more than {0} dimensions", highestRank);
      if (!eat(',') && !rest.starts_with(")"))
        return fail("npy: expected ',' or ')' in 'shape'");
    }
    return llvm::Error::success();
  }

  llvm::Error type() {
    StringRef text;
    if (!string(text))
      return fail("npy: 'descr' is not a simple type; structured arrays are not supported");
    StringRef code = text;
    header.bigEndian = code.starts_with(">");
    if (!code.empty() && StringRef("<>|=").contains(code.front()))
      code = code.drop_front();
    header.element = llvm::StringSwitch<ElementType>(code)
                         .Cases({"b1", "?"}, ElementType::B1)
                         .Case("i1", ElementType::I8)
                         .Case("i2", ElementType::I16)
                         .Case("i4", ElementType::I32)
                         .Case("i8", ElementType::I64)
                         .Cases({"u1", "V1"}, ElementType::U8)
                         .Cases({"u2", "V2"}, ElementType::U16)
                         .Cases({"u4", "V4"}, ElementType::U32)
                         .Cases({"u8", "V8"}, ElementType::U64)
                         .Case("f2", ElementType::F16)
                         .Case("f4", ElementType::F32)
                         .Case("f8", ElementType::F64)
                         .Default(ElementType::Invalid);
    header.raw = code.starts_with("V");
    if (header.element == ElementType::Invalid)
      return fail("npy: element type '{0}' is not supported; save as bool, float16/32/64 or (u)int8/16/32/64",
                  shownText(text));
    return llvm::Error::success();
  }

  StringRef rest;
  NpyHeader &header;
  bool seenType = false, seenOrder = false, seenShape = false;
};

} // namespace

llvm::Expected<NpyHeader> kumiko::parseNpyHeader(llvm::ArrayRef<uint8_t> file) {
  if (file.size() < 10 || llvm::toStringRef(file.take_front(magic.size())) != magic)
    return fail("npy: not an .npy file (magic number missing)");
  unsigned major = file[6];
  if (major < 1 || major > 3)
    return fail("npy: format version {0} is not supported", major);
  size_t start = major == 1 ? 10 : 12;
  if (file.size() < start)
    return fail("npy: the file ends inside its header");
  uint64_t length = file[8] | uint64_t(file[9]) << 8;
  if (major > 1)
    length |= uint64_t(file[10]) << 16 | uint64_t(file[11]) << 24;
  if (length > longestHeader)
    return fail("npy: a header of {0} bytes is not plausible", length);
  if (length > file.size() - start)
    return fail("npy: the header should have {0} bytes, the file has {1} more", length, file.size() - start);
  NpyHeader header;
  header.dataOffset = start + length;
  if (llvm::Error error = DictionaryReader(llvm::toStringRef(file.slice(start, length)), header).read())
    return std::move(error);
  return header;
}

static StringRef descriptionOf(ElementType element) {
  switch (element) {
  case ElementType::B1:
    return "|b1";
  case ElementType::I8:
  case ElementType::I4:
  case ElementType::I2:
    return "|i1";
  case ElementType::U8:
  case ElementType::U4:
  case ElementType::U2:
    return "|u1";
  case ElementType::I16:
    return "<i2";
  case ElementType::I32:
    return "<i4";
  case ElementType::I64:
    return "<i8";
  case ElementType::U16:
    return "<u2";
  case ElementType::U32:
    return "<u4";
  case ElementType::U64:
    return "<u8";
  case ElementType::F16:
    return "<f2";
  case ElementType::F32:
    return "<f4";
  case ElementType::F64:
    return "<f8";
  case ElementType::BF16:
    return "<V2";
  default:
    return "|V1";
  }
}

std::string kumiko::makeNpyHeader(ElementType element, llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "{'descr': '" << descriptionOf(element) << "', 'fortran_order': False, 'shape': (";
  llvm::interleave(shape, out, ", ");
  out << (shape.size() == 1 ? ",), }" : "), }");
  // The elements start at a multiple of 64 and the header ends with a newline, as NumPy does it.
  bool wide = text.size() + 1 + 64 > UINT16_MAX;
  size_t start = wide ? 12 : 10;
  size_t padded = llvm::alignTo(start + text.size() + 1, 64) - start;
  text.resize(padded - 1, ' ');
  text += '\n';
  std::string header = magic.str();
  header += char(wide ? 2 : 1);
  header += '\0';
  for (unsigned byte = 0; byte < (wide ? 4 : 2); ++byte)
    header += char(padded >> 8 * byte & 0xff);
  return header + text;
}
