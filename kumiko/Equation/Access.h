//===- Access.h - which elements a statement reads -------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"

namespace kumiko::eq {

/// constant + sum of coefficients[l] * loop l.
struct AffineIndex {
  Extent constant;
  /// One per loop of the statement.
  llvm::SmallVector<Extent, 6> coefficients;

  /// The loop this index is, when it is exactly one loop with coefficient 1 and no constant.
  std::optional<unsigned> bareLoop() const;
  bool isConstant() const;
};

/// The index as an affine function of `loops` loops; nothing for data-dependent indices, `mod`, `clamp` and the like.
std::optional<AffineIndex> affineIndex(const Expr &index, unsigned loops);

/// One read of a statement.
struct Access {
  const Expr *read = nullptr;
  unsigned tensor = 0;
  /// Per dimension; nothing where the index is not affine.
  llvm::SmallVector<std::optional<AffineIndex>, 4> indices;
  /// Some index of it is computed from another tensor.
  bool dataDependent = false;
  /// This read stands inside the index of another one (or of the target).
  bool inIndex = false;

  bool isAffine() const;
};

/// All reads of values, conditions and indices, in the order of the text; a read that occurs twice in the tree as the
/// same node is listed once.
llvm::SmallVector<Access, 4> accessesOf(const Statement &statement);

/// Calls `visit` once for each expression of values, conditions and indices of targets, in no particular order.
void eachExpr(const Statement &statement, llvm::function_ref<void(const Expr &)> visit);

/// True when the expression contains a read.
bool readsTensor(const Expr &expr);

} // namespace kumiko::eq
