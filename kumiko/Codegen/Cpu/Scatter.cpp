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

/// Changes the element of `memref` that the point at hand goes to; `here` gives the place in it.
static void scatterPoint(OrderedShare &share, Value memref, llvm::function_ref<Form()> here) {
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
static void scatterStrips(OrderedShare &share, ArrayRef<unsigned> places, ArrayRef<unsigned> points,
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
        [&] { k.demand.store(k.demand.at(start, applyMap(result, share.point)), strip.buffer, inBuffer()); },
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
  OrderedShare share(k, shape.loops, shape.loops.outerEndsInside(op) ? std::optional(innermost) : std::nullopt);
  SmallVector<unsigned> places, points;
  for (const auto &[loop, value] : shape.places)
    places.push_back(loop);
  llvm::sort(places);
  op.getReductionDims(points);
  auto here = [&] { return k.storage.offsetIn(op->getResult(0), applyMap(result, share.point)); };

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
  reads.collect(start, applyMap(result, everyLoop));
  reads.forms.push_back(k.storage.offsetIn(op->getResult(0), applyMap(result, everyLoop)));

  // Stores past the caches are waited for once per outer point; they are for stretches, which shares of rows are not.
  Extent stretch = 1;
  for (unsigned loop : elements)
    stretch *= shape.loops.extents[loop];
  bool isLong = (!share.inside || share.takesWholeRows()) && typicalSize(stretch) >= longStretch;
  share.outer([&] {
    SmallVector<unsigned> copied = elements, rows = places;
    auto copy = [&] { k.demand.store(k.demand.at(start, applyMap(result, share.point)), memref, here()); };
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
