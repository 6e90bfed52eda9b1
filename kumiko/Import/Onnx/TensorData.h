//===- TensorData.h - the elements of a TensorProto --------------------------===//
//
// ONNX writes elements in five ways: raw bytes, four kinds of typed lists, packed nibbles, six-bit groups, another
// file. Here they become one: row-major, little endian, one byte for sub-byte types, as kumiko::Tensor has it. Raw data
// that already has this form stays where it is in the mapped file.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Build/Limits.h"
#include "kumiko/Import/Build/ModelFile.h"
#include "kumiko/Import/Onnx/Proto.h"
#include "kumiko/Support/ElementType.h"

namespace kumiko::onnx {

/// Empty for strings, complex numbers and numbers outside the enum.
std::optional<ElementType> elementTypeOf(DataType type);
/// `float`, `int4`: as ONNX calls it; `type 99` outside the enum.
std::string nameOf(DataType type);

/// A tensor's value, checked against its shape.
struct TensorData {
  ElementType element = ElementType::Invalid;
  llvm::ArrayRef<int64_t> shape;
  llvm::StringRef bytes;
};

/// The data of `tensor`, in the file or decoded into `file`. Empty after `report` was told why; `limit` bounds the
/// bytes.
std::optional<TensorData> dataOf(const TensorProto &tensor, ModelFile &file, uint64_t limit, Report report);

/// Only type and shape, with their checks.
std::optional<TensorData> typeOf(const TensorProto &tensor, uint64_t limit, Report report);

} // namespace kumiko::onnx
