//===- Body.h - scalar expressions inside a generic ------------------------===//
#pragma once
#include "kumiko/Lower/Lowering.h"
#include "kumiko/Lower/Scalar.h"
#include "llvm/ADT/DenseMap.h"

namespace kumiko::lower {

/// Emits expressions of one statement. Errors are collected: emission goes on with a placeholder, and the caller looks
/// at `error` at the end, because a body under construction cannot be left halfway.
class Body {
public:
  /// Inside a generic: `dimensions` has the number of each loop's dimension, or nothing for a loop that is always 0.
  Body(mlir::OpBuilder &builder, const Lowering &lowering, llvm::ArrayRef<std::optional<unsigned>> dimensions)
      : b(builder), lowering(lowering), scalar(builder, lowering.loc), dimensions(dimensions) {}
  /// Outside: for expressions without loops.
  Body(mlir::OpBuilder &builder, const Lowering &lowering) : Body(builder, lowering, {}) {}

  /// `read` has been mapped: its value is this block argument.
  void define(const eq::Expr *read, mlir::Value value) { known[read] = value; }
  mlir::Value emit(const eq::Expr &expr);

  Scalar &scalars() { return scalar; }
  /// Empty while everything went well.
  std::string error;

private:
  mlir::Value read(const eq::Expr &expr);
  mlir::Value loop(unsigned number);
  mlir::Value placeholder(ElementType type, const llvm::Twine &what);

  mlir::OpBuilder &b;
  const Lowering &lowering;
  Scalar scalar;
  llvm::ArrayRef<std::optional<unsigned>> dimensions;
  llvm::DenseMap<const eq::Expr *, mlir::Value> known;
};

} // namespace kumiko::lower
