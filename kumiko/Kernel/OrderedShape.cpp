#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Lower/Checked.h"
#include "kumiko/Lower/Exact.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace kumiko;

Extent OrderedLoops::outerExtent() const {
  Extent product = 1;
  for (unsigned loop : outer)
    product *= extents[loop];
  return product;
}

bool OrderedLoops::outerEndsInside(linalg::GenericOp op) const {
  auto last = dyn_cast<AffineDimExpr>(op.getIndexingMapsArray().back().getResults().back());
  return !lane && !outer.empty() && last && outer.back() == last.getPosition();
}

llvm::SmallBitVector kumiko::loopsBehind(linalg::GenericOp op, Value value) {
  llvm::SmallBitVector loops(op.getNumLoops());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return loops;
    if (argument.getArgNumber() >= op.getNumDpsInputs())
      return loops.set();
    AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      loops[loop] = map.isFunctionOfDim(loop);
    return loops;
  }
  Operation *producer = value.getDefiningOp();
  if (producer->getBlock() != op.getBody())
    return loops;
  if (auto index = dyn_cast<linalg::IndexOp>(producer))
    return loops.set(index.getDim()), loops;
  for (Value operand : producer->getOperands())
    loops |= loopsBehind(op, operand);
  return loops;
}

namespace {
/// A body that changes the result only where `condition` holds, by `value`.
struct Guarded {
  Value condition, value;
};
} // namespace

static bool isNeutral(Operation *combiner, Value value) {
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  Attribute constant;
  if (!neutral || !matchPattern(value, m_Constant(&constant)))
    return false;
  // Which zero does not matter: the sum of anything and either is the same, but for a zero itself.
  auto zero = [](Attribute attribute) {
    auto number = dyn_cast<FloatAttr>(attribute);
    return number && number.getValue().isZero();
  };
  return constant == *neutral || (zero(constant) && zero(*neutral));
}

static std::optional<Guarded> guardedBody(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  Value out = op.getRegionOutputArgs()[0];
  Operation *last = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(last); select && select.getFalseValue() == out)
    return Guarded{select.getCondition(), select.getTrueValue()};
  if (!last || last->getNumOperands() != 2 || last->getOperand(0) != out)
    return std::nullopt;
  auto select = last->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!select || !isNeutral(last, select.getFalseValue()))
    return std::nullopt;
  return Guarded{select.getCondition(), select.getTrueValue()};
}

static void leavesOf(Value condition, SmallVectorImpl<Value> &leaves) {
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return leaves.push_back(condition);
  leavesOf(both.getLhs(), leaves);
  leavesOf(both.getRhs(), leaves);
}

/// The loop that `value` is the number of, if it is one of the result's.
static std::optional<unsigned> keptLoop(linalg::GenericOp op, Value value) {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  if (!index || op.getIteratorTypesArray()[index.getDim()] != utils::IteratorType::parallel)
    return std::nullopt;
  return index.getDim();
}

/// Sorts the result's loops that are not in `taken` into lanes and outer ones. Loops in `apart` have no lanes.
static OrderedLoops shareLoops(linalg::GenericOp op, KernelExtents &extents, const llvm::SmallBitVector &taken,
                               const llvm::SmallBitVector &apart) {
  OrderedLoops loops;
  loops.extents = extents.loopsOf(op);
  for (AffineExpr expr : op.getIndexingMapsArray().back().getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && !taken[dim.getPosition()])
      loops.outer.push_back(dim.getPosition());
  auto last = dyn_cast<AffineDimExpr>(op.getIndexingMapsArray().back().getResults().back());
  if (!loops.outer.empty() && last && loops.outer.back() == last.getPosition() && !apart[last.getPosition()])
    loops.lane = loops.outer.pop_back_val();
  return loops;
}

/// Whether an element of `tensor` lies where its place in row-major order says, in memory or in others of the same
/// shape: then an index of 0 and the next one beyond its end are as good as two indices.
static bool isFlat(Value tensor) {
  if (isa<BlockArgument>(tensor) || tensor.getDefiningOp<linalg::FillOp>())
    return true;
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  return generic && generic.getNumReductionLoops() == 0 &&
         llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }) &&
         generic.getBody()->getOps<linalg::IndexOp>().empty() &&
         generic.getBody()->getOps<tensor::ExtractOp>().empty() && llvm::all_of(generic.getDpsInputs(), isFlat);
}

/// Whether each tensor that `op` reads or writes has both loops side by side, or neither.
static bool areAsOne(linalg::GenericOp op, unsigned first, unsigned second) {
  for (auto index : op.getBody()->getOps<linalg::IndexOp>())
    if (index.getDim() == first || index.getDim() == second)
      return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(first) && !map.isFunctionOfDim(second))
      continue;
    auto dim = [&](unsigned loop) { return getAffineDimExpr(loop, op.getContext()); };
    std::optional<unsigned> place = map.getResultPosition(dim(first));
    if (!map.isProjectedPermutation() || !place || *place + 1 == map.getNumResults() ||
        map.getResult(*place + 1) != dim(second) || !isFlat(operand.get()))
      return false;
  }
  return true;
}

static void mergeOuter(linalg::GenericOp op, OrderedLoops &loops) {
  SmallVector<unsigned> all = loops.outer, kept;
  if (loops.lane)
    all.push_back(*loops.lane);
  for (auto [number, loop] : llvm::enumerate(all)) {
    if (number + 1 < all.size() && areAsOne(op, loop, all[number + 1])) {
      loops.extents[all[number + 1]] *= loops.extents[loop];
      loops.extents[loop] = 1;
    } else {
      kept.push_back(loop);
    }
  }
  if (loops.lane)
    kept.pop_back();
  loops.outer = kept;
}

/// Takes up what `leaf`, a part of the condition of a body, says about the number of a loop over the result; not where
/// it says something else.
static bool addBound(linalg::GenericOp op, Value leaf, SmallVectorImpl<ScatterShape::Bounds> &bounds) {
  auto compare = leaf.getDefiningOp<arith::CmpIOp>();
  std::optional<unsigned> loop = compare ? keptLoop(op, compare.getLhs()) : std::nullopt;
  IntegerAttr limit;
  if (!loop || !matchPattern(compare.getRhs(), m_Constant(&limit)))
    return false;
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (predicate != arith::CmpIPredicate::sge && predicate != arith::CmpIPredicate::slt)
    return false;
  auto found = llvm::find_if(bounds, [&](const auto &known) { return known.loop == *loop; });
  if (found == bounds.end())
    found = bounds.insert(bounds.end(), {*loop, 0, std::numeric_limits<int64_t>::max()});
  if (predicate == arith::CmpIPredicate::sge)
    found->low = std::max(found->low, limit.getInt());
  else
    found->high = std::min(found->high, limit.getInt());
  return true;
}

static bool writesEveryLoop(linalg::GenericOp op) {
  AffineMap map = op.getIndexingMapsArray().back();
  return map.isProjectedPermutation() && map.getNumResults() == op.getNumParallelLoops() && map.getNumResults() != 0;
}

/// Whether the extract says no more than that a place from data exists.
static bool isCheck(tensor::ExtractOp extract) {
  return extract->hasAttr(checkedAttribute) &&
         (matchPattern(extract.getTensor(), m_Constant()) || extract.getTensor().getDefiningOp<tensor::SplatOp>());
}

std::optional<ScatterShape> kumiko::scatterShapeOf(linalg::GenericOp op, KernelExtents &extents) {
  std::optional<Guarded> body = guardedBody(op);
  if (!body || !writesEveryLoop(op))
    return std::nullopt;
  SmallVector<Value> leaves;
  leavesOf(body->condition, leaves);
  ScatterShape shape{op, {}, {}, {}, {}, {}};
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
    if (isCheck(extract))
      shape.checks.push_back(extract);
  size_t understood = 0;
  llvm::SmallBitVector scattered(op.getNumLoops()), used = loopsBehind(op, body->value), apart(op.getNumLoops());
  for (Value leaf : leaves) {
    auto compare = leaf.getDefiningOp<arith::CmpIOp>();
    std::optional<unsigned> loop;
    if (compare && compare.getPredicate() == arith::CmpIPredicate::eq)
      loop = keptLoop(op, compare.getRhs());
    if (llvm::is_contained(shape.checks, leaf.getDefiningOp<tensor::ExtractOp>()))
      ++understood;
    if (loop && !scattered[*loop] && !loopsBehind(op, compare.getLhs())[*loop]) {
      scattered.set(*loop);
      ++understood;
      shape.places.push_back({*loop, compare.getLhs()});
      apart |= loopsBehind(op, compare.getLhs());
    } else {
      apart |= loopsBehind(op, leaf);
      understood += addBound(op, leaf, shape.bounds);
    }
  }
  // Neither where a point goes nor what it brings may depend on the place itself.
  if (shape.places.empty() || scattered.anyCommon(used) || scattered.anyCommon(apart))
    return std::nullopt;
  shape.loops = shareLoops(op, extents, scattered, apart);
  mergeOuter(op, shape.loops);
  size_t bounds = shape.bounds.size();
  llvm::erase_if(shape.bounds, [&](const auto &bounds) { return !llvm::is_contained(shape.loops.outer, bounds.loop); });
  if (understood == leaves.size() && shape.bounds.size() == bounds)
    shape.atPlaces = body->condition;
  for (auto &bounds : shape.bounds)
    if (const Extent &extent = shape.loops.extents[bounds.loop]; extent.isStatic())
      bounds.high = std::min(bounds.high, extent.value());
  return shape;
}

std::optional<RunningShape> kumiko::runningShapeOf(linalg::GenericOp op, KernelExtents &extents) {
  std::optional<Guarded> body = guardedBody(op);
  auto compare = body ? body->condition.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!compare || !writesEveryLoop(op) || op.getNumReductionLoops() != 1)
    return std::nullopt;
  auto reduced = compare.getLhs().getDefiningOp<linalg::IndexOp>();
  std::optional<unsigned> along = keptLoop(op, compare.getRhs());
  if (!reduced || !along || op.getIteratorTypesArray()[reduced.getDim()] != utils::IteratorType::reduction)
    return std::nullopt;
  RunningShape shape{op, unsigned(reduced.getDim()), *along, false, false, {}};
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
    break;
  case arith::CmpIPredicate::slt:
    shape.exclusive = true;
    break;
  case arith::CmpIPredicate::sge:
    shape.reverse = true;
    break;
  case arith::CmpIPredicate::sgt:
    shape.exclusive = shape.reverse = true;
    break;
  default:
    return std::nullopt;
  }
  Extents loops = extents.loopsOf(op);
  // From the end the terms come in another order than in the text.
  bool reordered = shape.reverse && op->hasAttr(exactAttribute);
  // One element follows no other: each is a point.
  bool alone = loops[shape.along].is(1);
  if (alone || reordered || loops[shape.along] != loops[shape.reduced] || loopsBehind(op, body->value)[shape.along])
    return std::nullopt;
  llvm::SmallBitVector taken(op.getNumLoops());
  taken.set(shape.along);
  shape.loops = shareLoops(op, extents, taken, /*apart=*/taken);
  return shape;
}

bool kumiko::followsInPlace(Value tensor, linalg::GenericOp op) {
  if (tensor == op->getResult(0))
    return true;
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  return generic && generic.getNumReductionLoops() == 0 &&
         generic.getIndexingMapMatchingResult(cast<OpResult>(tensor)).isIdentity() &&
         llvm::any_of(generic.getDpsInputOperands(), [&](OpOperand *input) {
           return generic.getMatchingIndexingMap(input).isIdentity() && followsInPlace(input->get(), op);
         });
}
