//===- ScatterPoints.cpp - where points go, and what they change ----------===//
#include "kumiko/Codegen/Cpu/ScatterEmitter.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Whether `place` is what is left of a number divided by `extent` or less, moved up where it is below 0: such a place
/// exists whatever the data says.
static bool isWrapped(Value place, const Extent &extent) {
  if (auto cast = place.getDefiningOp<arith::IndexCastOp>())
    place = cast.getIn();
  auto select = place.getDefiningOp<arith::SelectOp>();
  if (!select || !extent.isStatic())
    return false;
  Value rest = select.getFalseValue();
  auto remainder = rest.getDefiningOp<arith::RemSIOp>();
  auto below = select.getCondition().getDefiningOp<arith::CmpIOp>();
  auto moved = select.getTrueValue().getDefiningOp<arith::AddIOp>();
  APInt divisor, step;
  return remainder && below && moved && below.getPredicate() == arith::CmpIPredicate::slt && below.getLhs() == rest &&
         matchPattern(below.getRhs(), m_Zero()) && moved.getLhs() == rest &&
         matchPattern(remainder.getRhs(), m_ConstantInt(&divisor)) &&
         matchPattern(moved.getRhs(), m_ConstantInt(&step)) && step == divisor && divisor.isStrictlyPositive() &&
         divisor.sle(extent.value());
}

Form ScatterEmitter::here() { return k.storage.offsetIn(op->getResult(0), applyMap(result, share.point)); }

void ScatterEmitter::eachPoint(Value buffer, llvm::function_ref<Form()> offset) {
  share.within(shape.bounds, [&] {
    if (hasFewColumns())
      return share.each(ArrayRef(points).drop_back(), [&] { alongRows(buffer, offset); });
    if (share.inside)
      return share.eachOfFew(points, [&] { alongStretch(share.stretchInside(shape.bounds), buffer, offset); });
    if (!looksAhead(points.back()))
      return share.eachOfFew(points, [&] { change(placesHere(), buffer, offset); });
    OrderedShare::Stretch last{points.back(), k.index(0), k.index(shape.loops.extents[points.back()]), {}};
    share.each(ArrayRef(points).drop_back(), [&] { alongStretch(last, buffer, offset); });
  });
}

bool ScatterEmitter::looksAhead(unsigned loop) {
  constexpr int64_t fewElements = 8;
  bool isShort = !shape.loops.lane || typicalSize(shape.loops.extents[*shape.loops.lane]) < fewElements;
  return isShort && shape.atPlaces && asksOnlyForExistence() &&
         typicalSize(shape.loops.extents[loop]) >= 2 * int64_t(k.demand.lanes);
}

bool ScatterEmitter::hasFewColumns() {
  // From 2 vectors on columns are looked at by themselves. Where points wait for memory, longer straight-line code does
  // not help.
  constexpr int64_t fewFromMemory = 8, bytesOfCache = 1 << 20;
  int64_t bytes = getElementTypeOrSelf(start.getType()).getIntOrFloatBitWidth() / 8;
  bool isCached = typicalSize(k.storage.extents.elementsOf(start)) * bytes <= bytesOfCache;
  int64_t few = isCached ? 2 * k.demand.lanes - 1 : fewFromMemory;
  auto isInside = [&](const ScatterShape::Bounds &bounds) { return bounds.loop == *share.inside; };
  if (!share.inside || !share.takesWholeRows() || llvm::any_of(shape.bounds, isInside))
    return false;
  const Extent &columns = shape.loops.extents[*share.inside];
  auto follows = [&](OpOperand *operand) {
    if (!k.demand.bufferBehind(operand->get()))
      return false;
    Form place = k.storage.offsetIn(operand->get(), applyMap(op.getMatchingIndexingMap(operand), everyLoop()));
    return place.coefficientOf(*share.inside).is(1) && place.coefficientOf(points.back()) == columns;
  };
  return columns.isStatic() && columns.value() <= few && shape.atPlaces && asksOnlyForExistence() &&
         typicalSize(shape.loops.extents[points.back()]) >= 2 * int64_t(k.demand.lanes) &&
         llvm::all_of(op.getDpsInputOperands(), follows);
}

void ScatterEmitter::alongRows(Value buffer, llvm::function_ref<Form()> offset) {
  unsigned loop = points.back();
  int64_t columns = shape.loops.extents[*share.inside].value(), lanes = k.demand.lanes;
  auto rows = [&](Value low, Value high, int64_t count) {
    k.loop(low, high, count, [&](Value first) {
      unsigned slot = k.demand.addSlot(first);
      for (int64_t n = 0; n < count * columns; ++n) {
        share.point[loop] = Form::ofSlot(slot) + Form(n / columns);
        share.point[*share.inside] = Form(n % columns);
        change(placesHere(), buffer, offset);
      }
    });
  };
  Value end = k.index(shape.loops.extents[loop]), middle = k.endOfGroups(k.index(0), end, lanes);
  k.loop(k.index(0), middle, lanes, [&](Value first) {
    Value last = arith::AddIOp::create(k.b, k.loc, first, k.index(lanes));
    auto look = [&] {
      share.point[loop] = Form::ofSlot(k.demand.addSlot(first));
      for (int64_t column = 0; column < columns; ++column) {
        share.point[*share.inside] = Form(column * lanes);
        share.point[*share.inside].lane = 1;
        lookAtPoints();
      }
    };
    constexpr int64_t mostTogether = 32;
    int64_t count = std::clamp<int64_t>(llvm::bit_floor(uint64_t(mostTogether / columns)), 1, together);
    k.demand.lookAhead(look, [&] { rows(first, last, count); }, [&] { rows(first, last, 1); });
  });
  rows(middle, end, 1);
}

bool ScatterEmitter::sieves(unsigned loop) const {
  return share.byPlaces() && !shape.loops.lane && shape.atPlaces && shape.places.size() == 1 &&
         typicalSize(shape.loops.extents[loop]) >= 2 * int64_t(k.demand.lanes);
}

void ScatterEmitter::sieve(OrderedShare::Stretch stretch, Value buffer, llvm::function_ref<Form()> offset) {
  int64_t lanes = k.demand.lanes;
  Value middle = k.endOfGroups(stretch.low, stretch.high, lanes);
  auto [loop, place] = shape.places[0];
  k.loop(stretch.low, middle, lanes, [&](Value first) {
    unsigned slot = k.demand.addSlot(first, 1, stretch.range);
    share.point[stretch.loop] = Form::ofSlot(slot);
    share.point[stretch.loop].lane = 1;
    lookAtChecks();
    Value ours = share.isOurs(k.demand.bodyValue(op, share.point, place), loop, /*shared=*/true);
    k.eachLane(ours, [&, place = place](Value lane) {
      share.point[stretch.loop] = Form::ofSlot(slot) + Form::ofSlot(k.demand.addSlot(lane));
      change({{k.demand.bodyValue(op, share.point, place)}, {}, false}, buffer, offset);
    });
  });
  stretch.low = middle;
  share.oneByOne(stretch, [&] { change(placesHere(), buffer, offset); });
}

void ScatterEmitter::alongStretch(OrderedShare::Stretch stretch, Value buffer, llvm::function_ref<Form()> offset) {
  auto at = [&] { eachAbreast([&] { change(placesHere(), buffer, offset); }); };
  if (sieves(stretch.loop))
    return sieve(stretch, buffer, offset);
  if (!looksAhead(stretch.loop))
    return share.oneByOne(stretch, at);
  int64_t lanes = k.demand.lanes;
  Value middle = k.endOfGroups(stretch.low, stretch.high, lanes);
  k.loop(stretch.low, middle, lanes, [&](Value first) {
    auto look = [&] {
      share.point[stretch.loop] = Form::ofSlot(k.demand.addSlot(first, 1, stretch.range));
      share.point[stretch.loop].lane = 1;
      eachAbreast([&] { lookAtPoints(); });
    };
    Value end = arith::AddIOp::create(k.b, k.loc, first, k.index(lanes));
    auto quick = [&] {
      k.loop(first, end, together, [&](Value number) {
        unsigned slot = k.demand.addSlot(number, 1, stretch.range);
        for (int64_t n = 0; n < together; ++n) {
          share.point[stretch.loop] = Form::ofSlot(slot) + Form(n);
          copy = n;
          at();
        }
        copy = 0;
      });
    };
    k.demand.lookAhead(look, quick, [&] { share.oneByOne({stretch.loop, first, end, stretch.range}, at); });
  });
  stretch.low = middle;
  share.oneByOne(stretch, at);
}

void ScatterEmitter::lookAtChecks() {
  for (tensor::ExtractOp check : shape.checks)
    k.demand.bodyValue(op, share.point, check);
}

bool ScatterEmitter::asksOnlyForExistence() {
  auto isChecked = [&](const std::pair<unsigned, Value> &place) {
    return llvm::any_of(shape.checks, [&](tensor::ExtractOp check) {
      return check.getIndices()[0] == place.second &&
             k.storage.extents.of(check.getTensor())[0] == shape.loops.extents[place.first];
    });
  };
  return !share.byPlaces() && shape.checks.size() == shape.places.size() && llvm::all_of(shape.places, isChecked);
}

ScatterEmitter::Places ScatterEmitter::placesHere() {
  Places places;
  // Where a place from data does not exist nothing is written, so the body would not notice.
  bool isKnown = k.demand.knowsPlaces();
  places.mustExist = !isKnown && asksOnlyForExistence();
  if (!isKnown && !places.mustExist)
    lookAtChecks();
  for (const auto &[loop, value] : shape.places) {
    Value place = k.demand.bodyValue(op, share.point, value);
    bool shared = share.byPlaces() && loop == shape.firstPlace();
    // The only place there is does not depend on data, and what is there may stay in registers.
    places.numbers.push_back(shape.loops.extents[loop].is(1) ? k.index(0) : place);
    bool isCertain = isKnown || isWrapped(value, shape.loops.extents[loop]);
    if (!shared && !places.mustExist && isCertain)
      continue;
    Value fits = share.isOurs(place, loop, shared);
    places.exist = places.exist ? Value(arith::AndIOp::create(k.b, k.loc, places.exist, fits)) : fits;
  }
  return places;
}

int64_t ScatterEmitter::widestChange() {
  constexpr int64_t fewHalves = 3, fewRows = 16;
  Type element = getElementTypeOrSelf(start.getType());
  int64_t length = shape.loops.lane ? typicalSize(shape.loops.extents[*shape.loops.lane]) : 1;
  if (hasOnePlace())
    return length <= fewHalves && shape.choice() && element.isF16() ? 1 : int64_t(k.demand.lanes);
  const Extent count = shape.rows();
  bool wait = length <= 2 && !element.isF32() && !element.isF64() && count.isStatic() && count.value() <= fewRows;
  return wait ? 1 : int64_t(k.demand.lanes);
}

Value ScatterEmitter::chosenFrom() {
  Operation *choice = shape.choice();
  bool isSecond = choice->getOperand(0) == op.getBody()->getArguments().back();
  return k.demand.bodyValue(op, share.point, choice->getOperand(isSecond ? 1 : 0));
}

bool ScatterEmitter::looksForNan() {
  Type element = getElementTypeOrSelf(start.getType());
  return shape.choice() && !shape.loops.lane && (element.isF32() || element.isF64() || element.isBF16());
}

void ScatterEmitter::lookAtPoints() {
  lookAtChecks();
  if (!looksForNan())
    return;
  k.demand.given(shape.atPlaces, true, [&] {
    Value value = chosenFrom();
    k.demand.remember(arith::CmpFOp::create(k.b, k.loc, arith::CmpFPredicate::UNO, value, value));
  });
}

Value ScatterEmitter::changed(Value before) {
  bool hasNoNan = looksForNan() && k.demand.knowsPlaces();
  bool isWider = getElementTypeOrSelf(before.getType()) != getElementTypeOrSelf(start.getType());
  if (!hasNoNan && !isWider) {
    SmallVector<Value> arguments(op->getNumOperands());
    arguments.back() = before;
    return k.demand.body(op, share.point, arguments)[0];
  }
  Value value = isWider ? toSingle(chosenFrom()) : chosenFrom();
  bool larger = isa<arith::MaximumFOp>(shape.choice());
  if (hasNoNan) {
    auto predicate = larger ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value beyond = arith::CmpFOp::create(k.b, k.loc, predicate, value, before);
    return arith::SelectOp::create(k.b, k.loc, beyond, value, before);
  }
  return larger ? arith::MaximumFOp::create(k.b, k.loc, value, before).getResult()
                : arith::MinimumFOp::create(k.b, k.loc, value, before).getResult();
}

void ScatterEmitter::change(const Places &places, Value buffer, llvm::function_ref<Form()> offset) {
  for (auto [place, number] : llvm::zip_equal(shape.places, places.numbers))
    share.point[place.first] = Form::ofSlot(k.demand.addSlot(number));
  auto changeOne = [&] {
    Type element = getElementTypeOrSelf(start.getType());
    bool isSingle = element.isBF16() && cast<MemRefType>(buffer.getType()).getElementType().isF32();
    Value before = k.demand.load(buffer, offset(), isSingle ? k.b.getF32Type() : element);
    k.demand.store(changed(before), buffer, offset());
  };
  auto changeLanes = [&] {
    k.demand.given(shape.atPlaces, true, [&] { share.alongNarrowLanes(changeOne, widestChange()); });
  };
  if (places.mustExist)
    k.ifElse(places.exist, changeLanes, [&] { k.demand.fail(); });
  else if (places.exist)
    k.onlyIf(places.exist, changeLanes);
  else
    changeLanes();
}
