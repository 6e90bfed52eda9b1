#include "kumiko/Nn/EquationOp.h"
#include "kumiko/Nn/Irregular.h"
#include "kumiko/Nn/Nn.h"
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
}

Operation *nn::NnDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

#define GET_OP_CLASSES
#include "kumiko/Nn/NnOps.cpp.inc"
