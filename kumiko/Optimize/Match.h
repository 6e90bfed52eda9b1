//===- Match.h - do two instances say the same? ----------------------------===//
//
// A rewrite that changes an op's attributes together with the layout of its operands must be right for every op, also
// for those that do not exist yet. So it is not argued from the op's name but checked on its statements: the op before
// and the op after are instantiated, and their statements must be equal, node by node, once the dimensions of each
// tensor are renumbered and the loops renamed.
//
//   softmax(x{2,3,4}; axis = 1):              m[i0, i1] max= x[i0, k, i1]
//   softmax(x'{2,4,3}; axis = 2), x' = x with the last two dimensions swapped:
//                                             m[i0, i1] max= x'[i0, i1, k]     equal, with dimensions 0 2 1
//
// Both instances come from one text, so equal trees are the rule and no rewriting of expressions is needed. A "no" may
// be wrong; a "yes" is not.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"

namespace kumiko::optimize {

/// Dimension d of a tensor of the first instance is dimension placement[d] of the same tensor of the second. The second
/// may have more dimensions; those have one element.
using Placement = llvm::SmallVector<unsigned, 6>;

class InstanceMatch {
public:
  InstanceMatch(const eq::Instance &first, const eq::Instance &second);

  /// What is known beforehand: the placement of operands.
  void place(unsigned tensor, llvm::ArrayRef<unsigned> placement);
  /// Where a tensor was found to lie; empty optional before any statement has said so.
  const std::optional<Placement> &placementOf(unsigned tensor) const { return placements[tensor]; }
  /// Tensor numbers of the second instance, where they differ from those of the first.
  void pair(unsigned tensor, unsigned partner) { partners[tensor] = partner; }

  /// Compares the two, and learns the placement of their targets.
  [[nodiscard]] bool statements(const eq::Statement &first, const eq::Statement &second);
  /// All statements, one after the other.
  [[nodiscard]] bool everything();
  /// Some reduction runs over its loops in another order, so that sums may round differently.
  bool reordersReductions() const { return reordered; }

private:
  bool expressions(const eq::Expr &first, const eq::Expr &second);
  bool indices(unsigned tensor, llvm::ArrayRef<const eq::Expr *> first, llvm::ArrayRef<const eq::Expr *> second);
  bool target(const eq::Target &first, const eq::Target &second);
  bool loops(unsigned first, unsigned second);
  bool types(unsigned tensor) const;
  bool isOnePoint(const eq::Expr &index) const;

  const eq::Instance &a, &b;
  llvm::SmallVector<std::optional<Placement>, 8> placements;
  llvm::SmallVector<unsigned, 8> partners;
  bool reordered = false;

  // Of the statements being compared.
  const eq::Statement *statementA = nullptr, *statementB = nullptr;
  llvm::SmallVector<int, 8> loopOfA, loopOfB;
};

} // namespace kumiko::optimize
