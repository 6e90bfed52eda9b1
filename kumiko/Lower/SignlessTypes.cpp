//===- SignlessTypes.cpp - integer types without a sign --------------------===//
#include "kumiko/Lower/SignlessTypes.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace kumiko;

Type lower::signless(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), signless(tensor.getElementType()));
  bool isNumber = isa<IntegerType, FloatType>(type) && !type.isInteger(1);
  // Below 8 bits, and as a float of 8, a number takes a byte.
  if (isNumber && (type.getIntOrFloatBitWidth() < 8 || isa<IntegerType>(type) || type.getIntOrFloatBitWidth() == 8))
    return IntegerType::get(type.getContext(), std::max(8u, type.getIntOrFloatBitWidth()));
  return type;
}

ElementsAttr lower::signless(ElementsAttr value) {
  auto type = cast<ShapedType>(signless(value.getShapedType()));
  if (type == value.getShapedType())
    return value;
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    Type old = value.getElementType();
    if (old.getIntOrFloatBitWidth() == type.getElementTypeBitWidth())
      return dense.bitcast(type.getElementType());
    // Attributes keep the bits of a small integer without its sign.
    auto integer = dyn_cast<IntegerType>(old);
    return dense.mapValues(type.getElementType(), [&](const APInt &bits) {
      return integer && !integer.isUnsigned() ? bits.sext(8) : bits.zext(8);
    });
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return value;
}

static nn::ExtentsAttr encodingOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<nn::ExtentsAttr>(tensor.getEncoding()) : nn::ExtentsAttr();
}

/// Extents of arguments and results, before the types lose them.
static void keepExtents(FunctionOpInterface function) {
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (nn::ExtentsAttr extents = encodingOf(type))
      function.setArgAttr(number, nn::extentsAttrName, extents);
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    if (nn::ExtentsAttr extents = encodingOf(type))
      function.setResultAttr(number, StringAttr::get(function.getContext(), nn::extentsAttrName), extents);
}

/// The same for results of ops between kernels, one entry per result.
static void keepExtents(Operation *op) {
  Builder b(op->getContext());
  auto extents = llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Attribute {
    nn::ExtentsAttr encoding = encodingOf(type);
    return encoding ? Attribute(encoding) : b.getUnitAttr();
  });
  if (llvm::any_of(extents, llvm::IsaPred<nn::ExtentsAttr>))
    op->setAttr(nn::extentsAttrName, b.getArrayAttr(extents));
}

void lower::makeSignless(ModuleOp module) {
  module.walk([](Operation *op) {
    if (op->getParentOfType<func::FuncOp>() && !op->getParentOfType<nn::KernelOp>())
      keepExtents(op);
    for (Value result : op->getResults())
      result.setType(signless(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(signless(argument.getType()));
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      if (auto type = dyn_cast<FunctionType>(function.getFunctionType())) {
        keepExtents(function);
        auto plain = [](Type each) { return signless(each); };
        function.setType(FunctionType::get(op->getContext(), llvm::map_to_vector(type.getInputs(), plain),
                                           llvm::map_to_vector(type.getResults(), plain)));
      }
    if (auto constant = dyn_cast<nn::ConstantOp>(op))
      constant.setValueAttr(signless(constant.getValue()));
  });
}
