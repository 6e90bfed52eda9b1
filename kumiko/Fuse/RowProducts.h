//===- RowProducts.h - products in front of rows and behind them -----------===//
//
// A kernel of rows may take in the product that makes its rows, and the one that runs over what it makes of them:
//
//   scores(b, m, k) += q(b, m, d) * kt(b, d, k)        rows(b, m, k)        out(b, m, n) += weights(b, m, k) * v(b, k,
//   n)
//
// so that scores and weights are never in memory as a whole. What the rows compute does not matter: scale, mask and
// softmax of attention come in many spellings, and nothing here knows one. Transpositions, parts and repetitions (heads
// of keys that several heads of queries share) in front of the products come along, as other ways to read, and so do
// factors.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Fuse/Waiting.h"

namespace kumiko {

/// The kernels that a kernel of rows would be joined with.
struct RowProducts {
  Group *scores = nullptr, *values = nullptr;
  /// What stands in front of the products and can be done wherever they read.
  llvm::SmallVector<Group *> moves;
  /// Views between them, which belong to no kernel yet.
  llvm::SmallVector<mlir::Operation *> views;
  /// Where they stand around the rows, but should stay apart.
  Decision decision = Decision::allow();
};

/// The products around `rows`, a kernel with rows; nothing where there are none.
std::optional<RowProducts> productsAround(const Group &rows, const Homes &homes, const Target &target);

} // namespace kumiko
