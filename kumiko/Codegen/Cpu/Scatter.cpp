//===- Scatter.cpp - points to places that data say, in one pass -----------===//
//
//   copy what the result starts as;  for each point: place = ..., if inside: result[place] += value
//
// Where what a scatter changes is larger than a cache, strips of it are changed one after another (Strip.h). As many
// places as a vector has lanes are looked at together: whether all exist, or which of them are this chunk's.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/OrderedShare.h"
#include "kumiko/Codegen/Cpu/Strip.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

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

/// Elements from which on to wait for the stores of a copy costs nothing that matters.
constexpr int64_t longStretch = 1 << 14;

/// So many points that nothing is left to check of are straight-line code.
constexpr int64_t together = 4;

namespace {
/// Where a point goes.
struct Places {
  SmallVector<Value, 2> numbers; ///< one per loop that data addresses
  Value exist;                   ///< whether all of them do, and are this chunk's; null where that is certain
  bool mustExist = false;        ///< where they do not the run fails
};

class ScatterEmitter {
public:
  explicit ScatterEmitter(Kernel &k)
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

  void emit() {
    if (share.byStrips())
      return strips();
    if (hasPlanes())
      return planes();
    if (hasOnePlace())
      return onePlace();
    share.outer([&] {
      copyStart();
      eachPoint(memref, [&] { return here(); });
    });
  }

private:
  /// Whether places are few and those of several outer points, and cost more to find than to keep.
  bool hasPlanes() const {
    return shape.planes != 0 && shape.bounds.empty() && !share.inside && share.takesWholeRows() && !share.byPlaces() &&
           share.areFew(points);
  }

  void planes() {
    std::vector<Places> known;
    share.outerPlanes(
        shape.planes, points, [&] { share.eachOfFew(points, [&] { known.push_back(placesHere()); }); },
        [&] {
          copyStart();
          const Places *next = known.data();
          share.eachOfFew(points, [&] { change(*next++, memref, [&] { return here(); }); });
        });
  }

  /// Whether all points go to one short row.
  bool hasOnePlace() const {
    const std::optional<unsigned> &lane = shape.loops.lane;
    bool isShort = !lane || (shape.loops.extents[*lane].isStatic() &&
                             shape.loops.extents[*lane].value() <= int64_t(k.demand.lanes));
    return isShort && !share.inside && share.takesWholeRows() && !share.byPlaces() &&
           llvm::all_of(rows, [&](unsigned loop) { return shape.loops.extents[loop].is(1); });
  }

  /// The row is a variable, which LLVM keeps in registers: in memory each point would wait for the store of the one
  /// before.
  void onePlace() {
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

  /// Changes what the points of an outer point go to.
  void eachPoint(Value buffer, llvm::function_ref<Form()> offset) {
    share.within(shape.bounds, [&] {
      if (share.inside)
        return share.eachOfFew(points, [&] { alongStretch(share.stretchInside(shape.bounds), buffer, offset); });
      if (!looksAhead(points.back()))
        return share.eachOfFew(points, [&] { change(placesHere(), buffer, offset); });
      OrderedShare::Stretch last{points.back(), k.index(0), k.index(shape.loops.extents[points.back()]), {}};
      share.each(ArrayRef(points).drop_back(), [&] { alongStretch(last, buffer, offset); });
    });
  }

  /// Strip by strip.
  void strips() {
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
        share.each(
            points, [&] { alongStretch(share.stretchInside(shape.bounds), strip.buffer, inBuffer); }, fetchPoints);
      });
      k.pastCaches(memref, [&] {
        share.everywhere(rows, *share.inside, [&] {
          k.demand.store(k.demand.load(strip.buffer, inBuffer(), getElementTypeOrSelf(start.getType())), memref,
                         here());
        });
      });
    });
  }

  //===--- the copy --------------------------------------------------------------------------------===//

  /// All of an outer point, as far as it is this chunk's: often one stretch of memory, which is copied as such.
  void copyStart() {
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
      share.alongPlaces(shape.firstPlace(), [&] { copyRows(others, elements); });
    };
    if (isLong)
      k.pastCaches(memref, copyShare);
    else
      copyShare();
  }

  void copyRows(ArrayRef<unsigned> others, ArrayRef<unsigned> elements) {
    Reads reads(shape.loops.extents.size(), k.storage);
    Position everyLoop;
    for (unsigned loop = 0; loop < shape.loops.extents.size(); ++loop)
      everyLoop.push_back(Form::ofSlot(loop));
    reads.collect(start, applyMap(result, everyLoop));
    reads.forms.push_back(k.storage.offsetIn(op->getResult(0), applyMap(result, everyLoop)));
    auto copy = [&] { k.demand.store(k.demand.at(start, applyMap(result, share.point)), memref, here()); };
    if (!share.asOne(reads, elements, copy))
      share.everywhere(others, innermost, copy);
  }

  //===--- the points ------------------------------------------------------------------------------===//

  /// Of the point at hand in the result.
  Form here() { return k.storage.offsetIn(op->getResult(0), applyMap(result, share.point)); }

  /// Whether many places along `loop` are worth a look before the first of them is used: they lie side by side, and
  /// what each of them changes takes no longer than to look at it.
  bool looksAhead(unsigned loop) {
    constexpr int64_t fewElements = 8;
    bool isShort = !shape.loops.lane || typicalSize(shape.loops.extents[*shape.loops.lane]) < fewElements;
    return isShort && !pointsWait() && shape.atPlaces && asksOnlyForExistence() &&
           typicalSize(shape.loops.extents[loop]) >= 2 * int64_t(k.demand.lanes);
  }

  /// Whether elements are so few that most points wait for a sum shortly before, and a look at each place costs
  /// nothing.
  bool pointsWait() {
    constexpr int64_t fewSums = 4;
    // Small floats are added in f32, of which several points are converted at a time.
    bool converts = llvm::any_of(*op.getBody(), llvm::IsaPred<arith::ExtFOp>) ||
                    getElementTypeOrSelf(start.getType()).getIntOrFloatBitWidth() == 16;
    bool isSum = isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::MulFOp>(
        op.getBody()->getTerminator()->getOperand(0).getDefiningOp());
    const Extent places = shape.rows();
    return !shape.loops.lane && isSum && !converts && places.isStatic() && !places.is(1) && places.value() <= fewSums;
  }

  /// Whether as many points along `loop` as a vector has lanes are looked at for those that come to this chunk.
  bool sieves(unsigned loop) const {
    return share.byPlaces() && !shape.loops.lane && shape.atPlaces && shape.places.size() == 1 &&
           typicalSize(shape.loops.extents[loop]) >= 2 * int64_t(k.demand.lanes);
  }

  /// Changes what this chunk's points of a stretch go to. Whose the next one is cannot be foreseen: a branch for each
  /// would be taken wrongly half of the time, but those of a vector are counted off.
  void sieve(OrderedShare::Stretch stretch, Value buffer, llvm::function_ref<Form()> offset) {
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

  /// Changes what the points of the stretch go to, after a look at as many of them as a vector has lanes where that is
  /// worth it.
  void alongStretch(OrderedShare::Stretch stretch, Value buffer, llvm::function_ref<Form()> offset) {
    auto at = [&] { change(placesHere(), buffer, offset); };
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
        lookAtChecks();
      };
      Value end = arith::AddIOp::create(k.b, k.loc, first, k.index(lanes));
      auto quick = [&] {
        k.loop(first, end, together, [&](Value number) {
          unsigned slot = k.demand.addSlot(number, 1, stretch.range);
          for (int64_t n = 0; n < together; ++n) {
            share.point[stretch.loop] = Form::ofSlot(slot) + Form(n);
            at();
          }
        });
      };
      k.demand.lookAhead(look, quick, [&] { share.oneByOne({stretch.loop, first, end, stretch.range}, at); });
    });
    stretch.low = middle;
    share.oneByOne(stretch, at);
  }

  void lookAtChecks() {
    for (tensor::ExtractOp check : shape.checks)
      k.demand.bodyValue(op, share.point, check);
  }

  /// Whether all that is asked about places is whether those of data exist, and that about each of them.
  bool asksOnlyForExistence() {
    auto isChecked = [&](const std::pair<unsigned, Value> &place) {
      return llvm::any_of(shape.checks, [&](tensor::ExtractOp check) {
        return check.getIndices()[0] == place.second &&
               k.storage.extents.of(check.getTensor())[0] == shape.loops.extents[place.first];
      });
    };
    return !share.byPlaces() && shape.checks.size() == shape.places.size() && llvm::all_of(shape.places, isChecked);
  }

  /// Where the point at hand goes.
  Places placesHere() {
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

  /// Lanes that are changed together: one, of a few, where points wait for each other. An integer that was just stored
  /// is loaded sooner by itself than as one of a pair, and of two halves one is chosen by integers where they are no
  /// lanes.
  int64_t widestChange() {
    constexpr int64_t fewHalves = 3, fewRows = 16;
    Type element = getElementTypeOrSelf(start.getType());
    int64_t length = shape.loops.lane ? typicalSize(shape.loops.extents[*shape.loops.lane]) : 1;
    bool chooses = llvm::any_of(*op.getBody(), llvm::IsaPred<arith::MaximumFOp, arith::MinimumFOp>);
    if (hasOnePlace())
      return length <= fewHalves && chooses && element.isF16() ? 1 : int64_t(k.demand.lanes);
    Extent count = 1;
    for (unsigned loop : rows)
      count *= shape.loops.extents[loop];
    bool wait = length <= 2 && !element.isF32() && !element.isF64() && count.isStatic() && count.value() <= fewRows;
    return wait ? 1 : int64_t(k.demand.lanes);
  }

  /// Changes the element of `buffer` that the point at hand goes to; `offset` is the place in it.
  void change(const Places &places, Value buffer, llvm::function_ref<Form()> offset) {
    for (auto [place, number] : llvm::zip_equal(shape.places, places.numbers))
      share.point[place.first] = Form::ofSlot(k.demand.addSlot(number));
    auto changeOne = [&] {
      SmallVector<Value> arguments(op->getNumOperands());
      arguments.back() = k.demand.load(buffer, offset(), getElementTypeOrSelf(start.getType()));
      k.demand.store(k.demand.body(op, share.point, arguments)[0], buffer, offset());
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

  Kernel &k;
  const ScatterShape &shape;
  linalg::GenericOp op;
  AffineMap result;
  unsigned innermost;
  /// What the result starts as, and where it goes.
  Value start, memref;
  OrderedShare share;
  /// The loops that data addresses, and those over the points.
  SmallVector<unsigned> rows, points;
};
} // namespace

void kumiko::cpu::emitScatter(Kernel &k) { ScatterEmitter(k).emit(); }
