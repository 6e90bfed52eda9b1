#include "kumiko/Import/Build/Number.h"
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kumiko {

static std::string decimal(double value, int digits) {
  std::string text;
  raw_string_ostream(text) << format("%.*g", digits, value);
  return text;
}

/// The element's bits as a number.
static uint64_t bitsOf(ElementType type, const uint8_t *bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, bytesOf(type));
  return bits;
}

std::string numberText(ElementType type, const uint8_t *bytes) {
  if (!isFloat(type)) {
    Tensor tensor = cantFail(Tensor::view(type, {}, ArrayRef(bytes, bytesOf(type))));
    return isUnsigned(type) ? std::to_string(uint64_t(integerAt(tensor, 0))) : std::to_string(integerAt(tensor, 0));
  }
  double value;
  convertElements(bytes, type, reinterpret_cast<uint8_t *>(&value), ElementType::F64, 1);
  for (int digits : {6, 9, 17}) {
    std::string text = decimal(value, digits);
    uint8_t again[8];
    if (parseNumber(text, type, again) && bitsOf(type, again) == bitsOf(type, bytes))
      return text;
  }
  return "0x" + utohexstr(bitsOf(type, bytes), /*LowerCase=*/true);
}

std::string realText(double value) {
  std::string text;
  for (int digits : {6, 9, 17}) {
    double again = 0;
    text = decimal(value, digits);
    if (!StringRef(text).getAsDouble(again) && again == value)
      break;
  }
  return StringRef(text).find_first_of(".en") == StringRef::npos ? text + ".0" : text;
}

bool parseNumber(StringRef text, ElementType type, uint8_t *bytes) {
  uint64_t bits;
  if (text.consume_front("0x")) {
    if (text.getAsInteger(16, bits) || (bytesOf(type) < 8 && bits >> (8 * bytesOf(type))) ||
        (bytesOf(type) == 1 && !isCode(type, uint8_t(bits))))
      return false;
    std::memcpy(bytes, &bits, bytesOf(type));
    return true;
  }
  if (isFloat(type)) {
    double value;
    if (text.getAsDouble(value))
      return false;
    convertElements(reinterpret_cast<const uint8_t *>(&value), ElementType::F64, bytes, type, 1);
    return true;
  }
  int64_t value = 0;
  if (type == ElementType::U64 ? text.getAsInteger(10, bits) : text.getAsInteger(10, value))
    return false;
  if (type == ElementType::U64)
    value = int64_t(bits);
  else if (value < lowestInteger(type) || value > highestInteger(type))
    return false;
  std::memcpy(bytes, &value, bytesOf(type));
  return true;
}

bool isCode(ElementType type, uint8_t byte) {
  switch (type) {
  case ElementType::U2:
    return byte < 4;
  case ElementType::U4:
  case ElementType::F4E2M1:
    return byte < 16;
  case ElementType::F6E2M3:
  case ElementType::F6E3M2:
    return byte < 64;
  case ElementType::I2:
  case ElementType::I4:
    return wrapInteger(type, byte) == int8_t(byte);
  default:
    return true;
  }
}

} // namespace kumiko
