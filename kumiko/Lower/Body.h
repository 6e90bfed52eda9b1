//===- Body.h - scalar expressions inside a generic ------------------------===//
#pragma once
#include "kumiko/Lower/Lowering.h"
#include "kumiko/Lower/Scalar.h"
#include "kumiko/Lower/Views.h"
#include "llvm/ADT/DenseMap.h"

namespace kumiko::lower {

/// Emits expressions of one statement. Errors are collected: emission goes on with a placeholder, and the caller looks
/// at `error` at the end, because a body under construction cannot be left halfway.
class Body {
public:
  /// Inside a generic: `dimensions` has the number of each loop's dimension, or nothing for a loop that is always 0;
  /// `extents` is how many points each loop has.
  Body(mlir::OpBuilder &builder, const Lowering &lowering, llvm::ArrayRef<std::optional<unsigned>> dimensions,
       ExtentList extents)
      : b(builder), lowering(lowering), scalar(builder, lowering.loc), dimensions(dimensions), extents(extents) {}
  /// Outside: for expressions without loops.
  Body(mlir::OpBuilder &builder, const Lowering &lowering) : Body(builder, lowering, {}, {}) {}

  /// `read` has been mapped: its value is this block argument.
  void define(const eq::Expr *read, mlir::Value value) { known[read] = value; }
  mlir::Value emit(const eq::Expr &expr);
  /// What is emitted from now on counts only where this holds; null: everywhere. A read outside a tensor is an error
  /// only where it counts.
  void onlyWhere(mlir::Value condition) { active = condition; }
  /// True, after it has been made sure that the index is one of `extent`.
  mlir::Value checked(const eq::Expr &index, const Extent &extent);

  /// The number that all elements of the tensor read have, when it is a constant of one number; null otherwise.
  static mlir::TypedAttr uniformValue(const Lowering &lowering, const eq::Expr &read);

  Scalar &scalars() { return scalar; }
  /// Empty while everything went well.
  std::string error;

private:
  mlir::Value read(const eq::Expr &expr);
  mlir::Value negated(mlir::Value condition);
  mlir::Value harmless(mlir::Value index);
  mlir::Value branch(const eq::Expr &expr, mlir::Value condition);
  bool staysInside(const eq::Expr &index, const Extent &extent, bool hasElse) const;
  bool mayFail(const eq::Expr &expr);
  bool findFailure(const eq::Expr &expr);
  mlir::Value loop(unsigned number);
  mlir::Value placeholder(ElementType type, const llvm::Twine &what);

  mlir::OpBuilder &b;
  const Lowering &lowering;
  Scalar scalar;
  llvm::ArrayRef<std::optional<unsigned>> dimensions;
  ExtentList extents;
  llvm::DenseMap<const eq::Expr *, mlir::Value> known;
  llvm::DenseMap<const eq::Expr *, bool> fails;
  mlir::Value active;
};

} // namespace kumiko::lower
