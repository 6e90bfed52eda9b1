//===- ElementType.h - the element types of tensors ------------------------===//
//
// One list of element types for the notation, the evaluator, the importer and the runtime.
// The numbers are part of the artefact's ABI (runtime/include/kumiko/kumiko.h repeats them): append only.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace kumiko {

enum class ElementType : uint8_t {
  Invalid = 0,
  B1 = 1,
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  BF16 = 11,
  F32 = 12,
  F64 = 13,
  I4 = 14,
  U4 = 15,
  I2 = 16,
  U2 = 17,
  F8E4M3FN = 18,
  F8E4M3FNUZ = 19,
  F8E5M2 = 20,
  F8E5M2FNUZ = 21,
  F8E8M0 = 22,
  F6E2M3 = 23,
  F6E3M2 = 24,
  F4E2M1 = 25,
  /// Loop indices and integers that have not met a tensor type. Never stored.
  Index = 26,
};

/// The word of the notation: `f32`, `i64`, `b1`, `f8e4m3fn`, ...
llvm::StringRef nameOf(ElementType type);
std::optional<ElementType> elementTypeNamed(llvm::StringRef name);

bool isFloat(ElementType type);
/// Signed and unsigned integers and Index; not B1.
bool isInteger(ElementType type);
bool isUnsigned(ElementType type);
/// Bytes that one element takes in memory; sub-byte types take one.
unsigned bytesOf(ElementType type);

} // namespace kumiko
