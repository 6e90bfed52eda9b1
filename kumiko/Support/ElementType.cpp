#include "kumiko/Support/ElementType.h"
#include <array>

namespace kumiko {
namespace {

struct Row {
  llvm::StringLiteral name;
  enum class Family : uint8_t { None, Bool, Signed, Unsigned, Float } family;
  uint8_t bytes;
};
using Family = Row::Family;

// Indexed by the enumerator; the order is that of the ABI.
constexpr std::array<Row, 27> table = {{
    {"invalid", Family::None, 0},     {"b1", Family::Bool, 1},          {"i8", Family::Signed, 1},
    {"i16", Family::Signed, 2},       {"i32", Family::Signed, 4},       {"i64", Family::Signed, 8},
    {"u8", Family::Unsigned, 1},      {"u16", Family::Unsigned, 2},     {"u32", Family::Unsigned, 4},
    {"u64", Family::Unsigned, 8},     {"f16", Family::Float, 2},        {"bf16", Family::Float, 2},
    {"f32", Family::Float, 4},        {"f64", Family::Float, 8},        {"i4", Family::Signed, 1},
    {"u4", Family::Unsigned, 1},      {"i2", Family::Signed, 1},        {"u2", Family::Unsigned, 1},
    {"f8e4m3fn", Family::Float, 1},   {"f8e4m3fnuz", Family::Float, 1}, {"f8e5m2", Family::Float, 1},
    {"f8e5m2fnuz", Family::Float, 1}, {"f8e8m0", Family::Float, 1},     {"f6e2m3", Family::Float, 1},
    {"f6e3m2", Family::Float, 1},     {"f4e2m1", Family::Float, 1},     {"index", Family::Signed, 8},
}};

const Row &row(ElementType type) {
  auto number = static_cast<size_t>(type);
  return table[number < table.size() ? number : 0];
}

} // namespace

llvm::StringRef nameOf(ElementType type) { return row(type).name; }

std::optional<ElementType> elementTypeNamed(llvm::StringRef name) {
  // `invalid` and `index` are words for messages, not types that a text may name.
  for (size_t number = 1; number + 1 < table.size(); ++number)
    if (table[number].name == name)
      return static_cast<ElementType>(number);
  return std::nullopt;
}

bool isFloat(ElementType type) { return row(type).family == Family::Float; }

bool isInteger(ElementType type) { return row(type).family == Family::Signed || row(type).family == Family::Unsigned; }

bool isUnsigned(ElementType type) { return row(type).family == Family::Unsigned; }

unsigned bytesOf(ElementType type) { return row(type).bytes; }

} // namespace kumiko
