//===- Scatter.cpp - points to places that data say, in one pass -----------===//
//
//   copy what the result starts as;  for each point: place = ..., if inside: result[place] += value
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/OrderedShare.h"

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

namespace {
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
    share.outer([&] {
      copyStart();
      share.within(shape.bounds, [&] {
        share.each(points, [&] {
          if (share.inside)
            share.oneByOne(share.stretchInside(shape.bounds), [&] { change(); });
          else
            change();
        });
      });
    });
  }

private:
  /// All of an outer point, as far as it is this chunk's: often one stretch of memory, which is copied as such.
  void copyStart();
  /// Changes the element that the point at hand goes to.
  void change();
  /// Whether all that is asked about places is whether those of data exist, and that about each of them.
  bool asksOnlyForExistence();
  /// Of the point at hand in the result.
  Form here() { return k.storage.offsetIn(op->getResult(0), applyMap(result, share.point)); }

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

void ScatterEmitter::copyStart() {
  SmallVector<unsigned> elements = rows;
  if (shape.loops.lane || share.inside)
    elements.push_back(innermost);
  llvm::sort(elements);
  Position loops;
  for (unsigned loop = 0; loop < shape.loops.extents.size(); ++loop)
    loops.push_back(Form::ofSlot(loop));
  Reads reads(shape.loops.extents.size(), k.storage);
  reads.collect(start, applyMap(result, loops));
  reads.forms.push_back(k.storage.offsetIn(op->getResult(0), applyMap(result, loops)));
  auto copy = [&] { k.demand.store(k.demand.at(start, applyMap(result, share.point)), memref, here()); };
  if (!share.asOne(reads, elements, copy))
    share.everywhere(rows, innermost, copy);
}

bool ScatterEmitter::asksOnlyForExistence() {
  auto isChecked = [&](const std::pair<unsigned, Value> &place) {
    return llvm::any_of(shape.checks, [&](tensor::ExtractOp check) {
      return check.getIndices()[0] == place.second &&
             k.storage.extents.of(check.getTensor())[0] == shape.loops.extents[place.first];
    });
  };
  return shape.checks.size() == shape.places.size() && llvm::all_of(shape.places, isChecked);
}

void ScatterEmitter::change() {
  // Where a place from data does not exist nothing is written, so the body would not notice.
  bool mustExist = asksOnlyForExistence();
  if (!mustExist)
    for (tensor::ExtractOp check : shape.checks)
      k.demand.bodyValue(op, share.point, check);
  Value exist;
  Position point = share.point;
  for (const auto &[loop, value] : shape.places) {
    const Extent &extent = shape.loops.extents[loop];
    Value place = k.demand.bodyValue(op, point, value);
    // The only place there is does not depend on data, and what is there may stay in registers.
    share.point[loop] = Form::ofSlot(k.demand.addSlot(extent.is(1) ? k.index(0) : place));
    if (!mustExist && isWrapped(value, extent))
      continue;
    // As an unsigned number a negative place is too large.
    Value fits = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, place, k.index(extent));
    exist = exist ? Value(arith::AndIOp::create(k.b, k.loc, exist, fits)) : fits;
  }
  auto changeOne = [&] {
    SmallVector<Value> arguments(op->getNumOperands());
    arguments.back() = k.demand.load(memref, here(), getElementTypeOrSelf(start.getType()));
    k.demand.store(k.demand.body(op, share.point, arguments)[0], memref, here());
  };
  auto changeLanes = [&] { k.demand.given(shape.atPlaces, true, [&] { share.alongNarrowLanes(changeOne); }); };
  if (mustExist)
    k.ifElse(exist, changeLanes, [&] { k.demand.fail(); });
  else if (exist)
    k.onlyIf(exist, changeLanes);
  else
    changeLanes();
}

void kumiko::cpu::emitScatter(Kernel &k) { ScatterEmitter(k).emit(); }
