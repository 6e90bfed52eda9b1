//===- Scatter.cpp - points to places that data say, in one pass -----------===//
//
//   copy what the result starts as;  for each point: place = ..., if inside: result[place] += value
//
// Where what a scatter changes is larger than a cache, strips of it are changed one after another (Strip.h).
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/OrderedShare.h"
#include "kumiko/Codegen/Cpu/Strip.h"
#include "kumiko/Lower/Checked.h"

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

namespace {
/// Where a point goes.
struct Places {
  SmallVector<Value, 2> numbers; ///< one per loop that data addresses
  Value exist;                   ///< whether all of them do, and are this chunk's; null where that is certain
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
    share.outer([&] {
      copyStart();
      share.within(shape.bounds, [&] {
        share.eachOfFew(points, [&] {
          share.alongInside(shape.bounds, [&] { change(placesHere(), memref, [&] { return here(); }); });
        });
      });
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
            points, [&] { share.alongInside(shape.bounds, [&] { change(placesHere(), strip.buffer, inBuffer); }); },
            fetchPoints);
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

  /// Where the point at hand goes.
  Places placesHere() {
    // Where a place from data does not exist nothing is written, so the body would not notice.
    for (tensor::ExtractOp exists : op.getBody()->getOps<tensor::ExtractOp>()) {
      bool saysOnlyThat =
          matchPattern(exists.getTensor(), m_Constant()) || exists.getTensor().getDefiningOp<tensor::SplatOp>();
      if (exists->hasAttr(checkedAttribute) && saysOnlyThat)
        k.demand.bodyValue(op, share.point, exists);
    }
    Places places;
    for (const auto &[loop, value] : shape.places) {
      Value place = k.demand.bodyValue(op, share.point, value);
      bool shared = share.byPlaces() && loop == shape.firstPlace();
      places.numbers.push_back(place);
      if (!shared && isWrapped(value, shape.loops.extents[loop]))
        continue;
      Value fits = share.isOurs(place, loop, shared);
      places.exist = places.exist ? Value(arith::AndIOp::create(k.b, k.loc, places.exist, fits)) : fits;
    }
    return places;
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
    auto changeLanes = [&] { k.demand.given(shape.atPlaces, true, [&] { share.alongNarrowLanes(changeOne); }); };
    if (places.exist)
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
