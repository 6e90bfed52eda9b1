//===- Npy.cpp - single arrays --------------------------------------------------===//
#include "kumiko/Support/Npy.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Support/NpyFile.h"
#include "kumiko/Support/NpyHeader.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace kumiko;

template <typename... Args> static llvm::Error fail(const char *format, Args &&...args) {
  return llvm::createStringError(llvm::formatv(format, std::forward<Args>(args)...).str());
}

/// Column-major to row-major: walks the target in order and the source with its strides.
static void copyFromFortran(const uint8_t *from, uint8_t *to, unsigned width, llvm::ArrayRef<int64_t> shape,
                            int64_t count) {
  llvm::SmallVector<int64_t, 6> strides, position(shape.size(), 0);
  int64_t stride = width;
  for (int64_t extent : shape) {
    strides.push_back(stride);
    stride *= extent;
  }
  for (int64_t done = 0; done < count; ++done, to += width) {
    std::memcpy(to, from, width);
    for (size_t dim = shape.size(); dim-- > 0;) {
      from += strides[dim];
      if (++position[dim] < shape[dim])
        break;
      from -= strides[dim] * shape[dim];
      position[dim] = 0;
    }
  }
}

llvm::Expected<NpyArray> kumiko::readNpy(llvm::ArrayRef<uint8_t> file, uint64_t limit) {
  llvm::Expected<NpyHeader> header = parseNpyHeader(file);
  if (!header)
    return header.takeError();
  llvm::Expected<uint64_t> size = byteSize(header->element, header->shape, limit);
  if (!size)
    return size.takeError();
  llvm::ArrayRef<uint8_t> data = file.drop_front(header->dataOffset);
  if (data.size() < *size)
    return fail("npy: {0} takes {1} bytes, the file has {2} after its header", describe(header->element, header->shape),
                *size, data.size());
  llvm::Expected<Tensor> tensor = Tensor::zeros(header->element, header->shape, limit);
  if (!tensor)
    return tensor.takeError();
  unsigned width = bytesOf(header->element);
  uint8_t *to = tensor->mutableData();
  if (header->fortranOrder && header->shape.size() > 1)
    copyFromFortran(data.data(), to, width, header->shape, tensor->count());
  else if (*size)
    std::memcpy(to, data.data(), *size);
  if (header->bigEndian && width > 1)
    for (int64_t i = 0; i < tensor->count(); ++i)
      std::reverse(to + i * width, to + (i + 1) * width);
  if (header->element == ElementType::B1)
    for (int64_t i = 0; i < tensor->count(); ++i)
      to[i] = to[i] != 0;
  return NpyArray{std::move(*tensor), header->raw};
}

llvm::Expected<NpyArray> kumiko::readNpyFile(llvm::StringRef path, uint64_t limit) {
  auto file = mapFile(path);
  if (!file)
    return file.takeError();
  return readNpy(llvm::arrayRefFromStringRef((*file)->getBuffer()), limit);
}

llvm::Error kumiko::writeNpyFile(llvm::StringRef path, const Tensor &tensor) {
  return writeWhole(path, [&](llvm::raw_ostream &out) {
    out << makeNpyHeader(tensor.element(), tensor.shape()) << llvm::toStringRef(tensor.bytes());
  });
}

llvm::Expected<Tensor> kumiko::asElementType(NpyArray array, ElementType type) {
  Tensor &tensor = array.tensor;
  ElementType from = tensor.element();
  if (from == type && !array.raw)
    return std::move(tensor);
  llvm::SmallVector<int64_t, 6> shape(tensor.shape());
  bool isSubByte =
      type == ElementType::I4 || type == ElementType::U4 || type == ElementType::I2 || type == ElementType::U2;
  ElementType carrier = isUnsigned(type) ? ElementType::U8 : ElementType::I8;
  if (!(array.raw ? bytesOf(type) == bytesOf(from) : isSubByte && from == carrier))
    return fail("expected elements of type {0}, found {1}{2}", nameOf(type), array.raw ? "raw " : "", nameOf(from));
  if (!array.raw)
    for (int64_t i = 0; i < tensor.count(); ++i)
      if (int64_t value = integerAt(tensor, i); wrapInteger(type, value) != value)
        return fail("element {0} is {1}, outside the range of {2}", i, value, nameOf(type));
  return Tensor::reinterpret(std::move(tensor), type, shape);
}
