//===- Types.h - types and attributes, in MLIR and in the notation ---------===//
//
//   notation  b1  i8 ... i64    u8 ... u64    f16 bf16 f32 f64  f8e4m3fn ...   int  ints       float floats     bool
//   str type MLIR      i1  i8 ... i64    ui8 ... ui64  the same          f8E4M3FN ...   i64  array<i64> f64 array<f64>
//   bool str type
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "kumiko/Equation/Instance.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kumiko::nn {

/// ElementType::Invalid when the notation has no such type.
ElementType toEquation(mlir::Type elementType);
/// Null for Invalid. Index is i64 (it is never stored).
mlir::Type fromEquation(mlir::MLIRContext *context, ElementType type);

/// Extents are those of the encoding (kumiko/Nn/Extents.h). A `?` without one becomes the overflowed extent, an unknown
/// element type Invalid; the equation engine refuses both.
eq::TensorType toEquation(mlir::RankedTensorType type);
/// No extent may have overflowed.
mlir::RankedTensorType fromEquation(mlir::MLIRContext *context, const eq::TensorType &type);

/// Nothing when the attribute is not of that kind.
std::optional<eq::Attribute> toEquation(mlir::Attribute attribute, eq::AttributeKind kind);
/// The attribute as ops store it. Takes an integer for `float` and a name for `type`, as the notation does.
mlir::Attribute fromEquation(mlir::MLIRContext *context, const eq::Attribute &attribute, eq::AttributeKind kind);

} // namespace kumiko::nn
