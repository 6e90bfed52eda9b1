//===- Scatter.cpp - the ways a scatter goes over its result --------------===//
#include "kumiko/Codegen/Cpu/ScatterEmitter.h"
#include "kumiko/Codegen/Cpu/Strip.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Elements from which on to wait for the stores of a copy costs nothing that matters.
constexpr int64_t longStretch = 1 << 14;

ScatterEmitter::ScatterEmitter(Kernel &k)
    : k(k), shape(k.shape.scatter), op(shape.op), result(op.getIndexingMapsArray().back()),
      innermost(cast<AffineDimExpr>(result.getResults().back()).getPosition()), start(op.getDpsInits()[0]),
      memref(k.outputs[0]),
      // Each neighbour goes to a place of its own, but all of them lie side by side in what is read.
      share(k, shape.loops, shape.loops.outerEndsInside(op) ? std::optional(innermost) : std::nullopt) {
  for (const auto &[loop, value] : shape.places)
    rows.push_back(loop);
  llvm::sort(rows);
  op.getReductionDims(points);
}

void ScatterEmitter::emit() {
  if (share.byStrips())
    return strips();
  if (hasPlanes())
    return planes();
  if (isAbreast() && !hasOnePlace())
    return abreast();
  if (hasCopies())
    return inCopies();
  if (hasOnePlace())
    return onePlace();
  share.outer([&] {
    copyStart();
    eachPoint(memref, [&] { return here(); });
  });
}

bool ScatterEmitter::hasPlanes() const {
  return shape.planes != 0 && shape.bounds.empty() && !share.inside && share.takesWholeRows() && !share.byPlaces() &&
         share.areFew(points);
}

void ScatterEmitter::planes() {
  std::vector<Places> known;
  share.outerPlanes(
      shape.planes, points, [&] { share.eachOfFew(points, [&] { known.push_back(placesHere()); }); },
      [&] {
        copyStart();
        const Places *next = known.data();
        share.eachOfFew(points, [&] { change(*next++, memref, [&] { return here(); }); });
      });
}

bool ScatterEmitter::hasOnePlace() const {
  const std::optional<unsigned> &lane = shape.loops.lane;
  bool isShort =
      !lane || (shape.loops.extents[*lane].isStatic() && shape.loops.extents[*lane].value() <= int64_t(k.demand.lanes));
  return isShort && !share.inside && share.takesWholeRows() && !share.byPlaces() &&
         llvm::all_of(rows, [&](unsigned loop) { return shape.loops.extents[loop].is(1); });
}

void ScatterEmitter::onePlace() {
  Extent length = shape.loops.lane ? shape.loops.extents[*shape.loops.lane] : Extent(1);
  auto type = MemRefType::get({length.value()}, cast<MemRefType>(memref.getType()).getElementType());
  Value variable = memref::AllocaOp::create(k.b, k.loc, type);
  auto inVariable = [&] { return shape.loops.lane ? share.point[*shape.loops.lane] : Form(); };
  Type element = getElementTypeOrSelf(start.getType());
  share.outer([&] {
    for (unsigned loop : rows)
      share.point[loop] = Form();
    share.alongNarrowLanes(
        [&] { k.demand.store(k.demand.at(start, applyMap(result, share.point)), variable, inVariable()); });
    eachPoint(variable, inVariable);
    for (unsigned loop : rows)
      share.point[loop] = Form();
    share.alongNarrowLanes([&] { k.demand.store(k.demand.load(variable, inVariable(), element), memref, here()); });
  });
}

void ScatterEmitter::strips() {
  Strip strip(k, rows, *share.inside, share.loops.extents);
  auto inBuffer = [&] { return strip.offset(share.point); };
  auto fetchPoints = [&] {
    for (OpOperand *operand : op.getDpsInputOperands())
      strip.fetch(operand->get(), op.getMatchingIndexingMap(operand), share.point);
  };
  share.outerStrips(strip, [&] {
    share.everywhere(
        rows, *share.inside,
        [&] { k.demand.store(k.demand.at(start, applyMap(result, share.point)), strip.buffer, inBuffer()); },
        [&] { strip.fetch(start, result, share.point); });
    share.within(shape.bounds, [&] {
      share.each(points, [&] { alongStretch(share.stretchInside(shape.bounds), strip.buffer, inBuffer); }, fetchPoints);
    });
    k.pastCaches(memref, [&] {
      share.everywhere(rows, *share.inside, [&] {
        k.demand.store(k.demand.load(strip.buffer, inBuffer(), getElementTypeOrSelf(start.getType())), memref, here());
      });
    });
  });
}

void ScatterEmitter::copyStart() {
  SmallVector<unsigned> elements = rows;
  if (shape.loops.lane || share.inside)
    elements.push_back(innermost);
  llvm::sort(elements);
  // Stores past the caches are waited for once per outer point; they are for stretches, which shares of rows are not.
  Extent stretch = 1;
  for (unsigned loop : elements)
    stretch *= shape.loops.extents[loop];
  bool isLong = (!share.inside || share.takesWholeRows()) && typicalSize(stretch) >= longStretch;
  auto copyShare = [&] {
    if (!share.byPlaces())
      return copyRows(rows, elements);
    SmallVector<unsigned> others = rows;
    llvm::erase(others, shape.firstPlace());
    llvm::erase(elements, shape.firstPlace());
    auto isOne = [&](unsigned loop) { return shape.loops.extents[loop].is(1); };
    Form offset = k.storage.offsetIn(op->getResult(0), applyMap(result, everyLoop()));
    if (offset.coefficientOf(shape.firstPlace()).is(1) && llvm::all_of(others, isOne) && llvm::all_of(elements, isOne))
      return share.vectorsAlongPlaces(shape.firstPlace(), [&] { copyElements(); });
    share.alongPlaces(shape.firstPlace(), [&] { copyRows(others, elements); });
  };
  if (isLong)
    k.pastCaches(memref, copyShare);
  else
    copyShare();
}

Position ScatterEmitter::everyLoop() const {
  Position position;
  for (unsigned loop = 0; loop < shape.loops.extents.size(); ++loop)
    position.push_back(Form::ofSlot(loop));
  return position;
}

void ScatterEmitter::copyElements() {
  k.demand.store(k.demand.at(start, applyMap(result, share.point)), memref, here());
}

void ScatterEmitter::copyRows(ArrayRef<unsigned> others, ArrayRef<unsigned> elements) {
  Reads reads(shape.loops.extents.size(), k.storage);
  reads.collect(start, applyMap(result, everyLoop()));
  reads.forms.push_back(k.storage.offsetIn(op->getResult(0), applyMap(result, everyLoop())));
  auto copy = [&] { copyElements(); };
  if (!share.asOne(reads, elements, copy))
    share.everywhere(others, innermost, copy);
}

void kumiko::cpu::emitScatter(Kernel &k) { ScatterEmitter(k).emit(); }
