//===- Access.h - which part of a tensor a read needs, as views and maps ---===//
//
// A read x(e0, e1, ...) whose indices are linear in the loops becomes, dimension by dimension,
//
//   pad      only for reads with `else`: so many elements around it
//   slice    [offset, offset + stride, ...), `size` of them
//   split    into the loops of a tuple, row-major
//   map      one loop per dimension now, a constant, or a sum of several loops (a window)
//
// Loops of extent 1 are always 0. They stay in a map only where a dimension has nothing else to be read by, so that a
// 1x1 convolution has the maps of a matrix product.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "llvm/ADT/BitVector.h"

namespace kumiko::lower {

using Extents = llvm::SmallVector<Extent, 4>;
using ExtentList = llvm::ArrayRef<Extent>;

/// a <= b for all values of the symbols, as far as can be told.
inline bool isAtMost(const Extent &a, const Extent &b) { return (b - a).knownNonNegative(); }
/// The same, with the knowledge that the extents of the instance's tensors are at least 0: k - 1 too, if one is that.
bool isAtMost(const eq::Instance &instance, const Extent &a, const Extent &b);

/// Numbers in linear indices stay below this, so that sums of their products fit 64 bits.
inline constexpr int64_t largestNumber = int64_t(1) << 30;

/// constant + sum of coefficient * loop, over loops of more than one point. No coefficient has a sign that depends on
/// symbols.
struct LinearIndex {
  Extent constant;
  llvm::SmallVector<std::pair<unsigned, Extent>, 2> terms;
  /// Loops of one point that occur in it.
  llvm::SmallVector<unsigned, 1> units;

  /// Where no loop is empty.
  Extent lowest(ExtentList extents) const;
  Extent highest(ExtentList extents) const;
};
/// Nothing for a data-dependent index, `mod`, `clamp` and the like.
std::optional<LinearIndex> linearIndex(const eq::Expr &index, ExtentList extents);

/// How one dimension is reached.
struct Dimension {
  enum class Kind : uint8_t {
    Constant, ///< at `offset`, the same for all points
    Loops,    ///< after the slice, row-major over `loops` (one, or the parts of a tuple)
    Window,   ///< at offset + sum of coefficient * loop
  };
  Kind kind = Kind::Constant;
  Extent offset = 0;
  Extent size = 1;
  int64_t stride = 1;
  llvm::SmallVector<unsigned, 2> loops;
  llvm::SmallVector<int64_t, 2> coefficients; ///< Window only

  bool covers(const Extent &extent) const { return offset.is(0) && stride == 1 && size == extent; }
};
/// Extents that are equal for all values of the symbols that the instance's checks let through.
bool areEqual(const eq::Instance &instance, const Extent &a, const Extent &b);

/// The way to a dimension of `extent` elements, which `index` must not leave. Loops in `dropped` count as 0. Nothing
/// when it would walk backwards, or by steps that are no numbers.
std::optional<Dimension> reach(const eq::Instance &instance, const LinearIndex &index, const Extent &extent,
                               ExtentList extents, const llvm::BitVector &dropped);

/// A read that becomes an operand of a generic.
struct MappedRead {
  const eq::Expr *read = nullptr;
  /// Padding of the dimensions, after the part that is needed at all has been cut out.
  bool padded = false;
  Extents cutOffset, cutSize, low, high;
  llvm::SmallVector<Dimension, 4> dimensions;
};
/// Nothing when the read needs tensor.extract. `shape` is that of the tensor.
std::optional<MappedRead> mapRead(const eq::Instance &instance, const eq::Expr &read, ExtentList shape,
                                  ExtentList extents, const llvm::BitVector &dropped);

/// The same computation, node by node.
bool sameExpr(const eq::Expr &a, const eq::Expr &b);
/// No loop occurs in it.
bool isInvariant(const eq::Expr &expr);

} // namespace kumiko::lower
