//===- OrderedShare.h - the loops around what is done in order --------------===//
//
// Used by Scatter.cpp and Running.cpp. Chunks share the outer loops, or, where these are few, the lanes, or the places:
// then each chunk goes over all points and takes those that come to its own. Each element belongs to one chunk, and its
// points come in the order of the text.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"
#include "kumiko/Codegen/Cpu/Strip.h"

namespace kumiko::cpu {

/// The neutral element that leaves every number as it is, so that LLVM leaves out what is done with it: the sum of +0
/// and -0 is +0, so for sums of floats it is -0.
mlir::TypedAttr changesNothing(mlir::TypedAttr neutral);

class OrderedShare {
public:
  /// `inside` is the last of the outer loops where it is to run inside of what is done in order.
  OrderedShare(Kernel &k, const OrderedLoops &loops, std::optional<unsigned> inside = std::nullopt);

  bool byPlaces() const { return k.schedule.sharePlaces; }
  bool byStrips() const { return k.schedule.strip != 0; }
  bool takesWholeRows() const { return !byLanes && !byStrips(); }

  Kernel &k;
  const OrderedLoops &loops;
  std::optional<unsigned> inside;
  /// The values of all loops where the code being emitted is.
  Position point;

  /// Calls `body` for each point of the outer loops that is this chunk's.
  void outer(llvm::function_ref<void()> body);

  /// The same, with `first` before the points that differ in nothing but the last `planes` of these loops. Where these
  /// are few chunks do not part them, and for each of them comes straight-line code as long as the `steps` of `body`
  /// are few, too.
  void outerPlanes(unsigned planes, llvm::ArrayRef<unsigned> steps, llvm::function_ref<void()> first,
                   llvm::function_ref<void()> body);

  /// The same for each strip of columns of such a point.
  void outerStrips(Strip &strip, llvm::function_ref<void()> body);

  /// The same for `count` points at a time, and one by one for those that are left over.
  void outerTogether(int64_t count, llvm::function_ref<void(std::vector<Position>)> body);

  /// The same for vectors of lanes along the last of these loops, and `single` for those that are left over.
  void outerVectors(llvm::function_ref<void()> body, llvm::function_ref<void()> single);

  /// The same for `count` points at a time, the first of which `point` is, where the last `joined` of these loops are
  /// one to all that is read and written.
  void outerJoined(unsigned joined, int64_t count, llvm::function_ref<void()> body, llvm::function_ref<void()> single);

  /// The same for tiles of so many vectors of lanes, whose number `body` gets with that of the one behind the last.
  void outerTiles(int64_t vectors, llvm::function_ref<void(mlir::Value, mlir::Value)> body);

  /// Calls `body` for each place of `loop` that is this chunk's, where places are shared.
  void alongPlaces(unsigned loop, llvm::function_ref<void()> body);
  /// The same with lanes along them, where there is one element per place.
  void vectorsAlongPlaces(unsigned loop, llvm::function_ref<void()> body);

  /// Whether `place` of `loop`, or each of a vector of them, exists, and is this chunk's where places are shared.
  mlir::Value isOurs(mlir::Value place, unsigned loop, bool shared);

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
  /// `places` are the loops that data addresses, `innermost` the loop along memory; `ahead` as in `each`.
  void everywhere(llvm::ArrayRef<unsigned> places, unsigned innermost, llvm::function_ref<void()> body,
                  llvm::function_ref<void()> ahead = {});

  /// Calls `body` for each vector of lanes that is this chunk's; once where there are none.
  void alongLanes(llvm::function_ref<void()> body);

  /// The same in vectors of 1, 2, 4, ... lanes, but no more than `widest`, where all of them would not fill one.
  void alongNarrowLanes(llvm::function_ref<void()> body, int64_t widest = std::numeric_limits<int64_t>::max());

  /// Calls `body` for each point of these loops, in order, and before it `ahead`, if any, for one that follows soon.
  void each(llvm::ArrayRef<unsigned> list, llvm::function_ref<void()> body, llvm::function_ref<void()> ahead = {});

  /// The same as straight-line code where they are few: what one place costs then overlaps with the next one.
  void eachOfFew(llvm::ArrayRef<unsigned> list, llvm::function_ref<void()> body);
  bool areFew(llvm::ArrayRef<unsigned> list) const;

private:
  Extent total(llvm::ArrayRef<unsigned> list) const;
  llvm::SmallVector<MergedLoop> merged(llvm::ArrayRef<unsigned> list) const;
  /// Vectors over all of a loop, and narrower ones for what is left over: a load of what has just been stored under a
  /// mask waits until it is in the cache.
  void inPieces(unsigned loop, const Extent &extent, llvm::function_ref<void()> body);
  /// Vectors of ..., 4, 2, 1 lanes from `first` to `end`, but no more than `widest`.
  void narrowPieces(unsigned loop, int64_t first, int64_t end, llvm::function_ref<void()> body,
                    int64_t widest = std::numeric_limits<int64_t>::max());
  /// Vectors of the loop inside as far as they are this chunk's, and what is left over.
  void vectorsInside(llvm::function_ref<void()> body);

  /// The outer loops without the one inside.
  llvm::SmallVector<unsigned> around;
  bool byLanes;
  /// This chunk's share of the vectors along the lanes, or of the loop inside.
  std::pair<mlir::Value, mlir::Value> lanes, elements;
  /// What divides the first number of that share.
  int64_t firstMultipleOf = 1;
};

} // namespace kumiko::cpu
