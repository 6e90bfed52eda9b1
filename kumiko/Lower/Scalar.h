//===- Scalar.h - arithmetic on single elements ----------------------------===//
//
// Element types of the notation as signless MLIR types, and functions of the notation as arith and math ops. The
// notation's type goes along with every value, because i8 and ui8 are one type here and differ only in what is done
// to them.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kumiko::lower {

/// i8 for both i8 and u8, i1 for b1, index for Index. Integers and floats below 8 bits and 8-bit floats are bytes: i8.
mlir::Type signlessType(mlir::MLIRContext *context, ElementType type);
/// Extents must be static.
mlir::RankedTensorType signlessTensor(mlir::MLIRContext *context, ElementType type, llvm::ArrayRef<int64_t> shape);

/// Emits at the builder's insertion point. Functions return null where the combination of function and type has no
/// meaning or is not compiled yet.
class Scalar {
public:
  Scalar(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc) {}

  mlir::Value integer(ElementType type, int64_t value);
  mlir::Value real(ElementType type, double value);
  /// `value` as type `type`, a float or an integer.
  mlir::Value number(ElementType type, int64_t value);

  /// `type` is the type of the operands. `nonNegative`: no operand of an integer division is below 0.
  mlir::Value apply(eq::Function function, ElementType type, llvm::ArrayRef<mlir::Value> operands,
                    bool nonNegative = false);
  /// `inRange`: a float that is known to fit in 32 bits once its fraction is dropped.
  mlir::Value cast(mlir::Value value, ElementType from, ElementType to, bool inRange = false);

  /// 0, 1, lowest, highest, true, false. `Set` has 0.
  mlir::Value identity(eq::Combine combine, ElementType type);
  mlir::Value combine(eq::Combine combine, ElementType type, mlir::Value a, mlir::Value b);

private:
  mlir::Value applyPlain(eq::Function function, ElementType type, llvm::ArrayRef<mlir::Value> operands,
                         bool nonNegative);
  mlir::Value floatUnary(eq::Function function, ElementType type, mlir::Value x);
  mlir::Value integerUnary(eq::Function function, ElementType type, mlir::Value x);
  mlir::Value floatBinary(eq::Function function, ElementType type, mlir::Value x, mlir::Value y);
  mlir::Value integerBinary(eq::Function function, ElementType type, mlir::Value x, mlir::Value y, bool nonNegative);
  mlir::Value floatSign(ElementType type, mlir::Value x);
  mlir::Value sigmoid(ElementType type, mlir::Value x);
  mlir::Value divide(eq::Function function, ElementType type, mlir::Value x, mlir::Value y, bool natural);
  mlir::Value divideSafely(eq::Function function, ElementType type, mlir::Value x, mlir::Value y, bool natural);
  mlir::Value integerPower(ElementType type, mlir::Value base, mlir::Value exponent);
  mlir::Value floorModulo(ElementType type, mlir::Value x, mlir::Value y);
  mlir::Value shift(eq::Function function, ElementType type, mlir::Value x, mlir::Value y);
  mlir::Value compare(eq::Function function, ElementType type, mlir::Value x, mlir::Value y);
  mlir::Value floatToInteger(mlir::Value value, ElementType from, ElementType to, bool inRange);
  mlir::Value doubleToSingleOdd(mlir::Value value);
  /// A value of a type below 8 bits whose byte may hold more.
  mlir::Value wrapped(mlir::Value value, ElementType type);
  mlir::Value bits32(uint32_t value);
  /// From and to f32.
  mlir::Value decodeSmallFloat(mlir::Value code, ElementType type);
  mlir::Value encodeSmallFloat(mlir::Value value, ElementType type);
  mlir::Value decodeScale(mlir::Value code);
  mlir::Value encodeScale(mlir::Value value);
  mlir::Value floatToFloat(mlir::Value value, ElementType from, ElementType to);
  mlir::Value integerToInteger(mlir::Value value, ElementType from, ElementType to);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace kumiko::lower
