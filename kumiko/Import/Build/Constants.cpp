#include "kumiko/Import/Build/Constants.h"
#include "kumiko/Nn/Types.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace llvm;
using namespace mlir;

/// Up to here a constant is written out in the IR, where it can be read.
static constexpr int64_t readableElements = 16;

ElementsAttr kumiko::denseElements(RankedTensorType type, ElementType element, StringRef content) {
  ArrayRef<char> bytes(content.data(), content.size());
  if (element != ElementType::B1)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> bools(map_range(bytes, [](char byte) { return byte != 0; }));
  return DenseElementsAttr::get(type, bools);
}

ElementsAttr kumiko::constantElements(MLIRContext *context, ElementType element, ArrayRef<int64_t> shape,
                                      StringRef bytes, StringRef key, std::shared_ptr<const void> owner) {
  auto type = RankedTensorType::get(shape, nn::fromEquation(context, element));
  if (type.getNumElements() <= readableElements)
    return denseElements(type, element, bytes);
  // The blob looks at the bytes and keeps what holds them; nothing is copied.
  auto release = [owner](void *, size_t, size_t) {};
  AsmResourceBlob blob(ArrayRef(bytes.data(), bytes.size()), /*dataAlignment=*/1, std::move(release),
                       /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, key, std::move(blob));
}
