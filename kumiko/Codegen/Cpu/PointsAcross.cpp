//===- PointsAcross.cpp - vectors of what data choose from many short rows ----===//
//
//   y[i, j] = x[i, p[i, j]]        few j for each i
//
// The places of a row follow those of the row before, and so do the results. A vector of places goes on from one row to
// the next; each lane adds how far the row it chooses from is behind the first one, and all are gathered together.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

int64_t PieceEmitter::rowsAcross(const MergedLoop &along) const {
  std::optional<Chosen> chosen = chosenAlong(along.loop);
  if (!k.schedule.gathers || !chosen || !chosen->isLast || !chosen->isWhole || !chosen->apart.isStatic() ||
      !lanesChoose || !movesChecked() || !gathersShortRows() || !placesFollow(along))
    return 0;
  const Target &target = targets.front();
  auto stride = [&](const MergedLoop &loop) { return target.piece->strides[loop.loop]; };
  bool resultsFollow = stride(lane).is(1) && stride(along) == lane.extent && target.borders->empty();
  int64_t lanes = k.demand.lanes, together = lanes / std::gcd(lanes, lane.extent.value());
  return resultsFollow && k.demand.canGather(chosen->tensor) && typicalSize(along.extent) >= together ? together : 0;
}

void PieceEmitter::gatherAcross(const MergedLoop &along, Value first, int64_t rows) {
  int64_t lanes = k.demand.lanes, length = lane.extent.value(), apart = chosenAlong(along.loop)->apart.value();
  llvm::SaveAndRestore gathers(k.demand.gathers, true);
  llvm::SaveAndRestore behind(k.demand.behind);
  point[along.loop] = Form::ofSlot(k.demand.addSlot(first, 1, IndexRange::ofLoop(0, along.extent)));
  for (int64_t start = 0; start < rows * length; start += lanes) {
    SmallVector<int32_t> elements;
    for (int64_t element = start; element < start + lanes; ++element)
      elements.push_back(int32_t(element / length * apart));
    k.demand.behind = k.demand.constantOf(k.b.getI32VectorAttr(elements));
    Form form(start);
    form.lane = 1;
    point[lane.loop] = form;
    storeAll();
  }
}
