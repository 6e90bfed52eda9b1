//===- Constant.cpp - attributes as tensors ---------------------------------------===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Types.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace kumiko;

static ArrayRef<uint8_t> rawBytes(ArrayRef<char> data) {
  return {reinterpret_cast<const uint8_t *>(data.data()), data.size()};
}

llvm::Expected<Tensor> kumiko::constantTensor(ElementsAttr value, uint64_t limit) {
  ShapedType type = value.getShapedType();
  ElementType element = nn::toEquation(type.getElementType());
  if (element == ElementType::Invalid || !type.hasStaticShape())
    return llvm::createStringError("the type of the constant is not supported");
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return llvm::createStringError("the data of the constant is missing: a resource was elided");
    return Tensor::view(element, type.getShape(), rawBytes(blob->getData()));
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return llvm::createStringError("the constant is neither dense nor a resource");
  bool isBits = element == ElementType::B1; // packed, eight to the byte
  if (!isBits && !dense.isSplat())
    return Tensor::view(element, type.getShape(), rawBytes(dense.getRawData()));
  llvm::Expected<Tensor> tensor = Tensor::zeros(element, type.getShape(), limit);
  if (!tensor)
    return tensor;
  uint8_t *to = tensor->mutableData();
  if (isBits) {
    for (bool bit : dense.getValues<bool>())
      *to++ = bit;
    return tensor;
  }
  ArrayRef<char> one = dense.getRawData();
  if (tensor->count() && one.size() != bytesOf(element))
    return llvm::createStringError("the splat constant has %zu bytes, expected %u", one.size(), bytesOf(element));
  for (int64_t i = 0; i < tensor->count(); ++i)
    std::memcpy(to + i * one.size(), one.data(), one.size());
  return tensor;
}
