//===- ScalarExpr.h - expressions of an equation in C ----------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

namespace kumiko::bench {

/// The C type of an element; empty when there is none.
llvm::StringRef typeInC(ElementType type);
/// Writes the expressions of one statement. What is used more than once gets a variable, in front of the statement
/// that asks for it; everything else is written in place, so that `?:` only computes the side it takes.
class ExprWriter {
public:
  ExprWriter(const eq::Instance &instance, std::string &out) : instance(instance), out(out) {}

  /// Uses of the expressions are counted before the first is written.
  void count(const eq::Expr &expr);
  std::string write(const eq::Expr &expr);
  /// The element of tensor `tensor` at `indices`; `asWritten` ones are not looked at, of others those that data say
  /// are, where loops do that (scalar.h).
  std::string place(unsigned tensor, llvm::ArrayRef<const eq::Expr *> indices, bool asWritten = true);
  /// Whether the indices are inside the tensor.
  std::string inside(unsigned tensor, llvm::ArrayRef<const eq::Expr *> indices);
  /// `left` and `right` together.
  static std::string combine(eq::Combine kind, const std::string &left, const std::string &right);
  static std::string identity(eq::Combine kind, ElementType type);

private:
  std::string inPlace(const eq::Expr &expr);
  std::string apply(const eq::Expr &expr);

  const eq::Instance &instance;
  std::string &out;
  llvm::DenseMap<const eq::Expr *, unsigned> uses;
  llvm::DenseMap<const eq::Expr *, std::string> names;
};

} // namespace kumiko::bench
