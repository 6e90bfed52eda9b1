//===- Permute.h - an op on operands whose dimensions lie in another order -===//
//
// Given f and x = transpose(x', p): is there f' with f(x) = transpose(f'(x'), q)? f' is the same op with attributes
// that name dimensions renamed (`axis`, `axes`, `channel`: those that stand after `at` in the equation) and lists with
// one entry per dimension reordered (`lo`, `start`, `shape`). Which of the other operands move along is tried: none of
// them (weights, statistics) or all (elementwise ops, concat). Match.h is the judge.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace kumiko::optimize {

/// Dimension d of the result is dimension perm[d] of the operand, as in nn.transpose.
using Permutation = llvm::SmallVector<int64_t, 6>;

Permutation inverse(llvm::ArrayRef<int64_t> permutation);
/// transpose(transpose(x, inner), outer) = transpose(x, compose(inner, outer)).
Permutation compose(llvm::ArrayRef<int64_t> inner, llvm::ArrayRef<int64_t> outer);
bool isIdentity(llvm::ArrayRef<int64_t> permutation);
/// Only dimensions of one element change their place: the transpose moves nothing. `shape` is that of the operand.
bool movesNothing(llvm::ArrayRef<int64_t> permutation, llvm::ArrayRef<int64_t> shape);

/// transpose(x, permutation), with transposes it meets composed: the value itself, an nn.reshape, or an nn.transpose.
mlir::Value transposed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                       llvm::ArrayRef<int64_t> permutation);

struct PermutedOp {
  /// By slot: the operand is transpose(new operand, permutation) after leading dimensions of 1 were added to it up to
  /// the permutation's length; empty for operands that stay as they are.
  llvm::SmallVector<Permutation, 4> operands;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  /// By result: the old one is transpose(new one, permutation); empty for a result that nobody uses.
  llvm::SmallVector<Permutation, 2> results;
  /// Sums run in another order.
  bool rounds = false;
};

/// `op`, if its operand `slot` is transpose(x', permutation), on x'.
std::optional<PermutedOp> permuted(mlir::Operation *op, unsigned slot, llvm::ArrayRef<int64_t> permutation);

/// Makes the op, on operands brought into their new order, and returns what replaces its results (null where unused).
llvm::SmallVector<mlir::Value, 2> createPermuted(mlir::OpBuilder &builder, mlir::Operation *op,
                                                 const PermutedOp &permuted);

} // namespace kumiko::optimize
