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

/// constant + sum of coefficient * loop, over loops of more than one point.
struct LinearIndex {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms;
  /// Loops of one point that occur in it.
  llvm::SmallVector<unsigned, 1> units;

  int64_t lowest(llvm::ArrayRef<int64_t> extents) const;
  int64_t highest(llvm::ArrayRef<int64_t> extents) const;
};
/// Nothing for a data-dependent index, `mod`, `clamp` and the like.
std::optional<LinearIndex> linearIndex(const eq::Expr &index, llvm::ArrayRef<int64_t> extents);

/// How one dimension is reached.
struct Dimension {
  enum class Kind : uint8_t {
    Constant, ///< at `offset`, the same for all points
    Loops,    ///< after the slice, row-major over `loops` (one, or the parts of a tuple)
    Window,   ///< at offset + sum of coefficient * loop
  };
  Kind kind = Kind::Constant;
  int64_t offset = 0;
  int64_t size = 1;
  int64_t stride = 1;
  llvm::SmallVector<unsigned, 2> loops;
  llvm::SmallVector<int64_t, 2> coefficients; ///< Window only

  bool covers(int64_t extent) const { return offset == 0 && stride == 1 && size == extent; }
};
/// The way to a dimension of `extent` elements, which `index` must not leave. Loops in `dropped` count as 0. Nothing
/// when it would walk backwards.
std::optional<Dimension> reach(const LinearIndex &index, int64_t extent, llvm::ArrayRef<int64_t> extents,
                               const llvm::BitVector &dropped);

/// A read that becomes an operand of a generic.
struct MappedRead {
  const eq::Expr *read = nullptr;
  /// Padding of the dimensions, after the part that is needed at all has been cut out.
  bool padded = false;
  llvm::SmallVector<int64_t, 4> cutOffset, cutSize, low, high;
  llvm::SmallVector<Dimension, 4> dimensions;
};
/// Nothing when the read needs tensor.extract. `shape` is that of the tensor.
std::optional<MappedRead> mapRead(const eq::Expr &read, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> extents,
                                  const llvm::BitVector &dropped);

/// The same computation, node by node.
bool sameExpr(const eq::Expr &a, const eq::Expr &b);
/// No loop occurs in it.
bool isInvariant(const eq::Expr &expr);

} // namespace kumiko::lower
