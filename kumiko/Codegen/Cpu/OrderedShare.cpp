#include "kumiko/Codegen/Cpu/OrderedShare.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

OrderedShare::OrderedShare(Kernel &k, const OrderedLoops &loops, std::optional<unsigned> inside)
    : k(k), loops(loops), inside(inside), point(loops.extents.size()), around(loops.outer) {
  if (inside)
    around.pop_back();
  bool fewAround = typicalSize(total(around)) < typicalSize(k.schedule.chunks);
  byLanes = (loops.lane || inside) && fewAround;
}

Extent OrderedShare::total(ArrayRef<unsigned> list) const {
  Extent product = 1;
  for (unsigned loop : list)
    product *= loops.extents[loop];
  return product;
}

SmallVector<MergedLoop> OrderedShare::merged(ArrayRef<unsigned> list) const {
  SmallVector<MergedLoop> result;
  for (unsigned loop : list)
    result.push_back({loop, loops.extents[loop]});
  return result;
}

//===--- the loops around --------------------------------------------------------------------------===//

void OrderedShare::outer(llvm::function_ref<void()> body) {
  std::pair<Value, Value> range = {k.index(0), k.index(total(around))};
  if (inside)
    elements = {k.index(0), k.index(loops.extents[*inside])};
  if (byLanes && inside)
    elements = k.chunkRange(loops.extents[*inside]);
  else if (byLanes)
    lanes = k.chunkRange(floorDiv(loops.extents[*loops.lane], k.demand.lanes));
  else
    range = k.chunkRange(total(around));
  k.loop(range.first, range.second, 1, [&](Value number) {
    k.delinearize(number, merged(around), point);
    body();
  });
}

void OrderedShare::within(ArrayRef<ScatterShape::Bounds> bounds, llvm::function_ref<void()> body) {
  Position whole = point;
  Value inBounds;
  for (const auto &[loop, low, high] : bounds) {
    if (!llvm::is_contained(around, loop))
      continue;
    Value number = k.demand.indexOf(point[loop]);
    Value shifted = arith::SubIOp::create(k.b, k.loc, number, k.index(low));
    Value fits = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, shifted,
                                       k.index(std::max<int64_t>(high - low, 0)));
    inBounds = inBounds ? Value(arith::AndIOp::create(k.b, k.loc, inBounds, fits)) : fits;
    point[loop] = Form::ofSlot(k.demand.addSlot(number, 1, IndexRange::ofLoop(low, high)));
  }
  if (inBounds)
    k.onlyIf(inBounds, body);
  else
    body();
  point = whole;
}

//===--- points and elements -----------------------------------------------------------------------===//

void OrderedShare::each(ArrayRef<unsigned> list, llvm::function_ref<void()> body) {
  k.loop(k.index(0), k.index(total(list)), 1, [&](Value number) {
    k.delinearize(number, merged(list), point);
    body();
  });
}

OrderedShare::Stretch OrderedShare::stretchInside(ArrayRef<ScatterShape::Bounds> bounds) {
  auto found = llvm::find_if(bounds, [&](const auto &known) { return known.loop == *inside; });
  if (found == bounds.end())
    return {*inside, elements.first, elements.second, {}};
  Value low = arith::MaxSIOp::create(k.b, k.loc, elements.first, k.index(found->low));
  Value high = arith::MinSIOp::create(k.b, k.loc, elements.second, k.index(found->high));
  return {*inside, low, high, IndexRange::ofLoop(found->low, found->high)};
}

bool OrderedShare::asOne(const Reads &reads, ArrayRef<unsigned> list, llvm::function_ref<void()> body) {
  SmallVector<MergedLoop> whole = mergeLoops(reads, list, loops.extents);
  if (byLanes || whole.size() != 1 || !reads.forms.back().coefficientOf(whole.front().loop).is(1))
    return false;
  for (unsigned loop : list)
    point[loop] = Form();
  inPieces(whole.front().loop, whole.front().extent, body);
  return true;
}

void OrderedShare::everywhere(ArrayRef<unsigned> places, unsigned innermost, llvm::function_ref<void()> body) {
  SmallVector<unsigned> others(places);
  bool isPlace = !others.empty() && others.back() == innermost;
  if (isPlace)
    others.pop_back();
  auto row = [&] {
    if (isPlace)
      inPieces(innermost, loops.extents[innermost], body);
    else if (inside)
      vectorsInside(body);
    else
      alongLanes(body);
  };
  each(others, row);
}

void OrderedShare::alongLanes(llvm::function_ref<void()> body) {
  if (!loops.lane)
    return body();
  auto at = [&](Form form) {
    point[*loops.lane] = form;
    body();
  };
  const Extent &extent = loops.extents[*loops.lane];
  if (byLanes)
    k.sharedVectors(extent, lanes, at);
  else
    k.vectors(extent, 1, at);
}

void OrderedShare::alongNarrowLanes(llvm::function_ref<void()> body) {
  int64_t length = loops.lane && loops.extents[*loops.lane].isStatic() ? loops.extents[*loops.lane].value() : 0;
  if (byLanes || length == 0 || length >= int64_t(k.demand.lanes))
    return alongLanes(body);
  narrowPieces(*loops.lane, 0, length, body);
}

//===--- vectors -----------------------------------------------------------------------------------===//

void OrderedShare::inPieces(unsigned loop, const Extent &extent, llvm::function_ref<void()> body) {
  Extent full = extent.isStatic() ? floorDiv(extent, k.demand.lanes) * k.demand.lanes : extent;
  k.vectors(full, 4, [&](Form form) {
    point[loop] = form;
    body();
  });
  if (extent.isStatic())
    narrowPieces(loop, full.value(), extent.value(), body);
}

void OrderedShare::narrowPieces(unsigned loop, int64_t first, int64_t end, llvm::function_ref<void()> body) {
  for (int64_t width; first < end; first += width) {
    width = int64_t(llvm::bit_floor(uint64_t(end - first)));
    point[loop] = Form(first);
    point[loop].lane = width > 1 ? 1 : 0;
    k.demand.narrow(width, body);
  }
}

void OrderedShare::vectorsInside(llvm::function_ref<void()> body) {
  Value middle = k.endOfGroups(elements.first, elements.second, k.demand.lanes);
  k.loop(elements.first, middle, k.demand.lanes, [&](Value number) {
    point[*inside] = Form::ofSlot(k.demand.addSlot(number));
    point[*inside].lane = 1;
    body();
  });
  oneByOne({*inside, middle, elements.second, {}}, body);
}

void OrderedShare::oneByOne(const Stretch &stretch, llvm::function_ref<void()> body) {
  k.loop(stretch.low, stretch.high, 1, [&](Value number) {
    point[stretch.loop] = Form::ofSlot(k.demand.addSlot(number, 1, stretch.range));
    body();
  });
}
