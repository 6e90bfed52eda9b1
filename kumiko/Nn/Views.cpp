//===- Views.cpp - constants, reshape, bitcast -----------------------------===//
#include "kumiko/Nn/Views.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::nn;

Value kumiko::nn::underViews(Value value) {
  while (isa_and_nonnull<ReshapeOp, BitcastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getX().getType(), to = getY().getType();
  if (from.getElementType() != to.getElementType()) // reshape_c1
    return emitOpError() << "element types differ: " << from.getElementType() << " vs " << to.getElementType();
  // Counted with care: the product of a hostile shape may wrap around to the right number.
  kumiko::Extent before = product(extentsOf(from)), after = product(extentsOf(to));
  bool isKnown = from.hasStaticShape() && to.hasStaticShape(); // elsewhere a check of the program tells
  if (isKnown && (before.overflowed() || before != after))     // reshape_c2
    return emitOpError() << "numbers of elements differ: " << before.str() << " vs " << after.str();
  return success();
}

/// The same bytes under another shape; null when the attribute cannot be seen that way.
static Attribute reshaped(Attribute value, RankedTensorType type) {
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(value))
    return dense.reshape(type);
  if (auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getY().getType())
    return getX();
  if (auto before = getX().getDefiningOp<ReshapeOp>()) {
    // reshape(reshape(x)) = reshape(x)
    getXMutable().assign(before.getX());
    return getY();
  }
  return getY().getType().hasStaticShape() ? reshaped(adaptor.getX(), getY().getType()) : Attribute();
}

LogicalResult BitcastOp::verify() {
  RankedTensorType from = getX().getType(), to = getY().getType();
  if (extentsOf(from) != extentsOf(to)) // bitcast_c1
    return emitOpError() << "shapes differ: " << from << " vs " << to;
  auto isNumber = [](Type type) { return type.isIntOrFloat(); };
  if (!isNumber(from.getElementType()) || !isNumber(to.getElementType()) || // bitcast_c2
      from.getElementTypeBitWidth() != to.getElementTypeBitWidth())
    return emitOpError() << "widths of elements differ: " << from.getElementType() << " vs " << to.getElementType();
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getY().getType())
    return getX();
  if (auto before = getX().getDefiningOp<BitcastOp>()) {
    // bitcast(bitcast(x)) = bitcast(x)
    getXMutable().assign(before.getX());
    return getY();
  }
  auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getX());
  return value && getY().getType().hasStaticShape() ? value.bitcast(getY().getType().getElementType()) : Attribute();
}
