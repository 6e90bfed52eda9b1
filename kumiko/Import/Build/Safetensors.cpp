#include "kumiko/Import/Build/Safetensors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace kumiko {

static constexpr std::pair<ElementType, StringLiteral> types[] = {
    {ElementType::F64, "F64"},       {ElementType::F32, "F32"},
    {ElementType::F16, "F16"},       {ElementType::BF16, "BF16"},
    {ElementType::I64, "I64"},       {ElementType::I32, "I32"},
    {ElementType::I16, "I16"},       {ElementType::I8, "I8"},
    {ElementType::U64, "U64"},       {ElementType::U32, "U32"},
    {ElementType::U16, "U16"},       {ElementType::U8, "U8"},
    {ElementType::B1, "BOOL"},       {ElementType::F8E4M3FN, "F8_E4M3"},
    {ElementType::F8E5M2, "F8_E5M2"}};

bool isStorable(ElementType type) {
  return any_of(types, [&](const auto &row) { return row.first == type; });
}

/// Braces and brackets inside each other, outside of quotes: the JSON reader recurses.
static unsigned depthOf(StringRef json) {
  unsigned depth = 0, most = 0;
  bool quotes = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (quotes && c == '\\')
      ++i;
    else if (c == '"')
      quotes = !quotes;
    else if (!quotes && (c == '{' || c == '['))
      most = std::max(most, ++depth);
    else if (!quotes && (c == '}' || c == ']') && depth)
      --depth;
  }
  return most;
}

namespace {
struct Range {
  uint64_t begin, end;
  auto operator<=>(const Range &) const = default;
};
} // namespace

/// The tensor of an entry; an error in words when the entry or its range is wrong.
static Expected<Tensor> readEntry(const json::Value &value, StringRef data, Range &range) {
  const json::Object *entry = value.getAsObject();
  auto dtype = entry ? entry->getString("dtype") : std::nullopt;
  const json::Array *shape = entry ? entry->getArray("shape") : nullptr;
  const json::Array *offsets = entry ? entry->getArray("data_offsets") : nullptr;
  if (!dtype || !shape || !offsets || offsets->size() != 2)
    return createStringError("needs dtype, shape and data_offsets");
  const auto *type = find_if(types, [&](const auto &row) { return row.second == *dtype; });
  if (type == std::end(types))
    return createStringError("its dtype is not known: " + *dtype);
  SmallVector<int64_t> extents;
  for (const json::Value &extent : *shape)
    extents.push_back(extent.getAsInteger().value_or(-1));
  auto begin = (*offsets)[0].getAsUINT64(), end = (*offsets)[1].getAsUINT64();
  if (!begin || !end || *begin > *end || *end > data.size())
    return createStringError("its data_offsets lie outside the data of %zu bytes", data.size());
  range = {*begin, *end};
  return Tensor::view(type->first, extents, arrayRefFromStringRef(data.slice(*begin, *end)));
}

std::optional<Weights> readWeights(StringRef bytes, Report report) {
  auto refuse = [&](const Twine &why) -> std::optional<Weights> {
    report(Code::Malformed, "the weights are no safetensors file: " + why)
        .helped("8 bytes of length, a JSON header, the data; write the file again");
    return std::nullopt;
  };
  constexpr uint64_t longestHeader = 32 << 20;
  if (bytes.size() < 8)
    return refuse("it has only " + Twine(bytes.size()) + " bytes");
  uint64_t length = support::endian::read64le(bytes.data());
  if (length > bytes.size() - 8 || length > longestHeader)
    return refuse("its header would have " + Twine(length) + " bytes");
  StringRef header = bytes.substr(8, length), data = bytes.substr(8 + length);
  if (depthOf(header) > 4)
    return refuse("its header has too many levels");
  Expected<json::Value> json = json::parse(header);
  if (!json)
    return refuse(toString(json.takeError()));
  const json::Object *entries = json->getAsObject();
  if (!entries)
    return refuse("its header is not an object");
  Weights weights;
  SmallVector<Range> ranges;
  for (const auto &[key, value] : *entries) {
    if (key == "__metadata__")
      continue;
    Expected<Tensor> tensor = readEntry(value, data, ranges.emplace_back());
    if (!tensor)
      return refuse("tensor \"" + printable(key.str()) + "\": " + toString(tensor.takeError()));
    weights[key.str()] = std::move(*tensor);
  }
  sort(ranges);
  uint64_t covered = 0;
  for (const Range &range : ranges) {
    if (range.begin != covered)
      return refuse(range.begin < covered ? "two tensors overlap" : "there is a gap between two tensors");
    covered = range.end;
  }
  if (covered != data.size())
    return refuse("the data behind the last tensor belongs to none");
  return weights;
}

void writeWeights(ArrayRef<StoredTensor> tensors, raw_ostream &os) {
  std::string header;
  raw_string_ostream text(header);
  json::OStream json(text);
  json.object([&] {
    uint64_t offset = 0;
    for (const auto &[name, tensor] : tensors) {
      const auto *type = find_if(types, [&](const auto &row) { return row.first == tensor.element(); });
      json.attributeObject(name, [&] {
        json.attribute("dtype", type == std::end(types) ? StringRef("U8") : StringRef(type->second));
        json.attributeArray("shape", [&] {
          for (int64_t extent : tensor.shape())
            json.value(extent);
        });
        json.attributeArray("data_offsets", [&] {
          json.value(offset);
          json.value(offset += tensor.bytes().size());
        });
      });
    }
  });
  header.resize((header.size() + 7) / 8 * 8, ' ');
  char length[8];
  support::endian::write64le(length, header.size());
  os << StringRef(length, 8) << header;
  for (const auto &each : tensors)
    os << toStringRef(each.tensor.bytes());
}

} // namespace kumiko
