#include "kumiko/Codegen/Cpu/OrderedShare.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// So many points become straight-line code.
constexpr int64_t fewPoints = 12;

TypedAttr cpu::changesNothing(TypedAttr neutral) {
  auto number = dyn_cast<FloatAttr>(neutral);
  if (!number || !number.getValue().isZero())
    return neutral;
  return FloatAttr::get(number.getType(), APFloat::getZero(number.getValue().getSemantics(), /*Negative=*/true));
}

OrderedShare::OrderedShare(Kernel &k, const OrderedLoops &loops, std::optional<unsigned> inside)
    : k(k), loops(loops), inside(inside), point(loops.extents.size()), around(loops.outer) {
  if (inside)
    around.pop_back();
  bool fewAround = typicalSize(total(around)) < typicalSize(k.schedule.chunks);
  byLanes = !byPlaces() && !byStrips() && (loops.lane || inside) && fewAround;
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
  else if (!byPlaces())
    range = k.chunkRange(total(around));
  k.loop(range.first, range.second, 1, [&](Value number) {
    k.delinearize(number, merged(around), point);
    body();
  });
}

void OrderedShare::outerPlanes(unsigned planes, ArrayRef<unsigned> steps, llvm::function_ref<void()> first,
                               llvm::function_ref<void()> body) {
  ArrayRef<unsigned> groups = ArrayRef(around).drop_back(planes), list = ArrayRef(around).take_back(planes);
  SmallVector<unsigned> stepsOfAll(list);
  llvm::append_range(stepsOfAll, steps);
  // Many more groups than chunks: shares that differ by one of them do not matter.
  if (areFew(stepsOfAll) && typicalSize(total(groups)) >= 8 * typicalSize(k.schedule.chunks)) {
    auto [low, high] = k.chunkRange(total(groups));
    return k.loop(low, high, 1, [&](Value number) {
      k.delinearize(number, merged(groups), point);
      first();
      eachOfFew(list, body);
    });
  }
  auto [low, high] = k.chunkRange(total(around));
  k.runs(low, high, total(list), [&](Value number, Value from, Value to) {
    k.delinearize(number, merged(groups), point);
    first();
    k.loop(from, to, 1, [&](Value plane) {
      k.delinearize(plane, merged(list), point);
      body();
    });
  });
}

void OrderedShare::outerStrips(Strip &strip, llvm::function_ref<void()> body) {
  Extent strips = stripsOf(loops.extents[*inside], k.schedule);
  firstMultipleOf = strip.multipleOf();
  auto [low, high] = k.chunkRange(strips * total(around));
  k.loop(low, high, 1, [&](Value number) {
    strip.begin(arith::RemUIOp::create(k.b, k.loc, number, k.index(strips)));
    elements = strip.columns;
    k.delinearize(arith::DivUIOp::create(k.b, k.loc, number, k.index(strips)), merged(around), point);
    k.onlyIf(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, elements.first, elements.second), body);
  });
}

void OrderedShare::outerTiles(int64_t vectors, llvm::function_ref<void(Value, Value)> body) {
  Extent all = ceilDiv(loops.extents[*loops.lane], k.demand.lanes), tiles = ceilDiv(all, vectors);
  auto [low, high] = k.chunkRange(total(around) * tiles);
  k.loop(low, high, 1, [&](Value number) {
    k.delinearize(arith::DivUIOp::create(k.b, k.loc, number, k.index(tiles)), merged(around), point);
    Value tile = arith::RemUIOp::create(k.b, k.loc, number, k.index(tiles));
    Value from = arith::MulIOp::create(k.b, k.loc, tile, k.index(vectors));
    Value to = arith::AddIOp::create(k.b, k.loc, from, k.index(vectors));
    body(from, arith::MinSIOp::create(k.b, k.loc, to, k.index(all)));
  });
}

void OrderedShare::outerTogether(int64_t count, llvm::function_ref<void(std::vector<Position>)> body) {
  auto [low, high] = k.chunkRange(loops.outerExtent());
  auto from = [&](Value first, int64_t points) {
    std::vector<Position> positions(points, point);
    for (int64_t n = 0; n < points; ++n)
      k.delinearize(arith::AddIOp::create(k.b, k.loc, first, k.index(n)), merged(around), positions[n]);
    body(std::move(positions));
  };
  Value middle = k.endOfGroups(low, high, count);
  k.loop(low, middle, count, [&](Value first) { from(first, count); });
  k.loop(middle, high, 1, [&](Value first) { from(first, 1); });
}

void OrderedShare::outerVectors(llvm::function_ref<void()> body, llvm::function_ref<void()> single) {
  auto vector = [&] {
    point[around.back()].lane = 1;
    body();
  };
  outerJoined(1, k.demand.lanes, vector, single);
}

void OrderedShare::outerJoined(unsigned joined, int64_t count, llvm::function_ref<void()> body,
                               llvm::function_ref<void()> single) {
  ArrayRef<unsigned> others = ArrayRef(around).drop_back(joined), list = ArrayRef(around).take_back(joined);
  auto [low, high] = k.chunkRange(loops.outerExtent());
  k.runs(low, high, total(list), [&](Value number, Value from, Value to) {
    k.delinearize(number, merged(others), point);
    for (unsigned loop : list)
      point[loop] = Form();
    auto at = [&](llvm::function_ref<void()> emit) {
      return [&, emit](Value first) {
        point[list.back()] = Form::ofSlot(k.demand.addSlot(first));
        emit();
      };
    };
    Value middle = k.endOfGroups(from, to, count);
    k.loop(from, middle, count, at(body));
    k.loop(middle, to, 1, at(single));
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

//===--- places ------------------------------------------------------------------------------------===//

void OrderedShare::alongPlaces(unsigned loop, llvm::function_ref<void()> body) {
  auto [low, high] = k.chunkRange(loops.extents[loop]);
  oneByOne({loop, low, high, {}}, body);
}

void OrderedShare::vectorsAlongPlaces(unsigned loop, llvm::function_ref<void()> body) {
  int64_t lanes = k.demand.lanes;
  auto [low, high] = k.chunkRange(loops.extents[loop]);
  Value middle = k.endOfGroups(low, high, lanes);
  k.loop(low, middle, lanes, [&](Value number) {
    point[loop] = Form::ofSlot(k.demand.addSlot(number, 1, IndexRange::ofLoop(0, loops.extents[loop])));
    point[loop].lane = 1;
    body();
  });
  oneByOne({loop, middle, high, {}}, body);
}

Value OrderedShare::isOurs(Value place, unsigned loop, bool shared) {
  Value count = k.index(loops.extents[loop]);
  if (shared) {
    auto [low, high] = k.chunkRange(loops.extents[loop]);
    // A chunk without places ends before it begins.
    count = arith::MaxSIOp::create(k.b, k.loc, arith::SubIOp::create(k.b, k.loc, high, low), k.index(0));
    if (isa<VectorType>(place.getType()))
      low = k.demand.spread(low);
    place = arith::SubIOp::create(k.b, k.loc, place, low);
  }
  if (isa<VectorType>(place.getType()))
    count = k.demand.spread(count);
  // As an unsigned number a place below 0 is beyond the end.
  return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, place, count);
}

//===--- points and elements -----------------------------------------------------------------------===//

void OrderedShare::each(ArrayRef<unsigned> list, llvm::function_ref<void()> body, llvm::function_ref<void()> ahead) {
  Extent count = total(list);
  k.loop(k.index(0), k.index(count), 1, [&](Value number) {
    if (ahead) {
      Value later = arith::AddIOp::create(k.b, k.loc, number, k.index(Strip::rowsAhead));
      later = arith::MinSIOp::create(k.b, k.loc, later, k.index(count - 1));
      k.delinearize(later, merged(list), point);
      ahead();
    }
    k.delinearize(number, merged(list), point);
    body();
  });
}

bool OrderedShare::areFew(ArrayRef<unsigned> list) const {
  return total(list).isStatic() && total(list).value() <= fewPoints;
}

void OrderedShare::eachOfFew(ArrayRef<unsigned> list, llvm::function_ref<void()> body) {
  if (!areFew(list))
    return each(list, body);
  for (int64_t number = 0; number < total(list).value(); ++number) {
    k.delinearize(k.index(number), merged(list), point);
    body();
  }
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

void OrderedShare::everywhere(ArrayRef<unsigned> places, unsigned innermost, llvm::function_ref<void()> body,
                              llvm::function_ref<void()> ahead) {
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
  each(others, row, ahead);
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

void OrderedShare::alongNarrowLanes(llvm::function_ref<void()> body, int64_t widest) {
  int64_t length = loops.lane && loops.extents[*loops.lane].isStatic() ? loops.extents[*loops.lane].value() : 0;
  if (byLanes || length == 0 || length >= int64_t(k.demand.lanes))
    return alongLanes(body);
  narrowPieces(*loops.lane, 0, length, body, widest);
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

void OrderedShare::narrowPieces(unsigned loop, int64_t first, int64_t end, llvm::function_ref<void()> body,
                                int64_t widest) {
  for (int64_t width; first < end; first += width) {
    width = int64_t(llvm::bit_floor(uint64_t(std::min(end - first, widest))));
    point[loop] = Form(first);
    point[loop].lane = width > 1 ? 1 : 0;
    k.demand.narrow(width, body);
  }
}

void OrderedShare::vectorsInside(llvm::function_ref<void()> body) {
  Value first = elements.first;
  auto vectors = [&] {
    Value middle = k.endOfGroups(first, elements.second, k.demand.lanes);
    k.loop(first, middle, k.demand.lanes, [&](Value number) {
      point[*inside] = Form::ofSlot(k.demand.addSlot(number, firstMultipleOf));
      point[*inside].lane = 1;
      body();
    });
    first = middle;
  };
  vectors();
  // Half a line that goes past the caches should be no less.
  if (firstMultipleOf > 1 && firstMultipleOf < k.demand.lanes)
    k.demand.narrow(firstMultipleOf, vectors);
  oneByOne({*inside, first, elements.second, {}}, body);
}

void OrderedShare::oneByOne(const Stretch &stretch, llvm::function_ref<void()> body) {
  k.loop(stretch.low, stretch.high, 1, [&](Value number) {
    point[stretch.loop] = Form::ofSlot(k.demand.addSlot(number, 1, stretch.range));
    body();
  });
}
