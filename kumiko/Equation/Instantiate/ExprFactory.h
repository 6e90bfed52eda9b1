//===- ExprFactory.h - makes expressions, simplified and shared ------------===//
#pragma once
#include "kumiko/Equation/Instance.h"

namespace kumiko::eq {

/// Builds the expressions of one statement. Integer arithmetic of type Index is folded and freed of neutral operands;
/// equal expressions are one node, so that consumers can compute a repeated read once by comparing pointers.
class ExprFactory {
public:
  explicit ExprFactory(Instance &instance) : instance(instance) {}

  const Expr *integer(ElementType type, int64_t value);
  const Expr *boolean(bool value) { return integer(ElementType::B1, value); }
  const Expr *real(ElementType type, double value);
  /// A constant of type Index, possibly symbolic.
  const Expr *extent(const Extent &value);
  const Expr *loop(unsigned number);
  const Expr *apply(Function function, ElementType type, llvm::ArrayRef<const Expr *> operands);
  const Expr *select(const Expr *condition, const Expr *yes, const Expr *no);
  /// Converts; a conversion that undoes an exact widening is left out.
  const Expr *cast(const Expr *value, ElementType type);
  const Expr *read(unsigned tensor, ElementType type, llvm::ArrayRef<const Expr *> indices, const Expr *otherwise);

  /// Arithmetic of type Index.
  const Expr *index(Function function, const Expr *a, const Expr *b);
  /// g * extent + c for each part of a tuple.
  const Expr *rowMajor(llvm::ArrayRef<const Expr *> parts, llvm::ArrayRef<Extent> extents);

private:
  const Expr *share(const Expr &expr);
  Instance &instance;
  llvm::SmallVector<const Expr *, 32> recent;
};

bool isConstant(const Expr &expr);
/// Integer or real constant equal to `value`.
bool isNumber(const Expr &expr, double value);
/// The value of a constant of type Index.
Extent extentOf(const Expr &expr);

} // namespace kumiko::eq
