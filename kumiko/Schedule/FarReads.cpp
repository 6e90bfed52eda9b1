#include "kumiko/Schedule/FarReads.h"
#include "kumiko/Kernel/Functions.h"
#include "kumiko/Kernel/OrderedShape.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;

/// Bytes of the pages that memory usually has, and how many of them are known: processors of Intel have room for 2048,
/// but not for any that come together. Others, of which Zen 4 is the one that was measured, have room for 3072.
constexpr double bytesOfPage = 4096, pagesKnown = 1600, pagesKnownElsewhere = 2600;

static bool isNumber(Value index) { return index.getDefiningOp<linalg::IndexOp>(); }

namespace {
/// A tensor is a number of stretches, one after the other; data choose from `pages` of each, `reads` times.
struct Stretches {
  double count = 1, pages = 0, reads = 1;

  /// Pages per read that have to be looked for when everything is read again and again.
  double missed(double chosen) const {
    double touched = chosen * (1 - std::exp(-reads / chosen));
    if (touched * count <= pagesKnown)
      return 0;
    return std::max(touched / reads, 1 - pagesKnown / chosen);
  }
};
} // namespace

static Stretches stretchesOf(tensor::ExtractOp read, KernelExtents &extents) {
  Stretches all;
  double bytes = llvm::divideCeil(read.getType().getIntOrFloatBitWidth(), 8);
  bool isOutside = true;
  for (auto [index, extent] : llvm::zip_equal(read.getIndices(), extents.of(read.getTensor()))) {
    isOutside &= isNumber(index);
    (isOutside ? all.count : bytes) *= extent.value();
  }
  all.pages = bytes / bytesOfPage;
  for (const Extent &extent : extents.loopsOf(cast<linalg::GenericOp>(read->getParentOp())))
    all.reads *= extent.value();
  all.reads /= all.count;
  return all;
}

static bool isKnown(const Extent &extent) { return extent.isStatic() && extent.value() > 0; }

/// The innermost loop over the result that is one: lanes run along it.
static std::optional<unsigned> lastLoop(linalg::GenericOp op, KernelExtents &extents) {
  Extents loops = extents.loopsOf(op);
  if (!llvm::all_of(loops, isKnown))
    return std::nullopt;
  for (unsigned loop = loops.size(); loop > 0; --loop)
    if (op.getIteratorTypesArray()[loop - 1] == utils::IteratorType::parallel && !loops[loop - 1].is(1))
      return loop - 1;
  return std::nullopt;
}

/// Whether data say for each number of `loop` anew what `index` is.
static bool choosesAlong(linalg::GenericOp op, Value index, unsigned loop) {
  if (auto argument = dyn_cast<BlockArgument>(index))
    return argument.getOwner() == op.getBody() && loopsBehind(op, argument)[loop];
  Operation *producer = index.getDefiningOp();
  return producer->getBlock() == op.getBody() &&
         llvm::any_of(producer->getOperands(), [&](Value operand) { return choosesAlong(op, operand, loop); });
}

/// Whether `index` follows from the number of a loop, too: then data say where a sequence begins, of which one element
/// after the other is read.
static bool followsLoop(linalg::GenericOp op, Value index) {
  Operation *producer = index.getDefiningOp();
  return producer && producer->getBlock() == op.getBody() &&
         (isNumber(index) ||
          llvm::any_of(producer->getOperands(), [&](Value operand) { return followsLoop(op, operand); }));
}

static double bytesOf(tensor::ExtractOp read, KernelExtents &extents) {
  double bytes = llvm::divideCeil(read.getType().getIntOrFloatBitWidth(), 8);
  for (const Extent &extent : extents.of(read.getTensor()))
    bytes *= extent.value();
  return bytes;
}

tensor::ExtractOp kumiko::farRead(Block &body, KernelExtents &extents) {
  tensor::ExtractOp largest;
  for (auto op : body.getOps<linalg::GenericOp>()) {
    auto reads = op.getBody()->getOps<tensor::ExtractOp>();
    std::optional<unsigned> last = lastLoop(op, extents);
    if (!last || (op.getNumReductionLoops() != 0 && reads.empty()) || llvm::any_of(*op.getBody(), isFunction))
      return tensor::ExtractOp();
    auto isOwn = [&](Value index) { return choosesAlong(op, index, *last) && !followsLoop(op, index); };
    for (auto read : reads)
      if (llvm::any_of(read.getIndices(), isOwn) && llvm::all_of(extents.of(read.getTensor()), isKnown) &&
          (!largest || bytesOf(read, extents) > bytesOf(largest, extents)))
        largest = read;
  }
  return largest;
}

/// Bytes that two places have to lie apart, most of the time, for enough pages to be looked for.
static int64_t bytesApart(const Stretches &all) {
  // Of few reads in a row it costs little to take them for far where they are not.
  constexpr double fewestForSure = 0.25;
  double chosen = std::min(1.0, all.pages);
  if (all.missed(chosen) >= fewestForSure)
    return 0;
  constexpr double step = 1.05;
  while (all.missed(chosen) < missedByLoads)
    chosen *= step;
  // Of pairs of numbers below n four fifths differ by a tenth of it and more.
  return chosen * bytesOfPage / 10;
}

void kumiko::scheduleFarReads(Schedule &schedule, Block &body, KernelExtents &extents) {
  tensor::ExtractOp read = farRead(body, extents);
  if (!read)
    return;
  Stretches all = stretchesOf(read, extents);
  double missed = all.missed(all.pages);
  // A strip's reads are in fewer pages.
  if (missed >= missedByLoads && schedule.strip == 0)
    schedule.farApart = bytesApart(all);
  else if (missed >= missedByGathers)
    schedule.gathers = false;
}

double kumiko::pagesMissed(const Schedule &schedule, int64_t reads, int64_t bytesApart) {
  double perRead = std::min(1.0, std::abs(double(bytesApart)) / bytesOfPage);
  return reads * perRead > (schedule.storesInOrder ? pagesKnown : pagesKnownElsewhere) ? perRead : 0;
}
