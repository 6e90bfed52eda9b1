//===- PointsCut.cpp - rows whose indices are linear in stretches ------------===//
#include "kumiko/Codegen/Cpu/Cuts.h"
#include "kumiko/Codegen/Cpu/PieceEmitter.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Vectors of a stretch per turn.
constexpr int64_t vectorsPerTurn = 4;

void PieceEmitter::findCuts() {
  if (alongSums || woven() != 1 || checksPlaces())
    return;
  laneCuts = cutsAlong(lane.loop, lane.extent, *sources);
}

SmallVector<Part> PieceEmitter::partsOf(ArrayRef<int64_t> cuts, const MergedLoop &loop) const {
  SmallVector<Part> result;
  int64_t start = 0;
  for (int64_t cut : cuts)
    result.push_back({std::exchange(start, cut), cut});
  result.push_back({start, loop.extent.value()});
  return result;
}

void PieceEmitter::cutRow() {
  for (Part part : partsOf(laneCuts, lane)) {
    if (part.end - part.start < int64_t(k.demand.lanes))
      shortPart(part);
    else
      k.vectors(part.end - part.start, vectorsPerTurn, [&](Form form) { element(form + Form(part.start)); });
  }
}

void PieceEmitter::shortPart(Part part) {
  constexpr int64_t few = 2;
  int64_t length = part.end - part.start;
  if (length <= few) {
    for (int64_t n = part.start; n < part.end; ++n)
      element(Form(n));
    return;
  }
  auto width = int64_t(llvm::bit_floor(uint64_t(length)));
  k.demand.narrow(width, [&] {
    for (int64_t first = part.start;; first = part.end - width) {
      Form form(first);
      form.lane = 1;
      element(form);
      if (first + width == part.end)
        return;
    }
  });
}

void PieceEmitter::sharedPart(Part part, Value low, Value high) {
  int64_t lanes = k.demand.lanes;
  Value first = arith::MaxSIOp::create(k.b, k.loc, low, k.index(part.start));
  Value last = arith::MinSIOp::create(k.b, k.loc, high, k.index(part.end));
  Value middle = k.endOfGroups(first, last, lanes);
  k.loop(first, middle, lanes, [&](Value number) {
    Form form = Form::ofSlot(k.demand.addSlot(number, 1, {part.start, part.end - lanes}));
    form.lane = 1;
    element(form);
  });
  k.loop(middle, last, 1,
         [&](Value number) { element(Form::ofSlot(k.demand.addSlot(number, 1, {part.start, part.end - 1}))); });
}
