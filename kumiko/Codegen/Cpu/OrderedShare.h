//===- OrderedShare.h - the loops around what is done in order --------------===//
//
// Used by Scatter.cpp and Running.cpp. Chunks share the outer loops, or, where these are few, the lanes. Each element
// belongs to one chunk, and its points come in the order of the text.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"

namespace kumiko::cpu {

class OrderedShare {
public:
  /// `inside` is the last of the outer loops where it is to run inside of what is done in order.
  OrderedShare(Kernel &k, const OrderedLoops &loops, std::optional<unsigned> inside = std::nullopt);

  Kernel &k;
  const OrderedLoops &loops;
  std::optional<unsigned> inside;
  /// The values of all loops where the code being emitted is.
  Position point;

  /// Calls `body` for each point of the outer loops that is this chunk's.
  void outer(llvm::function_ref<void()> body);

  /// Numbers of a loop.
  struct Stretch {
    unsigned loop;
    mlir::Value low, high;
    IndexRange range;
  };

  /// Those of the loop inside that are this chunk's, and within its bounds.
  Stretch stretchInside(llvm::ArrayRef<ScatterShape::Bounds> bounds);

  /// Calls `body` for each of them.
  void oneByOne(const Stretch &stretch, llvm::function_ref<void()> body);

  /// Calls `body` where the loops around are within their bounds, and known to be so.
  void within(llvm::ArrayRef<ScatterShape::Bounds> bounds, llvm::function_ref<void()> body);

  /// Calls `body` for all vectors of these loops, which are one along memory as far as `reads` see them; false where
  /// they are not.
  bool asOne(const Reads &reads, llvm::ArrayRef<unsigned> list, llvm::function_ref<void()> body);

  /// Calls `body` for all elements of the result that are this chunk's, in vectors where they lie side by side.
  /// `places` are the loops that data addresses, `innermost` the loop along memory.
  void everywhere(llvm::ArrayRef<unsigned> places, unsigned innermost, llvm::function_ref<void()> body);

  /// Calls `body` for each vector of lanes that is this chunk's; once where there are none.
  void alongLanes(llvm::function_ref<void()> body);

  /// The same in vectors of 1, 2, 4, ... lanes, where all of them would not fill one.
  void alongNarrowLanes(llvm::function_ref<void()> body);

  /// Calls `body` for each point of these loops, in order.
  void each(llvm::ArrayRef<unsigned> list, llvm::function_ref<void()> body);

private:
  Extent total(llvm::ArrayRef<unsigned> list) const;
  llvm::SmallVector<MergedLoop> merged(llvm::ArrayRef<unsigned> list) const;
  /// Vectors over all of a loop, and narrower ones for what is left over: a load of what has just been stored under a
  /// mask waits until it is in the cache.
  void inPieces(unsigned loop, const Extent &extent, llvm::function_ref<void()> body);
  /// Vectors of ..., 4, 2, 1 lanes from `first` to `end`.
  void narrowPieces(unsigned loop, int64_t first, int64_t end, llvm::function_ref<void()> body);
  /// Vectors of the loop inside as far as they are this chunk's, and what is left over.
  void vectorsInside(llvm::function_ref<void()> body);

  /// The outer loops without the one inside.
  llvm::SmallVector<unsigned> around;
  bool byLanes;
  /// This chunk's share of the vectors along the lanes, or of the loop inside.
  std::pair<mlir::Value, mlir::Value> lanes, elements;
};

} // namespace kumiko::cpu
