//===- Ordered.cpp - scatters and running sums, one pass each --------------===//
//
//   scatter   copy what the result starts as;  for each point: place = ..., if inside: result[place] += value
//   running   sum = start;  for j: sum += x[j], result[j] = sum
//
// Chunks share the outer loops, or, where these are few, the lanes, or the places: then each chunk goes over all points
// and takes those that come to its own. Each element belongs to one chunk, and its points come in the order of the
// text. Where what a scatter changes is larger than a cache, strips of it are changed one after another (Strip.h).
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Kernel.h"
#include "kumiko/Codegen/Cpu/Strip.h"
#include "kumiko/Lower/Checked.h"
#include "kumiko/Lower/Exact.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

namespace {
/// The loops that both templates have around what they do in order.
class Share {
public:
  /// `inside` is the last of the outer loops where it is to run inside of what is done in order.
  Share(Kernel &k, const OrderedLoops &loops, std::optional<unsigned> inside = std::nullopt)
      : k(k), loops(loops), inside(inside), point(loops.extents.size()), around(loops.outer) {
    if (inside)
      around.pop_back();
    Extent total = 1;
    for (unsigned loop : around)
      total *= loops.extents[loop];
    byLanes =
        !byPlaces() && !byStrips() && (loops.lane || inside) && typicalSize(total) < typicalSize(k.schedule.chunks);
  }

  bool byPlaces() const { return k.schedule.sharePlaces; }
  bool byStrips() const { return k.schedule.strip != 0; }
  bool takesWholeRows() const { return !byLanes && !byStrips(); }

  /// The values of all loops where the code being emitted is.
  Kernel &k;
  const OrderedLoops &loops;
  std::optional<unsigned> inside;
  Position point;

  /// Calls `body` for each point of the outer loops that is this chunk's.
  void outer(llvm::function_ref<void()> body) {
    Extent total = 1;
    for (unsigned loop : around)
      total *= loops.extents[loop];
    std::pair<Value, Value> range = {k.index(0), k.index(total)};
    if (inside)
      elements = {k.index(0), k.index(loops.extents[*inside])};
    if (byLanes && inside)
      elements = k.chunkRange(loops.extents[*inside]);
    else if (byLanes)
      lanes = k.chunkRange(floorDiv(loops.extents[*loops.lane], k.demand.lanes));
    else if (!byPlaces())
      range = k.chunkRange(total);
    k.loop(range.first, range.second, 1, [&](Value number) {
      k.delinearize(number, merged(around), point);
      body();
    });
  }

  /// The same for each strip of columns of such a point.
  void outerStrips(Strip &strip, llvm::function_ref<void()> body) {
    Extent strips = stripsOf(loops.extents[*inside], k.schedule), total = strips;
    for (unsigned loop : around)
      total *= loops.extents[loop];
    firstMultipleOf = strip.multipleOf();
    auto [low, high] = k.chunkRange(total);
    k.loop(low, high, 1, [&](Value number) {
      strip.begin(arith::RemUIOp::create(k.b, k.loc, number, k.index(strips)));
      elements = strip.columns;
      k.delinearize(arith::DivUIOp::create(k.b, k.loc, number, k.index(strips)), merged(around), point);
      k.onlyIf(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, elements.first, elements.second), body);
    });
  }

  /// Calls `body` for each place of `loop` that is this chunk's, where places are shared.
  void alongPlaces(unsigned loop, llvm::function_ref<void()> body) {
    auto [low, high] = k.chunkRange(loops.extents[loop]);
    oneByOne(loop, low, high, body);
  }

  /// Whether `place` of `loop` exists, and is this chunk's where places are shared.
  Value isOurs(Value place, unsigned loop, bool shared) {
    Value count = k.index(loops.extents[loop]);
    if (shared) {
      auto [low, high] = k.chunkRange(loops.extents[loop]);
      place = arith::SubIOp::create(k.b, k.loc, place, low);
      // A chunk without places ends before it begins.
      count = arith::MaxSIOp::create(k.b, k.loc, arith::SubIOp::create(k.b, k.loc, high, low), k.index(0));
    }
    // As an unsigned number a place below 0 is beyond the end.
    return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, place, count);
  }

  /// The same for `count` points at a time, and one by one for those that are left over.
  void outerTogether(int64_t count, llvm::function_ref<void(std::vector<Position>)> body) {
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

  /// Calls `body` for each point of the loop inside that is this chunk's, and within its bounds, one by one; once where
  /// there is no such loop.
  void alongInside(ArrayRef<ScatterShape::Bounds> bounds, llvm::function_ref<void()> body) {
    if (!inside)
      return body();
    auto found = llvm::find_if(bounds, [&](const auto &known) { return known.loop == *inside; });
    if (found == bounds.end())
      return oneByOne(*inside, elements.first, elements.second, body);
    Value low = arith::MaxSIOp::create(k.b, k.loc, elements.first, k.index(found->low));
    Value high = arith::MinSIOp::create(k.b, k.loc, elements.second, k.index(found->high));
    oneByOne(*inside, low, high, body, IndexRange::ofLoop(found->low, found->high));
  }

  /// Calls `body` where the loops around are within their bounds, and known to be so.
  void within(ArrayRef<ScatterShape::Bounds> bounds, llvm::function_ref<void()> body) {
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

  /// Calls `body` for all vectors of these loops, which are one along memory as far as `reads` see them; false where
  /// they are not.
  bool asOne(const Reads &reads, ArrayRef<unsigned> list, llvm::function_ref<void()> body) {
    SmallVector<MergedLoop> whole = mergeLoops(reads, list, loops.extents);
    if (byLanes || whole.size() != 1 || !reads.forms.back().coefficientOf(whole.front().loop).is(1))
      return false;
    for (unsigned loop : list)
      point[loop] = Form();
    inPieces(whole.front().loop, whole.front().extent, body);
    return true;
  }

  /// Calls `body` for all elements of the result that are this chunk's, in vectors where they lie side by side.
  /// `places` are the loops that data addresses, `innermost` the loop along memory; `ahead` as in `each`.
  void everywhere(ArrayRef<unsigned> places, unsigned innermost, llvm::function_ref<void()> body,
                  llvm::function_ref<void()> ahead = {}) {
    SmallVector<unsigned> others(places);
    bool isPlace = !others.empty() && others.back() == innermost;
    if (isPlace)
      others.pop_back();
    each(
        others,
        [&] {
          if (isPlace)
            return inPieces(innermost, loops.extents[innermost], body);
          if (!inside)
            return alongLanes(body);
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
          oneByOne(*inside, first, elements.second, body);
        },
        ahead);
  }

  /// Calls `body` for each vector of lanes that is this chunk's; once where there are none.
  void alongLanes(llvm::function_ref<void()> body) {
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

  /// The same in vectors of 1, 2, 4, ... lanes where all of them would not fill one.
  void alongNarrowLanes(llvm::function_ref<void()> body) {
    int64_t length = loops.lane && loops.extents[*loops.lane].isStatic() ? loops.extents[*loops.lane].value() : 0;
    if (byLanes || length == 0 || length >= int64_t(k.demand.lanes))
      return alongLanes(body);
    narrowPieces(*loops.lane, 0, length, body);
  }

  /// Calls `body` for each point of these loops, in order, and before it `ahead`, if any, for one that follows soon.
  void each(ArrayRef<unsigned> list, llvm::function_ref<void()> body, llvm::function_ref<void()> ahead = {}) {
    Extent total = 1;
    for (unsigned loop : list)
      total *= loops.extents[loop];
    k.loop(k.index(0), k.index(total), 1, [&](Value number) {
      if (ahead) {
        Value later = arith::AddIOp::create(k.b, k.loc, number, k.index(Strip::rowsAhead));
        later = arith::MinSIOp::create(k.b, k.loc, later, k.index(total - 1));
        k.delinearize(later, merged(list), point);
        ahead();
      }
      k.delinearize(number, merged(list), point);
      body();
    });
  }

  /// The same as straight-line code where they are few: what one place costs then overlaps with the next one.
  void eachOfFew(ArrayRef<unsigned> list, llvm::function_ref<void()> body) {
    Extent total = 1;
    for (unsigned loop : list)
      total *= loops.extents[loop];
    if (!total.isStatic() || total.value() > fewPoints)
      return each(list, body);
    for (int64_t number = 0; number < total.value(); ++number) {
      k.delinearize(k.index(number), merged(list), point);
      body();
    }
  }

private:
  /// So many points become straight-line code.
  static constexpr int64_t fewPoints = 4;

  /// Vectors over all of a loop, and narrower ones for what is left over: a load of what has just been stored under a
  /// mask waits until it is in the cache.
  void inPieces(unsigned loop, const Extent &extent, llvm::function_ref<void()> body) {
    Extent full = extent.isStatic() ? floorDiv(extent, k.demand.lanes) * k.demand.lanes : extent;
    k.vectors(full, 4, [&](Form form) {
      point[loop] = form;
      body();
    });
    if (extent.isStatic())
      narrowPieces(loop, full.value(), extent.value(), body);
  }

  /// Vectors of ..., 4, 2, 1 lanes from `first` to `end`.
  void narrowPieces(unsigned loop, int64_t first, int64_t end, llvm::function_ref<void()> body) {
    for (int64_t width; first < end; first += width) {
      width = int64_t(llvm::bit_floor(uint64_t(end - first)));
      point[loop] = Form(first);
      point[loop].lane = width > 1 ? 1 : 0;
      k.demand.narrow(width, body);
    }
  }

  SmallVector<MergedLoop> merged(ArrayRef<unsigned> list) const {
    SmallVector<MergedLoop> result;
    for (unsigned loop : list)
      result.push_back({loop, loops.extents[loop]});
    return result;
  }

  void oneByOne(unsigned loop, Value low, Value high, llvm::function_ref<void()> body, IndexRange range = {}) {
    k.loop(low, high, 1, [&](Value number) {
      point[loop] = Form::ofSlot(k.demand.addSlot(number, 1, range));
      body();
    });
  }

  /// The outer loops without the one inside.
  SmallVector<unsigned> around;
  bool byLanes;
  /// This chunk's share of the vectors along the lanes, or of the loop inside.
  std::pair<Value, Value> lanes, elements;
  /// What divides the first number of that share.
  int64_t firstMultipleOf = 1;
};
} // namespace

static Position apply(AffineMap map, ArrayRef<Form> dims) {
  Position position;
  for (AffineExpr expr : map.getResults())
    position.push_back(applyLinear(expr, dims).value_or(Form()));
  return position;
}

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

/// Changes the element of `memref` that the point at hand goes to; `here` gives the place in it.
static void scatterPoint(Share &share, Value memref, llvm::function_ref<Form()> here) {
  Kernel &k = share.k;
  const ScatterShape &shape = k.shape.scatter;
  linalg::GenericOp op = shape.op;
  // Where a place from data does not exist nothing is written, so the body would not notice.
  for (tensor::ExtractOp exists : op.getBody()->getOps<tensor::ExtractOp>()) {
    bool saysOnlyThat =
        matchPattern(exists.getTensor(), m_Constant()) || exists.getTensor().getDefiningOp<tensor::SplatOp>();
    if (exists->hasAttr(checkedAttribute) && saysOnlyThat)
      k.demand.bodyValue(op, share.point, exists);
  }
  Value inside;
  for (const auto &[loop, value] : shape.places) {
    Value place = k.demand.bodyValue(op, share.point, value);
    bool shared = share.byPlaces() && loop == shape.firstPlace();
    share.point[loop] = Form::ofSlot(k.demand.addSlot(place));
    if (!shared && isWrapped(value, share.loops.extents[loop]))
      continue;
    Value fits = share.isOurs(place, loop, shared);
    inside = inside ? Value(arith::AndIOp::create(k.b, k.loc, inside, fits)) : fits;
  }
  auto change = [&] {
    share.alongNarrowLanes([&] {
      SmallVector<Value> arguments(op->getNumOperands());
      arguments.back() = k.demand.load(memref, here(), getElementTypeOrSelf(op.getDpsInits()[0].getType()));
      k.demand.store(k.demand.body(op, share.point, arguments)[0], memref, here());
    });
  };
  if (inside)
    k.onlyIf(inside, change);
  else
    change();
}

/// The same strip by strip.
static void scatterStrips(Share &share, ArrayRef<unsigned> places, ArrayRef<unsigned> points,
                          llvm::function_ref<Form()> here) {
  Kernel &k = share.k;
  linalg::GenericOp op = k.shape.scatter.op;
  AffineMap result = op.getIndexingMapsArray().back();
  Value memref = k.outputs[0], start = op.getDpsInits()[0];
  Strip strip(k, places, *share.inside, share.loops.extents);
  auto inBuffer = [&] { return strip.offset(share.point); };
  share.outerStrips(strip, [&] {
    share.everywhere(
        places, *share.inside,
        [&] { k.demand.store(k.demand.at(start, apply(result, share.point)), strip.buffer, inBuffer()); },
        [&] { strip.fetch(start, result, share.point); });
    auto fetchPoints = [&] {
      for (OpOperand *operand : op.getDpsInputOperands())
        strip.fetch(operand->get(), op.getMatchingIndexingMap(operand), share.point);
    };
    const auto &bounds = k.shape.scatter.bounds;
    share.within(bounds, [&] {
      share.each(
          points, [&] { share.alongInside(bounds, [&] { scatterPoint(share, strip.buffer, inBuffer); }); },
          fetchPoints);
    });
    k.pastCaches(memref, [&] {
      share.everywhere(places, *share.inside, [&] {
        k.demand.store(k.demand.load(strip.buffer, inBuffer(), getElementTypeOrSelf(start.getType())), memref, here());
      });
    });
  });
}

/// Elements from which on to wait for the stores of a copy costs nothing that matters.
constexpr int64_t longStretch = 1 << 14;

void kumiko::cpu::emitScatter(Kernel &k) {
  const ScatterShape &shape = k.shape.scatter;
  linalg::GenericOp op = shape.op;
  AffineMap result = op.getIndexingMapsArray().back();
  Value memref = k.outputs[0], start = op.getDpsInits()[0];
  unsigned innermost = cast<AffineDimExpr>(result.getResults().back()).getPosition();
  // Each neighbour goes to a place of its own, but all of them lie side by side in what is read.
  Share share(k, shape.loops, shape.loops.outerEndsInside(op) ? std::optional(innermost) : std::nullopt);
  SmallVector<unsigned> places, points;
  for (const auto &[loop, value] : shape.places)
    places.push_back(loop);
  llvm::sort(places);
  op.getReductionDims(points);
  auto here = [&] { return k.storage.offsetIn(op->getResult(0), apply(result, share.point)); };

  if (share.byStrips())
    return scatterStrips(share, places, points, here);

  // All of an outer point: often one stretch of memory, which is copied as such.
  SmallVector<unsigned> elements = places;
  if (shape.loops.lane || share.inside)
    elements.push_back(innermost);
  llvm::sort(elements);
  Reads reads(shape.loops.extents.size(), k.storage);
  Position everyLoop;
  for (unsigned loop = 0; loop < shape.loops.extents.size(); ++loop)
    everyLoop.push_back(Form::ofSlot(loop));
  reads.collect(start, apply(result, everyLoop));
  reads.forms.push_back(k.storage.offsetIn(op->getResult(0), apply(result, everyLoop)));

  // Stores past the caches are waited for once per outer point; they are for stretches, which shares of rows are not.
  Extent stretch = 1;
  for (unsigned loop : elements)
    stretch *= shape.loops.extents[loop];
  bool isLong = (!share.inside || share.takesWholeRows()) && typicalSize(stretch) >= longStretch;
  share.outer([&] {
    SmallVector<unsigned> copied = elements, rows = places;
    auto copy = [&] { k.demand.store(k.demand.at(start, apply(result, share.point)), memref, here()); };
    auto copyAll = [&] {
      if (!share.asOne(reads, copied, copy))
        share.everywhere(rows, innermost, copy);
    };
    if (share.byPlaces()) {
      llvm::erase(rows, shape.firstPlace());
      llvm::erase(copied, shape.firstPlace());
    }
    auto copyShare = [&] {
      if (share.byPlaces())
        share.alongPlaces(shape.firstPlace(), copyAll);
      else
        copyAll();
    };
    if (isLong)
      k.pastCaches(memref, copyShare);
    else
      copyShare();
    share.within(shape.bounds, [&] {
      share.eachOfFew(points, [&] { share.alongInside(shape.bounds, [&] { scatterPoint(share, memref, here); }); });
    });
  });
}

namespace {
/// Rows of a running sum whose elements lie along memory.
class RunningEmitter {
public:
  explicit RunningEmitter(Kernel &k) : k(k), shape(k.shape.running), op(shape.op), share(k, shape.loops) {}

  void emit() {
    if (shape.loops.lane)
      return share.outer([&] { share.alongLanes([&] { rows({share.point}); }); });
    if (scans())
      return share.outer([&] { scan(); });
    share.outerTogether(rowsTogether, [&](std::vector<Position> points) { rows(std::move(points)); });
  }

private:
  /// One sum waits for the last one of its row: those of several rows do not wait for each other.
  static constexpr int64_t rowsTogether = 4;
  /// Rows of at most this many elements become straight-line code.
  static constexpr int64_t shortRow = 8;

  //===--- lanes along the row ---------------------------------------------------------------------===//

  Value combine(Value before, Value after) { return k.demand.combine(op, before, after)[0]; }

  /// Whether parts of a row may be combined first, and the row is worth a vector.
  bool scans() {
    const Extent &length = shape.loops.extents[shape.along];
    auto along = dyn_cast<AffineDimExpr>(result().getResults().back());
    return shape.neutral && !op->hasAttr(exactAttribute) && along && along.getPosition() == shape.along &&
           typicalSize(length) >= 2 * int64_t(k.demand.lanes);
  }

  /// Within a vector each lane takes up the one 1, 2, 4, ... before it; then all take up what the last vector ended
  /// with.
  void scan() {
    int64_t lanes = k.demand.lanes;
    const Extent &length = shape.loops.extents[shape.along];
    Extent full = floorDiv(length, lanes) * lanes, rest = length - full;
    SmallVector<Value> carried = {k.demand.spread(k.demand.at(op.getDpsInits()[0], apply(result(), share.point)))};
    auto partial = [&] {
      carried = k.unlessZero(rest, carried, [&](ArrayRef<Value> before) {
        k.demand.active = rest;
        SmallVector<Value> after = {scanVector(Form(full), before[0])};
        k.demand.active = lanes;
        return after;
      });
    };
    if (shape.reverse)
      partial();
    carried = k.loop(0, full, lanes, carried, [&](Form number, ArrayRef<Value> before) {
      Form first = shape.reverse ? number * -1 + Form(full - lanes) : number;
      return SmallVector<Value>{scanVector(first, before[0])};
    });
    if (!shape.reverse)
      partial();
  }

  /// The sums from `first` on; returns what the next vector starts with.
  Value scanVector(Form first, Value carried) {
    int64_t lanes = k.demand.lanes;
    first.lane = 1;
    share.point[shape.along] = first;
    Value neutral = k.demand.spread(k.demand.constantOf(shape.neutral));
    Value values = k.demand.spread(add(share.point, first, neutral));
    if (!k.demand.active.is(lanes))
      values = arith::SelectOp::create(k.b, k.loc, k.demand.mask(), values, neutral);
    auto moved = [&](Value vector, int64_t distance) -> Value {
      SmallVector<int64_t> choice;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t from = shape.reverse ? lane + distance : lane - distance;
        choice.push_back(from < 0 || from >= lanes ? lanes + lane : from);
      }
      return vector::ShuffleOp::create(k.b, k.loc, vector, neutral, choice);
    };
    for (int64_t distance = 1; distance < lanes; distance *= 2)
      values = combine(moved(values, distance), values);
    Value sums = combine(carried, shape.exclusive ? moved(values, 1) : values);
    write({share.point}, {sums});
    SmallVector<int64_t> end(lanes, shape.reverse ? 0 : lanes - 1);
    return combine(carried, vector::ShuffleOp::create(k.b, k.loc, values, values, end));
  }

  //===--- element by element ----------------------------------------------------------------------===//

  void rows(std::vector<Position> points) {
    const Extent &length = shape.loops.extents[shape.along];
    SmallVector<Value> sums;
    for (const Position &point : points) {
      Value start = k.demand.at(op.getDpsInits()[0], apply(result(), point));
      sums.push_back(shape.loops.lane ? k.demand.spread(start) : start);
    }
    auto turn = [&](Form number, ArrayRef<Value> carried) {
      Form at = shape.reverse ? number * -1 + Form(length - 1) : number;
      SmallVector<Value> next, written;
      for (auto [point, sum] : llvm::zip_equal(points, carried)) {
        point[shape.along] = at;
        next.push_back(add(point, at, sum));
        written.push_back(shape.exclusive ? sum : next.back());
      }
      write(points, written);
      return next;
    };
    if (!length.isStatic() || length.value() > shortRow) {
      k.loop(0, length, 1, sums, turn);
      return;
    }
    for (int64_t number = 0; number < length.value(); ++number)
      sums = turn(Form(number), sums);
  }

  Value add(const Position &point, const Form &at, Value sum) {
    // Where the condition of the body holds for this point: beside it, if the point itself does not count.
    Position inside = point;
    inside[shape.reduced] = at;
    if (shape.exclusive)
      inside[shape.along] = at + Form(shape.reverse ? -1 : 1);
    SmallVector<Value> arguments(op->getNumOperands());
    arguments.back() = sum;
    return k.demand.body(op, inside, arguments)[0];
  }

  void write(ArrayRef<Position> points, ArrayRef<Value> sums) {
    for (auto [point, sum] : llvm::zip_equal(points, sums)) {
      k.demand.fix(op->getResult(0), sum);
      Position position = apply(result(), point);
      for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
        for (const Piece &piece : output.pieces)
          k.demand.store(k.demand.at(piece.source, position), memref, offsetOf(piece, position));
      k.demand.unfix(op->getResult(0));
    }
  }

  AffineMap result() { return op.getIndexingMapsArray().back(); }

  Kernel &k;
  const RunningShape &shape;
  linalg::GenericOp op;
  Share share;
};
} // namespace

void kumiko::cpu::emitRunning(Kernel &k) { RunningEmitter(k).emit(); }
