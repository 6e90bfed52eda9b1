//===- PointsCut.cpp - rows whose indices are linear in stretches ------------===//
#include "kumiko/Codegen/Cpu/Cuts.h"
#include "kumiko/Codegen/Cpu/PieceEmitter.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Vectors of a stretch per turn.
constexpr int64_t vectorsPerTurn = 4;
/// Rows that are longer do not notice how their place is found.
constexpr int64_t longestPlacedRow = 64;

void PieceEmitter::findCuts() {
  if (alongSums || woven() != 1 || checksPlaces())
    return;
  laneCuts = cutsAlong(lane.loop, lane.extent, *sources);
  if (!laneCuts.empty())
    stretch = 0;
  if (!loops.empty() && lane.extent.isStatic() && lane.extent.value() <= longestPlacedRow)
    rowCuts = cutsAlong(loops.back().loop, loops.back().extent, *sources);
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
    if (longRows && isLong(part))
      longPart(part);
    else if (part.end - part.start < int64_t(k.demand.lanes))
      shortPart(part);
    else
      k.vectors(part.end - part.start, vectorsPerTurn, [&](Form form) { element(form + Form(part.start)); });
  }
}

void PieceEmitter::equalStretches() {
  int64_t lanes = k.demand.lanes, count = lane.extent.value() / stretch;
  auto from = [&](const Form &start, int64_t length) {
    for (int64_t first = 0; first < length; first += lanes) {
      k.demand.active = std::min(length - first, lanes);
      Form form = start + Form(first);
      form.lane = 1;
      element(form);
      k.demand.active = lanes;
    }
  };
  k.loop(k.index(0), k.index(count), 1, [&](Value number) {
    from(Form::ofSlot(k.demand.addSlot(number, 1, IndexRange::ofLoop(0, count)), stretch), stretch);
  });
  from(Form(count * stretch), lane.extent.value() - count * stretch);
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
