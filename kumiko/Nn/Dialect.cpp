#include "kumiko/Nn/EquationOp.h"
#include "kumiko/Nn/ExtentStorage.h"
#include "kumiko/Nn/Irregular.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Nn/Types.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace kumiko;

#include "kumiko/Nn/NnDialect.cpp.inc"
#include "kumiko/Nn/NnInterfaces.cpp.inc"

void nn::NnDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "kumiko/Nn/NnOps.cpp.inc"
      >();
  addAttributes<ExtentAttr, ExtentsAttr>();
}

Attribute nn::NnDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  return parseExtents(parser, type);
}

void nn::NnDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  printExtents(attribute, printer);
}

LogicalResult nn::NnDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return detail::verifySymbolAttribute(op, attribute);
}

Operation *nn::NnDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  if (auto extent = dyn_cast<ExtentAttr>(value))
    return ExtentOp::create(builder, loc, type, extent);
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

#define GET_OP_CLASSES
#include "kumiko/Nn/NnOps.cpp.inc"
