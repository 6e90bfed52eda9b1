//===- Packing.h - how a constant operand is stored for a contraction ------===//
#pragma once
#include "kumiko/Schedule/IntegerLayout.h"

namespace kumiko {

/// A constant as [batch][panel][depth][part][panelColumns], zeros beyond the columns of each part. Dimensions are those
/// of `shape`, the constant as its reader sees it (its bytes are in row-major order). With panels as wide as the
/// columns this is a transposition that puts the columns last.
struct Packing {
  unsigned argument = 0; ///< of the kernel
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<unsigned> batch, columns, depth;
  int64_t panelColumns = 16;
  /// Equal parts of the columns (ContractionShape), of which a panel has the same columns each: as far apart as the
  /// parts are, more of them than a cache has ways would fall into one set.
  int64_t parts = 1;
  int64_t elementBytes = 4;
  /// Columns of integers lie in panels of words instead; `elementBytes` is then that of the source.
  std::optional<IntegerLayout> integers;

  /// Of elementBytes each, or words of 32 bits.
  int64_t elementCount() const;
  int64_t storedBytes() const { return elementCount() * (integers ? 4 : elementBytes); }
  /// Where there is one panel: the strides, in elements, of the stored dimensions.
  llvm::SmallVector<int64_t> strides() const;
  /// `source` may have any alignment.
  void pack(const char *source, char *target) const;

private:
  void packIntegers(const char *source, char *target) const;
};

/// The arguments of a kernel that its schedule wants stored in another order.
llvm::SmallVector<Packing, 2> packingsOf(const KernelShape &shape, const Schedule &schedule, mlir::Block &body);

/// The packing of one argument, if it has one.
const Packing *packingOfArgument(llvm::ArrayRef<Packing> packings, unsigned argument);

} // namespace kumiko
