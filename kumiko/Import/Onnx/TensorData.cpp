#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Import/Onnx/Fields.h"
#include "kumiko/Support/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kumiko::onnx {

namespace {

struct TypeRow {
  DataType type;
  StringLiteral name;
  ElementType element;
  /// The field of typed data.
  uint32_t field;
  /// Bits of one element in raw data.
  unsigned bits;
};

namespace f = field::tensor;
constexpr TypeRow rows[] = {
    {DataType::Float, "float", ElementType::F32, f::FloatData, 32},
    {DataType::Uint8, "uint8", ElementType::U8, f::Int32Data, 8},
    {DataType::Int8, "int8", ElementType::I8, f::Int32Data, 8},
    {DataType::Uint16, "uint16", ElementType::U16, f::Int32Data, 16},
    {DataType::Int16, "int16", ElementType::I16, f::Int32Data, 16},
    {DataType::Int32, "int32", ElementType::I32, f::Int32Data, 32},
    {DataType::Int64, "int64", ElementType::I64, f::Int64Data, 64},
    {DataType::String, "string", ElementType::Invalid, f::StringData, 0},
    {DataType::Bool, "bool", ElementType::B1, f::Int32Data, 8},
    {DataType::Float16, "float16", ElementType::F16, f::Int32Data, 16},
    {DataType::Double, "double", ElementType::F64, f::DoubleData, 64},
    {DataType::Uint32, "uint32", ElementType::U32, f::Uint64Data, 32},
    {DataType::Uint64, "uint64", ElementType::U64, f::Uint64Data, 64},
    {DataType::Complex64, "complex64", ElementType::Invalid, f::FloatData, 64},
    {DataType::Complex128, "complex128", ElementType::Invalid, f::DoubleData, 128},
    {DataType::BFloat16, "bfloat16", ElementType::BF16, f::Int32Data, 16},
    {DataType::Float8E4M3FN, "float8e4m3fn", ElementType::F8E4M3FN, f::Int32Data, 8},
    {DataType::Float8E4M3FNUZ, "float8e4m3fnuz", ElementType::F8E4M3FNUZ, f::Int32Data, 8},
    {DataType::Float8E5M2, "float8e5m2", ElementType::F8E5M2, f::Int32Data, 8},
    {DataType::Float8E5M2FNUZ, "float8e5m2fnuz", ElementType::F8E5M2FNUZ, f::Int32Data, 8},
    {DataType::Uint4, "uint4", ElementType::U4, f::Int32Data, 4},
    {DataType::Int4, "int4", ElementType::I4, f::Int32Data, 4},
    {DataType::Float4E2M1, "float4e2m1", ElementType::F4E2M1, f::Int32Data, 4},
    {DataType::Float8E8M0, "float8e8m0", ElementType::F8E8M0, f::Int32Data, 8},
    {DataType::Uint2, "uint2", ElementType::U2, f::Int32Data, 2},
    {DataType::Int2, "int2", ElementType::I2, f::Int32Data, 2},
    {DataType::Float6E2M3, "float6e2m3", ElementType::F6E2M3, f::Int32Data, 6},
    {DataType::Float6E3M2, "float6e3m2", ElementType::F6E3M2, f::Int32Data, 6},
};

const TypeRow *rowOf(DataType type) {
  const auto *row = find_if(rows, [&](const TypeRow &row) { return row.type == type; });
  return row == std::end(rows) ? nullptr : row;
}

bool isSigned(ElementType type) { return type == ElementType::I4 || type == ElementType::I2; }

/// One sub-byte element as a whole byte: integers extended, floats as their code.
char widened(unsigned code, const TypeRow &row) {
  code &= maskTrailingOnes<unsigned>(row.bits);
  return static_cast<char>(isSigned(row.element) ? SignExtend32(code, row.bits) : code);
}

/// Raw data of sub-byte types: a stream of bits, lowest first. Six-bit elements cross bytes.
void unpack(StringRef raw, const TypeRow &row, MutableArrayRef<char> into) {
  for (size_t i = 0, bit = 0; i < into.size(); ++i, bit += row.bits) {
    unsigned window = static_cast<uint8_t>(raw[bit / 8]);
    if (bit / 8 + 1 < raw.size())
      window |= static_cast<uint8_t>(raw[bit / 8 + 1]) << 8;
    into[i] = widened(window >> (bit % 8), row);
  }
}

Problem &reportSize(Report report, uint64_t found, uint64_t wanted, StringRef unit, const TensorData &type) {
  return report(Code::WrongDataSize, "data has " + Twine(found) + " " + unit + ", " +
                                         describe(type.element, type.shape) + " needs " + Twine(wanted))
      .helped("the file was cut or written wrongly; export the model again");
}

/// Typed data of fixed width: one piece in the right place needs no copy.
std::optional<StringRef> fromFixed(const TensorProto &tensor, const TensorData &type, uint64_t size, ModelFile &file,
                                   Report report) {
  uint64_t found = 0;
  for (const Piece &piece : tensor.pieces)
    found += piece.bytes.size();
  if (found != size)
    return reportSize(report, found, size, "bytes", type), std::nullopt;
  if (tensor.pieces.size() == 1)
    return tensor.pieces[0].bytes;
  MutableArrayRef<char> into = file.allocate(size);
  for (char *cursor = into.data(); const Piece &piece : tensor.pieces)
    cursor = copy(piece.bytes, cursor);
  return StringRef(into.data(), size);
}

/// Typed data as varints. Elements of 4 and 2 bits share one; all others have their own.
std::optional<StringRef> fromVarints(const TensorProto &tensor, const TypeRow &row, const TensorData &type,
                                     int64_t count, ModelFile &file, Report report) {
  unsigned width = bytesOf(type.element), perEntry = row.bits == 4 ? 2 : row.bits == 2 ? 4 : 1;
  uint64_t entries = divideCeil(static_cast<uint64_t>(count), perEntry), available = 0;
  for (const Piece &piece : tensor.pieces)
    available += llvm::count_if(piece.bytes, [](char byte) { return !(byte & 0x80); });
  if (available != entries)
    return reportSize(report, available, entries, "entries", type), std::nullopt;
  MutableArrayRef<char> into = file.allocate(uint64_t(count) * width);
  int64_t element = 0;
  for (const Piece &piece : tensor.pieces) {
    const uint8_t *cursor = piece.bytes.bytes_begin(), *end = piece.bytes.bytes_end();
    while (cursor != end) {
      unsigned length = 0;
      const char *error = nullptr;
      uint64_t value = decodeULEB128(cursor, &length, end, &error);
      if (error || length > 10) {
        report(Code::Malformed, "data holds a number that cannot be decoded").helped("the file is damaged");
        return std::nullopt;
      }
      cursor += length;
      if (row.bits < 8)
        for (unsigned part = 0; part < perEntry && element < count; ++part, value >>= row.bits)
          into[element++] = widened(value, row);
      else // little endian: the low bytes come first
        std::memcpy(into.data() + uint64_t(element++) * width, &value, width);
    }
  }
  return StringRef(into.data(), into.size());
}

/// Bytes [offset, offset + length) of an external file; both are texts of an untrusted file.
std::optional<StringRef> fromExternal(const TensorProto &tensor, const TensorData &type, uint64_t size, ModelFile &file,
                                      Report report) {
  StringRef location;
  uint64_t offset = 0, length = size;
  for (const Entry &entry : tensor.external) {
    uint64_t *number = entry.key == "offset" ? &offset : entry.key == "length" ? &length : nullptr;
    if (entry.key == "location")
      location = entry.value;
    else if (number && entry.value.getAsInteger(10, *number)) {
      report(Code::ExternalEntry, entry.key + " of the external data is \"" + printable(entry.value) +
                                      "\", expected a number that is not negative")
          .helped("save the model again with onnx.save_model(..., save_as_external_data=True)");
      return std::nullopt;
    }
  }
  if (length != size)
    return reportSize(report, length, size, "bytes", type), std::nullopt;
  std::optional<StringRef> whole = file.external(location, report);
  if (!whole)
    return std::nullopt;
  if (offset > whole->size() || length > whole->size() - offset) {
    report(Code::ExternalRange, "external data needs bytes " + Twine(offset) + " to " + Twine(offset) + "+" +
                                    Twine(length) + " of \"" + printable(location) + "\", which has " +
                                    Twine(whole->size()))
        .helped("the file of weights is cut or belongs to another model");
    return std::nullopt;
  }
  return whole->substr(offset, length);
}

/// A stored bool is 0 or 1; compiled code relies on it.
StringRef asBools(StringRef bytes, ModelFile &file) {
  if (all_of(bytes, [](unsigned char byte) { return byte <= 1; }))
    return bytes;
  MutableArrayRef<char> into = file.allocate(bytes.size());
  transform(bytes, into.begin(), [](char byte) { return byte != 0; });
  return {into.data(), into.size()};
}

} // namespace

std::optional<ElementType> elementTypeOf(DataType type) {
  const TypeRow *row = rowOf(type);
  return row && row->element != ElementType::Invalid ? std::optional(row->element) : std::nullopt;
}

std::string nameOf(DataType type) {
  const TypeRow *row = rowOf(type);
  return row ? row->name.str() : "type " + std::to_string(static_cast<int32_t>(type));
}

std::optional<TensorData> typeOf(const TensorProto &tensor, uint64_t limit, Report report) {
  const TypeRow *row = rowOf(tensor.type);
  if (!row) {
    report(Code::BadElementType, "element type " + Twine(static_cast<int32_t>(tensor.type)) + " is none of ONNX's")
        .helped("the file is damaged, or newer than this version; export it again");
    return std::nullopt;
  }
  if (row->element == ElementType::Invalid) {
    report(Code::UnsupportedType, "tensors of " + row->name + " are not supported")
        .helped("numeric types other than complex are");
    return std::nullopt;
  }
  TensorData result{row->element, tensor.dims, {}};
  if (auto count = elementCount(tensor.dims); !count) {
    report(Code::BadDimension, toString(count.takeError())).helped("the model was written wrongly; export it again");
    return std::nullopt;
  }
  if (std::string why = refusalOf(row->element, tensor.dims, limit); !why.empty()) {
    report(Code::TooLarge, why).helped("the limit is " + Twine(limit) + " bytes per value");
    return std::nullopt;
  }
  return result;
}

std::optional<TensorData> dataOf(const TensorProto &tensor, ModelFile &file, uint64_t limit, Report report) {
  std::optional<TensorData> result = typeOf(tensor, limit, report);
  if (!result)
    return std::nullopt;
  const TypeRow &row = *rowOf(tensor.type);
  if (tensor.hasSegment) {
    report(Code::UnsupportedForm, "tensors in segments are not supported").helped("save the tensor as one piece");
    return std::nullopt;
  }
  if (tensor.hasRaw + !tensor.pieces.empty() + tensor.isExternal + !tensor.strings.empty() > 1) {
    report(Code::AmbiguousData, "data is given more than once").helped("a tensor holds raw, typed or external data");
    return std::nullopt;
  }
  for (const Piece &piece : tensor.pieces)
    if (piece.field != row.field) {
      report(Code::WrongDataSize, "data of " + row.name + " stands in the field of another type")
          .helped("the file was written wrongly; raw_data fits every type");
      return std::nullopt;
    }
  // typeOf has checked that both numbers fit.
  int64_t count = cantFail(elementCount(tensor.dims));
  uint64_t packed = divideCeil(static_cast<uint64_t>(count) * row.bits, 8);
  std::optional<StringRef> bytes;
  if (!tensor.pieces.empty() && tensor.pieces[0].coding != Piece::Coding::Varint)
    bytes = fromFixed(tensor, *result, packed, file, report);
  else if (!tensor.pieces.empty())
    bytes = fromVarints(tensor, row, *result, count, file, report);
  else if (tensor.isExternal)
    bytes = fromExternal(tensor, *result, packed, file, report);
  else if (tensor.raw.size() == packed)
    bytes = tensor.raw;
  else
    reportSize(report, tensor.raw.size(), packed, "bytes", *result);
  if (!bytes)
    return std::nullopt;
  if (row.bits < 8 && tensor.pieces.empty()) {
    MutableArrayRef<char> into = file.allocate(count);
    unpack(*bytes, row, into);
    bytes = StringRef(into.data(), into.size());
  }
  result->bytes = row.element == ElementType::B1 ? asBools(*bytes, file) : *bytes;
  return result;
}

} // namespace kumiko::onnx
