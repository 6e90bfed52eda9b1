//===- Tensor.h - a tensor in host memory ----------------------------------===//
//
// Element type, shape, bytes in row-major order. A tensor owns its bytes or looks at bytes of somebody else (a mapped
// model file), whose address may have any alignment: elements are read by memcpy. Sub-byte types take one byte each.
// Sizes come from files, so every product is checked and every allocation has a limit.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdlib>
#include <cstring>
#include <memory>

namespace kumiko {

/// The most bytes one tensor takes unless the caller says otherwise.
inline constexpr uint64_t defaultTensorLimit = uint64_t(16) << 30;

/// The number of elements; an error when an extent is negative or the product does not fit 63 bits.
llvm::Expected<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);
/// The number of bytes; also an error when it is above `limit`.
llvm::Expected<uint64_t> byteSize(ElementType element, llvm::ArrayRef<int64_t> shape,
                                  uint64_t limit = defaultTensorLimit);
/// `f32[2,3]`, for messages.
std::string describe(ElementType element, llvm::ArrayRef<int64_t> shape);

class Tensor {
public:
  Tensor() = default;
  Tensor(Tensor &&) = default;
  Tensor &operator=(Tensor &&) = default;

  /// A tensor of zeros that owns its memory.
  static llvm::Expected<Tensor> zeros(ElementType element, llvm::ArrayRef<int64_t> shape,
                                      uint64_t limit = defaultTensorLimit);
  /// Looks at `bytes`, which must outlive the tensor and have exactly the right length.
  static llvm::Expected<Tensor> view(ElementType element, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<uint8_t> bytes);
  /// Looks at the bytes of this tensor.
  Tensor alias() const;
  /// Owns a copy of the bytes.
  llvm::Expected<Tensor> copy(uint64_t limit = defaultTensorLimit) const;
  /// The same bytes under another shape, or another element type of the same width; the bytes move along.
  static llvm::Expected<Tensor> reinterpret(Tensor tensor, ElementType element, llvm::ArrayRef<int64_t> shape);

  ElementType element() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  unsigned rank() const { return extents.size(); }
  int64_t count() const { return elements; }
  llvm::ArrayRef<uint8_t> bytes() const { return {start, size}; }
  const uint8_t *data() const { return start; }
  /// Null for a view: foreign memory is never written.
  uint8_t *mutableData() { return owned.get(); }
  bool owns() const { return size == 0 || owned; }

  /// Element `index` in row-major order, as the C++ type that is stored. `T` must have the right size.
  template <typename T> T at(int64_t index) const {
    assert(sizeof(T) == bytesOf(elementType) && index >= 0 && index < elements && "wrong type or position");
    T value;
    std::memcpy(&value, start + index * sizeof(T), sizeof(T));
    return value;
  }

private:
  struct Free {
    void operator()(uint8_t *pointer) const { std::free(pointer); }
  };
  ElementType elementType = ElementType::Invalid;
  llvm::SmallVector<int64_t, 6> extents;
  int64_t elements = 0;
  uint64_t size = 0;
  const uint8_t *start = nullptr;
  std::unique_ptr<uint8_t, Free> owned;
};

} // namespace kumiko
