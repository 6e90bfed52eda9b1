//===- Nest.cpp ------------------------------------------------------------------===//
#include "kumiko/Evaluate/Nest.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace kumiko;
using namespace kumiko::eval;

/// Takes loops from the end of `loops` into the lanes.
static void takeLanes(llvm::SmallVectorImpl<unsigned> &loops, Nest &nest) {
  while (!loops.empty()) {
    unsigned loop = loops.back();
    int64_t extent = nest.extents[loop];
    int64_t room = maxLanes / nest.blockLanes();
    if (!nest.lanes.empty() && room < 2)
      return;
    loops.pop_back();
    nest.perPosition = nest.blockLanes();
    nest.chunk = std::min(extent, room);
    nest.lanes.insert(nest.lanes.begin(), loop);
    if (nest.chunk < extent)
      return; // the others stay outside of a loop that is taken in pieces
  }
}

/// Lanes should follow memory: true when more reads run along the last reduced loop than along the last kept one.
static bool readsFollowReduced(llvm::ArrayRef<unsigned> kept, llvm::ArrayRef<unsigned> reduced,
                               llvm::ArrayRef<Linear> reads) {
  int along = 0, across = 0;
  for (const Linear &read : reads) {
    along += read.coefficients[reduced.back()] == 1;
    across += read.coefficients[kept.back()] == 1;
  }
  return along > across;
}

static int64_t cappedProduct(llvm::ArrayRef<unsigned> loops, llvm::ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (unsigned loop : loops)
    product = std::min<int64_t>(maxLanes, product * std::min<int64_t>(extents[loop], maxLanes));
  return product;
}

Nest eval::makeNest(llvm::ArrayRef<int64_t> extents, unsigned kept, llvm::ArrayRef<Linear> reads) {
  Nest nest;
  nest.extents.assign(extents.begin(), extents.end());
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (extents[loop] != 1)
      (loop < kept ? nest.outer : nest.inner).push_back(loop);
  int64_t keptLanes = cappedProduct(nest.outer, extents), reducedLanes = cappedProduct(nest.inner, extents);
  constexpr int64_t worthwhile = 64; // lanes that pay for the dispatch of a block
  if (!nest.inner.empty() && reducedLanes > keptLanes && keptLanes < worthwhile)
    nest.lanesReduced = true;
  else if (!nest.inner.empty() && !nest.outer.empty() && reducedLanes >= worthwhile)
    nest.lanesReduced = readsFollowReduced(nest.outer, nest.inner, reads);
  takeLanes(nest.lanesReduced ? nest.inner : nest.outer, nest);
  return nest;
}

Stream eval::makeStream(Linear form, const Nest &nest) {
  Stream stream;
  stream.form = std::move(form);
  if (nest.lanes.empty())
    return stream;
  llvm::ArrayRef<int64_t> coefficients = stream.form.coefficients;
  stream.stride = coefficients[nest.lanes.back()];
  bool even = true;
  int64_t span = 1;
  for (unsigned loop : llvm::reverse(nest.lanes)) {
    even &= uint64_t(coefficients[loop]) == uint64_t(stream.stride) * uint64_t(span);
    span *= nest.extents[loop];
  }
  if (even)
    return stream;
  stream.stride = 0;
  stream.table.assign(nest.blockLanes(), 0);
  // Row-major: the position of a lane in each loop is its remainder, from the last loop outwards.
  for (int64_t lane = 0; lane < nest.blockLanes(); ++lane) {
    int64_t rest = lane;
    uint64_t sum = 0;
    for (unsigned loop : llvm::reverse(nest.lanes)) {
      sum += uint64_t(coefficients[loop]) * uint64_t(rest % nest.extents[loop]);
      rest /= nest.extents[loop];
    }
    stream.table[lane] = int64_t(sum);
  }
  return stream;
}
