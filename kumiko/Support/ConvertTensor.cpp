//===- ConvertTensor.cpp - conversions of whole arrays ----------------------===//
//
// Every type reads as one of two carriers, double (exact for all float types) or int64, and is written from one; so
// the number of loops is the number of types, not of pairs.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Support/Convert.h"
#include <algorithm>

using namespace kumiko;

template <typename T> static T loadAt(const uint8_t *from, int64_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void storeAt(uint8_t *to, int64_t index, T value) {
  std::memcpy(to + index * sizeof(T), &value, sizeof(T));
}

static void loadFloats(const uint8_t *from, ElementType type, double *to, int64_t count) {
  auto each = [&](auto value) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = value(i);
  };
  switch (type) {
  case ElementType::F64:
    return each([&](int64_t i) { return loadAt<double>(from, i); });
  case ElementType::F32:
    return each([&](int64_t i) { return double(loadAt<float>(from, i)); });
  case ElementType::F16:
    return each([&](int64_t i) { return double(halfToFloat(loadAt<uint16_t>(from, i))); });
  case ElementType::BF16:
    return each([&](int64_t i) { return double(bfloatToFloat(loadAt<uint16_t>(from, i))); });
  default:
    return each([&](int64_t i) { return double(decodeSmallFloat(type, from[i])); });
  }
}

static void loadIntegers(const uint8_t *from, ElementType type, int64_t *to, int64_t count) {
  auto each = [&]<typename T>(T) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = int64_t(loadAt<T>(from, i));
  };
  switch (type) {
  case ElementType::I16:
    return each(int16_t());
  case ElementType::I32:
    return each(int32_t());
  case ElementType::I64:
  case ElementType::U64:
    return each(int64_t());
  case ElementType::U16:
    return each(uint16_t());
  case ElementType::U32:
    return each(uint32_t());
  case ElementType::I8:
    return each(int8_t());
  case ElementType::U8:
    return each(uint8_t());
  default: // a byte of a foreign file may hold more than the sub-byte type
    for (int64_t i = 0; i < count; ++i)
      to[i] = wrapInteger(type, from[i]);
  }
}

static void storeFloats(const double *from, uint8_t *to, ElementType type, int64_t count, ConvertOptions options) {
  for (int64_t i = 0; i < count; ++i)
    switch (type) {
    case ElementType::F64:
      storeAt(to, i, from[i]);
      break;
    case ElementType::F32:
      storeAt(to, i, float(from[i]));
      break;
    case ElementType::F16:
      storeAt(to, i, doubleToHalf(from[i]));
      break;
    case ElementType::BF16:
      storeAt(to, i, doubleToBfloat(from[i]));
      break;
    default:
      to[i] = encodeSmallFloat(type, from[i], options);
    }
}

static void storeIntegers(const int64_t *from, uint8_t *to, ElementType type, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = wrapInteger(type, from[i]);
    switch (bytesOf(type)) {
    case 1:
      to[i] = uint8_t(value);
      break;
    case 2:
      storeAt(to, i, uint16_t(value));
      break;
    case 4:
      storeAt(to, i, uint32_t(value));
      break;
    default:
      storeAt(to, i, value);
    }
  }
}

/// An integer as the double from which storing in `to` gives the right value.
static double carry(int64_t value, ElementType from, ElementType to) {
  if (to == ElementType::F64)
    return from == ElementType::U64 ? double(uint64_t(value)) : double(value);
  return integerToDoubleForRounding(from, value);
}

void kumiko::convertElements(const uint8_t *from, ElementType fromType, uint8_t *to, ElementType toType, int64_t count,
                             ConvertOptions options) {
  if (fromType == toType) {
    if (count)
      std::memcpy(to, from, count * bytesOf(toType));
    return;
  }
  constexpr int64_t block = 256;
  double floats[block];
  int64_t integers[block];
  for (int64_t done = 0; done < count; done += block) {
    int64_t n = std::min(block, count - done);
    const uint8_t *source = from + done * bytesOf(fromType);
    uint8_t *target = to + done * bytesOf(toType);
    if (isFloat(fromType))
      loadFloats(source, fromType, floats, n);
    else
      loadIntegers(source, fromType, integers, n);
    if (isFloat(toType)) {
      if (!isFloat(fromType))
        for (int64_t i = 0; i < n; ++i)
          floats[i] = carry(integers[i], fromType, toType);
      storeFloats(floats, target, toType, n, options);
      continue;
    }
    if (isFloat(fromType))
      for (int64_t i = 0; i < n; ++i)
        integers[i] = floatToInteger(toType, floats[i]);
    storeIntegers(integers, target, toType, n);
  }
}

llvm::Expected<Tensor> kumiko::convert(const Tensor &tensor, ElementType type, ConvertOptions options, uint64_t limit) {
  llvm::Expected<Tensor> result = Tensor::zeros(type, tensor.shape(), limit);
  if (result)
    convertElements(tensor.data(), tensor.element(), result->mutableData(), type, tensor.count(), options);
  return result;
}

double kumiko::valueAt(const Tensor &tensor, int64_t index) {
  assert(index >= 0 && index < tensor.count() && "position outside the tensor");
  double value;
  convertElements(tensor.data() + index * bytesOf(tensor.element()), tensor.element(),
                  reinterpret_cast<uint8_t *>(&value), ElementType::F64, 1);
  return value;
}

int64_t kumiko::integerAt(const Tensor &tensor, int64_t index) {
  assert(index >= 0 && index < tensor.count() && !isFloat(tensor.element()) && "not an integer of the tensor");
  int64_t value;
  loadIntegers(tensor.data() + index * bytesOf(tensor.element()), tensor.element(), &value, 1);
  return value;
}
