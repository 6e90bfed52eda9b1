//===- Contraction.h - sums of products, in blocks ------------------------------===//
//
//   y[t] += a[p] * b[q]      p, q linear in the loops and inside for all points
//
// Every kept loop belongs to one of three groups: it moves only a (rows), only b (columns), or both or none (batch);
// the reduced loops are the depth. So each batch is a matrix product whose elements are found through one table of
// offsets per group; tiles of both sides are copied to even panels and multiplied there. Convolutions, attention and
// einsums need nothing more.
//
// The products of one result are added in row-major order of the reduced loops to one f64 (or integer), exactly as the
// general path does it: both give the same bits.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Evaluate/ProgramBuilder.h"

namespace kumiko::eval {

struct Contraction {
  struct Side {
    const Tensor *tensor;
    Linear address;
    /// What happens to an element before it is multiplied, first to last.
    llvm::SmallVector<ElementType, 2> casts;
  };
  Side a, b;
  /// Of the product.
  ElementType type;
  llvm::SmallVector<int64_t, 6> extents;
  unsigned kept;
};

/// The statement as a contraction, when it is one and large enough to gain from it. All extents are positive.
std::optional<Contraction> matchContraction(const Setting &setting);

/// The carrier of the sums: f64 or int64.
inline Carrier sumCarrier(ElementType type) { return isFloat(type) ? Carrier::F64 : Carrier::I64; }

/// Stores every sum at `target` (an offset in elements, linear in the kept loops) of memory `to`.
llvm::Error contract(Contraction contraction, const Linear &target, uint8_t *to, ElementType stored,
                     Precision precision, uint64_t limit);

} // namespace kumiko::eval
