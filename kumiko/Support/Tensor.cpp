//===- Tensor.cpp ------------------------------------------------------------===//
#include "kumiko/Support/Tensor.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cinttypes>

using namespace kumiko;

template <typename... Args> static llvm::Error fail(const char *format, Args &&...args) {
  return llvm::createStringError(llvm::formatv(format, std::forward<Args>(args)...).str());
}

std::string kumiko::describe(ElementType element, llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << nameOf(element) << '[';
  llvm::interleave(shape, out, ",");
  out << ']';
  return text;
}

llvm::Expected<int64_t> kumiko::elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool overflow = false;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return fail("negative extent {0} in a shape", extent);
    empty |= extent == 0;
    overflow |= bool(llvm::MulOverflow(count, extent, count));
  }
  // With a zero extent the order of the others must not decide whether the product overflows.
  if (empty)
    return 0;
  if (overflow)
    return fail("the number of elements does not fit 63 bits");
  return count;
}

llvm::Expected<uint64_t> kumiko::byteSize(ElementType element, llvm::ArrayRef<int64_t> shape, uint64_t limit) {
  llvm::Expected<int64_t> count = elementCount(shape);
  if (!count)
    return count.takeError();
  if (element == ElementType::Invalid || element == ElementType::Index)
    return fail("tensors of type '{0}' cannot be stored", nameOf(element));
  uint64_t width = bytesOf(element);
  if (uint64_t(*count) > limit / width)
    return llvm::createStringError(std::errc::not_enough_memory,
                                   "%s takes %" PRId64 " elements of %" PRIu64 " bytes, above the limit of %" PRIu64
                                   " bytes",
                                   describe(element, shape).c_str(), *count, width, limit);
  return uint64_t(*count) * width;
}

llvm::Expected<Tensor> Tensor::zeros(ElementType element, llvm::ArrayRef<int64_t> shape, uint64_t limit) {
  llvm::Expected<uint64_t> size = byteSize(element, shape, limit);
  if (!size)
    return size.takeError();
  Tensor tensor;
  tensor.elementType = element;
  tensor.extents.assign(shape.begin(), shape.end());
  tensor.size = *size;
  tensor.elements = *size / bytesOf(element);
  if (*size) {
    tensor.owned.reset(static_cast<uint8_t *>(std::calloc(*size, 1)));
    if (!tensor.owned)
      return fail("no memory for {0}: {1} bytes", describe(element, shape), *size);
    tensor.start = tensor.owned.get();
  }
  return tensor;
}

llvm::Expected<Tensor> Tensor::view(ElementType element, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<uint8_t> bytes) {
  llvm::Expected<uint64_t> size = byteSize(element, shape, INT64_MAX);
  if (!size)
    return size.takeError();
  if (*size != bytes.size())
    return fail("{0} takes {1} bytes, {2} are given", describe(element, shape), *size, bytes.size());
  Tensor tensor;
  tensor.elementType = element;
  tensor.extents.assign(shape.begin(), shape.end());
  tensor.size = *size;
  tensor.elements = *size / bytesOf(element);
  tensor.start = bytes.data();
  return tensor;
}

Tensor Tensor::alias() const {
  Tensor tensor;
  tensor.elementType = elementType;
  tensor.extents = extents;
  tensor.elements = elements;
  tensor.size = size;
  tensor.start = start;
  return tensor;
}

llvm::Expected<Tensor> Tensor::copy(uint64_t limit) const {
  if (elementType == ElementType::Invalid)
    return Tensor();
  llvm::Expected<Tensor> tensor = zeros(elementType, extents, limit);
  if (tensor && size)
    std::memcpy(tensor->owned.get(), start, size);
  return tensor;
}

llvm::Expected<Tensor> Tensor::reinterpret(Tensor tensor, ElementType element, llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<uint64_t> size = byteSize(element, shape, INT64_MAX);
  if (!size)
    return size.takeError();
  if (*size != tensor.size)
    return fail("{0} takes {1} bytes, {2} has {3}", describe(element, shape), *size,
                describe(tensor.elementType, tensor.extents), tensor.size);
  tensor.elementType = element;
  tensor.extents.assign(shape.begin(), shape.end());
  tensor.elements = *size / bytesOf(element);
  return tensor;
}
