//===- MemoryKernels.cpp - between memory and registers --------------------------------===//
//
// One rule per stored type in each direction. Memory may have any alignment, so elements are copied by memcpy, which
// the compiler turns into plain loads and stores.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Evaluate/LaneLoops.h"
#include "kumiko/Support/Convert.h"
#include <type_traits>

using namespace kumiko;
using namespace kumiko::eval;
using E = ElementType;

template <typename T> static T load(const uint8_t *from, int64_t index) {
  T value;
  std::memcpy(&value, from + index * int64_t(sizeof(T)), sizeof(T));
  return value;
}
template <typename T> static void store(uint8_t *to, int64_t index, T value) {
  std::memcpy(to + index * int64_t(sizeof(T)), &value, sizeof(T));
}

/// The C++ type that memory holds.
template <E type> struct Stored;
#define STORED(TYPE, CPP)                                                                                              \
  template <> struct Stored<E::TYPE> {                                                                                 \
    using Type = CPP;                                                                                                  \
  }
STORED(I8, int8_t);
STORED(I16, int16_t);
STORED(I32, int32_t);
STORED(I64, int64_t);
STORED(U16, uint16_t);
STORED(U32, uint32_t);
STORED(U64, int64_t);
STORED(F16, uint16_t);
STORED(BF16, uint16_t);
STORED(F32, float);
STORED(F64, double);
#undef STORED
template <E type> struct Stored {
  using Type = uint8_t;
};

template <E type, typename To> static To decode(typename Stored<type>::Type value) {
  if constexpr (type == E::F16)
    return To(halfToFloat(value));
  else if constexpr (type == E::BF16)
    return To(bfloatToFloat(value));
  else if constexpr (type >= E::F8E4M3FN && type <= E::F4E2M1)
    return To(decodeSmallFloat(type, value));
  else if constexpr (type == E::B1 || (type >= E::I4 && type <= E::U2))
    return To(wrapInteger(type, value)); // bytes of a foreign file may hold more than the type
  else
    return To(value);
}

template <E type, typename From> static typename Stored<type>::Type encode(From value) {
  if constexpr (type == E::F16)
    return doubleToHalf(double(value));
  else if constexpr (type == E::BF16)
    return doubleToBfloat(double(value));
  else if constexpr (type >= E::F8E4M3FN && type <= E::F4E2M1)
    // Conversions saturate before they get here; an infinity that is there is one that was read.
    return encodeSmallFloat(type, double(value), {.saturate = !std::isinf(double(value)) || type != E::F8E5M2});
  else if constexpr (type == E::B1 || (type >= E::I4 && type <= E::U2))
    return uint8_t(wrapInteger(type, int64_t(value)));
  else
    return typename Stored<type>::Type(value);
}

template <E type, typename To>
static void loadStrided(void *__restrict to, const uint8_t *__restrict from, int64_t stride, int64_t lanes) {
  auto *target = static_cast<To *>(to);
  using From = typename Stored<type>::Type;
  if (stride == 1)
    for (int64_t i = 0; i < lanes; ++i)
      target[i] = decode<type, To>(load<From>(from, i));
  else
    for (int64_t i = 0; i < lanes; ++i)
      target[i] = decode<type, To>(load<From>(from, i * stride));
}

template <E type, typename To>
static void loadIndexed(void *__restrict to, const uint8_t *__restrict from, const int64_t *__restrict offsets,
                        int64_t lanes) {
  using From = typename Stored<type>::Type;
  for (int64_t i = 0; i < lanes; ++i)
    static_cast<To *>(to)[i] = decode<type, To>(load<From>(from, offsets[i]));
}

template <E type, typename From>
static void storeStrided(uint8_t *__restrict to, int64_t stride, const void *__restrict from, int64_t lanes) {
  auto *source = static_cast<const From *>(from);
  if (stride == 1)
    for (int64_t i = 0; i < lanes; ++i)
      store(to, i, encode<type>(source[i]));
  else
    for (int64_t i = 0; i < lanes; ++i)
      store(to, i * stride, encode<type>(source[i]));
}

template <E type, typename From>
static void storeIndexed(uint8_t *__restrict to, const int64_t *__restrict offsets, const void *__restrict from,
                         const int64_t *__restrict mask, int64_t lanes) {
  auto *source = static_cast<const From *>(from);
  for (int64_t i = 0; i < lanes; ++i)
    if (!mask || mask[i])
      store(to, offsets[i], encode<type>(source[i]));
}

template <E type> static Loader makeLoader(Carrier carrier) {
  if constexpr ((type >= E::F16 && type <= E::F64) || type >= E::F8E4M3FN) {
    if (carrier == Carrier::F32)
      return {loadStrided<type, float>, loadIndexed<type, float>};
    return {loadStrided<type, double>, loadIndexed<type, double>};
  } else {
    return {loadStrided<type, int64_t>, loadIndexed<type, int64_t>};
  }
}

template <E type> static Storer makeStorer(Carrier carrier) {
  if constexpr ((type >= E::F16 && type <= E::F64) || type >= E::F8E4M3FN) {
    if (carrier == Carrier::F32)
      return {storeStrided<type, float>, storeIndexed<type, float>};
    return {storeStrided<type, double>, storeIndexed<type, double>};
  } else {
    return {storeStrided<type, int64_t>, storeIndexed<type, int64_t>};
  }
}

/// Calls `make` with the type as a template argument.
template <typename Make> static auto dispatch(E type, Make make) {
  switch (type) {
#define CASE(TYPE)                                                                                                     \
  case E::TYPE:                                                                                                        \
    return make(std::integral_constant<E, E::TYPE>())
    CASE(B1);
    CASE(I8);
    CASE(I16);
    CASE(I32);
    CASE(U8);
    CASE(U16);
    CASE(U32);
    CASE(U64);
    CASE(F16);
    CASE(BF16);
    CASE(F32);
    CASE(F64);
    CASE(I4);
    CASE(U4);
    CASE(I2);
    CASE(U2);
    CASE(F8E4M3FN);
    CASE(F8E4M3FNUZ);
    CASE(F8E5M2);
    CASE(F8E5M2FNUZ);
    CASE(F8E8M0);
    CASE(F6E2M3);
    CASE(F6E3M2);
    CASE(F4E2M1);
#undef CASE
  default:
    return make(std::integral_constant<E, E::I64>());
  }
}

Loader eval::loaderOf(E stored, Carrier carrier) {
  assert((carrier == Carrier::I64) == !isFloat(stored) && "memory and register of different kinds");
  return dispatch(stored, [&](auto type) { return makeLoader<type()>(carrier); });
}

Storer eval::storerOf(Carrier carrier, E stored) {
  assert((carrier == Carrier::I64) == !isFloat(stored) && "memory and register of different kinds");
  return dispatch(stored, [&](auto type) { return makeStorer<type()>(carrier); });
}
