//===- Scalar.cpp - types, constants and combinations ----------------------===//
#include "kumiko/Lower/Scalar.h"
#include "kumiko/Lower/SignlessTypes.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;
using eq::Combine;
using eq::Function;

Type lower::signlessType(MLIRContext *context, ElementType type) {
  if (type == ElementType::Index)
    return IndexType::get(context);
  return signless(nn::fromEquation(context, type));
}

RankedTensorType lower::signlessTensor(MLIRContext *context, ElementType type, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, signlessType(context, type));
}

Value Scalar::integer(ElementType type, int64_t value) {
  Type mlirType = signlessType(b.getContext(), type);
  if (isa<IndexType>(mlirType))
    return arith::ConstantIndexOp::create(b, loc, value);
  unsigned width = cast<IntegerType>(mlirType).getWidth();
  APInt bits(width, uint64_t(value), /*isSigned=*/false, /*implicitTrunc=*/true);
  return arith::ConstantOp::create(b, loc, mlirType, b.getIntegerAttr(mlirType, bits));
}

Value Scalar::real(ElementType type, double value) {
  if (isSmallFloat(type))
    return arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(int8_t(kumiko::encodeSmallFloat(type, value))));
  auto mlirType = cast<FloatType>(signlessType(b.getContext(), type));
  return arith::ConstantOp::create(b, loc, mlirType, b.getFloatAttr(mlirType, value));
}

Value Scalar::number(ElementType type, int64_t value) {
  return isFloat(type) ? real(type, double(value)) : integer(type, value);
}

Value Scalar::identity(Combine combine, ElementType type) {
  bool lowest = combine == Combine::Max;
  switch (combine) {
  case Combine::Set:
  case Combine::Sum:
  case Combine::Or:
    return number(type, 0);
  case Combine::Product:
    return number(type, 1);
  case Combine::And:
    return integer(type, type == ElementType::B1 ? 1 : -1);
  case Combine::Max:
  case Combine::Min:
    if (isFloat(type))
      return real(type, lowest ? -HUGE_VAL : HUGE_VAL);
    return integer(type, lowest ? lowestInteger(type) : highestInteger(type));
  }
  llvm_unreachable("combination");
}

Value Scalar::combine(Combine combine, ElementType type, Value a, Value b) {
  switch (combine) {
  case Combine::Set:
    return b;
  case Combine::Sum:
    // As a number a sum of truths is true unless all of them are 0; one bit alone would forget every second one.
    return apply(type == ElementType::B1 ? Function::Or : Function::Add, type, {a, b});
  case Combine::Product:
    return apply(Function::Mul, type, {a, b});
  case Combine::Max:
    return apply(Function::Max, type, {a, b});
  case Combine::Min:
    return apply(Function::Min, type, {a, b});
  case Combine::And:
    return isFloat(type) ? Value() : apply(Function::And, type, {a, b});
  case Combine::Or:
    return isFloat(type) ? Value() : apply(Function::Or, type, {a, b});
  }
  llvm_unreachable("combination");
}

Value Scalar::apply(Function function, ElementType type, ArrayRef<Value> operands, bool nonNegative) {
  if (!isSmallFloat(type))
    return wrapped(applyPlain(function, type, operands, nonNegative), type);
  auto decoded = llvm::map_to_vector(operands, [&](Value code) { return decodeSmallFloat(code, type); });
  Value result = applyPlain(function, ElementType::F32, decoded, nonNegative);
  return result && result.getType().isF32() ? encodeSmallFloat(result, type) : result;
}

Value Scalar::applyPlain(Function function, ElementType type, ArrayRef<Value> operands, bool nonNegative) {
  if (function >= Function::Eq)
    return compare(function, type, operands[0], operands[1]);
  if (operands.size() == 1)
    return isFloat(type) ? floatUnary(function, type, operands[0]) : integerUnary(function, type, operands[0]);
  return isFloat(type) ? floatBinary(function, type, operands[0], operands[1])
                       : integerBinary(function, type, operands[0], operands[1], nonNegative);
}
