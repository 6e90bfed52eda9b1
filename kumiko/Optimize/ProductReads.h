//===- ProductReads.h - the indices of a sum of products -------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "llvm/ADT/STLExtras.h"

namespace kumiko::optimize {

/// An index: a sum of loops times coefficients, and a constant; perhaps divided, which then leaves no rest.
struct ProductIndex {
  llvm::SmallVector<std::pair<unsigned, Extent>, 2> terms;
  Extent constant = 0;
  int64_t divisor = 1;

  bool uses(unsigned loop) const {
    return llvm::any_of(terms, [&](const auto &term) { return term.first == loop; });
  }
  bool isDivided() const { return divisor != 1; }
};
using ProductIndices = llvm::SmallVector<ProductIndex, 4>;

/// sum of a[...] * b[...], no loop twice in a tensor.
struct ProductReads {
  ProductIndices indices[3]; ///< of the two factors and of the result
  unsigned tensors[3] = {};
  /// Beside the tensor stand zeros.
  bool padded[2] = {};
  /// A factor is 0 where an index would leave a rest; else such points do not take part.
  bool choosesZero = false;
};

/// What the statement reads; nothing with the reason where a factor is no plain read, an index no sum of loops, or a
/// condition asks for more than that a division leaves no rest.
std::optional<ProductReads> productReadsOf(const eq::Instance &instance, const eq::Statement &statement,
                                           std::string &why);

} // namespace kumiko::optimize
