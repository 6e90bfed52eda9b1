//===- VectorMath.h - elementary functions as plain vector code -------------===//
//
// Every function works on f32 and f64 and on vectors of them of any shape, through the same code: a few additions,
// multiplications, fused multiply-adds, selects and bit casts, no branches, tables in memory or calls; but sin, cos and
// tan branch for vectors with an argument beyond 2^20: those of f32 to double precision, those of f64 to ops of the
// math dialect that become calls of libm. Special values (NaN, infinities, signed zeros, denormals, the whole range of
// arguments) follow IEEE 754 and C's Annex F.
//
// Results are within 2 ULP of the exact value; which functions are better is in the README beside this file. Of f32,
// exp, log, sin, tanh, erf and sigmoid stay in single precision; functions that would lose digits there work in
// double inside.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/ValueRange.h"
#include <optional>

namespace kumiko {

enum class MathFunction {
  Exp,
  Exp2,
  ExpM1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sqrt,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Sigmoid,
  Pow,
  Rem,
};

/// The function of this name (`exp`, `log1p`, `atan2`, ...), as the notation of equations spells it.
std::optional<MathFunction> mathFunctionNamed(llvm::StringRef name);

/// The elementary function that an op of the math dialect computes; not one that is an instruction. A remainder is an
/// op of arith and none of these.
std::optional<MathFunction> mathFunctionOf(mlir::Operation *op);
/// A scalar or vector type with other elements.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// Atan2 (y, x), Pow (base, exponent) and Rem have two arguments, the others one.
unsigned argumentCount(MathFunction function);

/// Whether there is an expansion for this type; `fma`: for machines with fused multiply-add.
bool hasVectorMath(MathFunction function, mlir::Type element, bool fma);

/// Emits the function of the arguments, all of one type, which is also the result's: f32, f64 or a vector of these,
/// where the function has an expansion. The arith, math, scf and vector dialects must be loaded.
mlir::Value emitVectorMath(mlir::OpBuilder &builder, mlir::Location loc, MathFunction function,
                           mlir::ValueRange arguments);

} // namespace kumiko
