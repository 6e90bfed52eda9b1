//===- ConstantTensor.cpp - the elements of nn.constant --------------------===//
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace kumiko;

/// Above this a constant is a resource: `dense` attributes are hashed and compared byte by byte.
constexpr uint64_t denseLimit = uint64_t(1) << 20;

ElementsAttr optimize::constantOf(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  return constant ? constant.getValue() : ElementsAttr();
}

std::optional<double> optimize::splatOf(Value value) {
  while (Operation *view = value.getDefiningOp()) {
    if (!isa<nn::ExpandOp, nn::ReshapeOp, nn::TransposeOp>(view))
      break;
    value = view->getOperand(0);
  }
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constantOf(value));
  if (!dense || !dense.isSplat())
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>().convertToDouble();
  APInt number = dense.getSplatValue<APInt>();
  bool isUnsigned = dense.getElementType().isUnsignedInteger() || dense.getElementType().isInteger(1);
  if (isUnsigned ? number.getActiveBits() > 53 : number.getSignificantBits() > 53)
    return std::nullopt;
  return isUnsigned ? double(number.getZExtValue()) : double(number.getSExtValue());
}

ElementsAttr optimize::attributeOf(MLIRContext *context, Tensor tensor, llvm::StringRef name) {
  auto type = RankedTensorType::get(tensor.shape(), nn::fromEquation(context, tensor.element()));
  if (tensor.element() == ElementType::B1) {
    SmallVector<bool> bits(llvm::map_range(tensor.bytes(), [](uint8_t byte) { return byte != 0; }));
    return DenseElementsAttr::get(type, bits);
  }
  ArrayRef<char> bytes(reinterpret_cast<const char *>(tensor.bytes().data()), tensor.bytes().size());
  if (bytes.size() <= denseLimit || !tensor.owns())
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  // The blob owns the tensor: the deleter holds it, and dropping the deleter frees the bytes.
  AsmResourceBlob blob(
      bytes, /*dataAlignment=*/1, [owner = std::move(tensor)](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

Value optimize::createConstant(OpBuilder &builder, Location loc, Tensor tensor, llvm::StringRef name) {
  ElementsAttr value = attributeOf(builder.getContext(), std::move(tensor), name);
  return nn::ConstantOp::create(builder, loc, value.getShapedType(), value);
}

SmallVector<double, 0> optimize::doublesOf(const Tensor &tensor) {
  SmallVector<double, 0> values(tensor.count());
  convertElements(tensor.data(), tensor.element(), reinterpret_cast<uint8_t *>(values.data()), ElementType::F64,
                  tensor.count());
  return values;
}

llvm::Expected<Tensor> optimize::tensorOfDoubles(ElementType element, ArrayRef<int64_t> shape,
                                                 ArrayRef<double> values) {
  llvm::Expected<Tensor> tensor = Tensor::zeros(element, shape);
  if (tensor)
    convertElements(reinterpret_cast<const uint8_t *>(values.data()), ElementType::F64, tensor->mutableData(), element,
                    tensor->count());
  return tensor;
}
