//===- PointsParts.cpp - vectors that are interleaved where they are stored ---===//
//
// Lanes along a result's innermost dimension are not always the best ones. Where that is a few features of each
// channel, lanes run along the channels. Where a few neighbours read the same, as in pictures that are enlarged, or are
// computed from each other, as in turned pairs, lanes are so many elements apart. In both cases several vectors are
// computed for each point, and woven into each other.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Neighbours that share a quotient: more of them fill a vector, or nearly so.
constexpr int64_t mostShared = 4;

/// Whether each element of `tensor` is made of the element of `reduced` at the same position.
static bool isMadeInPlace(Value tensor, Value reduced) {
  if (tensor == reduced)
    return true;
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() != 0 || !op.getIndexingMapMatchingResult(cast<OpResult>(tensor)).isIdentity())
    return false;
  bool found = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isMadeInPlace(input->get(), reduced))
      continue;
    if (!op.getMatchingIndexingMap(input).isIdentity())
      return false;
    found = true;
  }
  return found;
}

bool PieceEmitter::allMadeInPlace(linalg::GenericOp op) const {
  return llvm::all_of(targets, [&](const Written &target) {
    return op.getNumResults() == 1 ? isMadeInPlace(target.piece->source, op->getResult(0))
                                   : target.piece->source.getDefiningOp() == op;
  });
}

int64_t PieceEmitter::woven() const { return parts ? parts->extent.value() : phases; }

void PieceEmitter::takeFewPerGroup() {
  linalg::GenericOp op = onlyReduction(k);
  std::optional<FewPerGroup> found =
      op && !parts ? fewPerGroup(op, k.storage.extents.loopsOf(op)) : std::optional<FewPerGroup>();
  if (!found)
    return;
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  auto dimensionOf = [&](unsigned loop) -> unsigned {
    return llvm::find(map.getResults(), getAffineDimExpr(loop, op.getContext())) - map.getResults().begin();
  };
  unsigned few = dimensionOf(found->few), groups = dimensionOf(found->groups);
  if (!allMadeInPlace(op) || loops.empty() || lane.loop != few || loops.back().loop != groups)
    return;
  parts = lane;
  lane = loops.pop_back_val();
  groupSums = op;
}

/// The number that the place along `dimension` of the result is divided by, in the body of `op`; 0 where there is none,
/// or several.
static int64_t divisorAlong(linalg::GenericOp op, unsigned dimension) {
  auto loop = dyn_cast<AffineDimExpr>(op.getIndexingMapsArray().back().getResult(dimension));
  int64_t found = 0;
  for (Operation &inner : op.getBody()->without_terminator()) {
    llvm::APInt divisor;
    if (!isa<arith::FloorDivSIOp, arith::DivUIOp>(inner) || !inner.getResult(0).getType().isIndex() ||
        !matchPattern(inner.getOperand(1), m_ConstantInt(&divisor)))
      continue;
    llvm::SetVector<Operation *> from;
    from.insert(&inner);
    for (size_t next = 0; next < from.size(); ++next)
      for (Value operand : from[next]->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && maker->getBlock() == op.getBody())
          from.insert(maker);
    bool along = llvm::any_of(from, [&](Operation *each) {
      auto index = dyn_cast<linalg::IndexOp>(each);
      return index && loop && index.getDim() == loop.getPosition();
    });
    if (!along)
      continue;
    if (found != 0 && found != divisor.getSExtValue())
      return 0;
    found = divisor.getSExtValue();
  }
  return found;
}

/// Whether `op` takes the quotient and the remainder of a place by `divisor`: pairs side by side, and the like.
static bool takesRemainder(linalg::GenericOp op, int64_t divisor) {
  return llvm::any_of(op.getBody()->getOps<arith::RemUIOp>(), [&](arith::RemUIOp rest) {
    llvm::APInt by;
    return rest.getType().isIndex() && matchPattern(rest.getRhs(), m_ConstantInt(&by)) && by.getSExtValue() == divisor;
  });
}

/// Whether `op` reads at the quotient of a place by `divisor`: so many neighbours read the same.
static bool readsAtQuotient(linalg::GenericOp op, int64_t divisor) {
  return llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), [&](tensor::ExtractOp extract) {
    Operation *quotient = extract.getIndices().empty() ? nullptr : extract.getIndices().back().getDefiningOp();
    llvm::APInt by;
    return isa_and_nonnull<arith::DivUIOp, arith::FloorDivSIOp>(quotient) &&
           matchPattern(quotient->getOperand(1), m_ConstantInt(&by)) && by.getSExtValue() == divisor;
  });
}

void PieceEmitter::takePhases() {
  auto op = targets.front().piece->source.getDefiningOp<linalg::GenericOp>();
  if (!op || parts || op.getNumReductionLoops() != 0 || op.getNumResults() != 1 || !allMadeInPlace(op))
    return;
  int64_t divisor = divisorAlong(op, lane.loop);
  bool isWhole = lane.extent.isStatic() && divisor >= 2 && lane.extent.value() % divisor == 0;
  if (!isWhole || divisor > mostShared || lane.extent.value() < 2 * divisor ||
      !(readsAtQuotient(op, divisor) || takesRemainder(op, divisor)))
    return;
  phases = divisor;
  lane.extent = lane.extent.value() / phases;
}

std::vector<Position> PieceEmitter::partsOfPoint() {
  std::vector<Position> positions(woven(), point);
  for (auto [n, position] : llvm::enumerate(positions)) {
    if (parts)
      position[parts->loop] = Form(int64_t(n));
    else if (phases != 1)
      position[lane.loop] = point[lane.loop] * phases + Form(int64_t(n));
  }
  return positions;
}

void PieceEmitter::storeInterleaved() {
  std::vector<Position> positions = partsOfPoint();
  if (groupSums)
    return sumsAt(groupSums, positions);
  SmallVector<SmallVector<Value>> values(targets.size());
  for (const Position &position : positions)
    for (const auto &[target, made] : llvm::zip_equal(targets, values))
      made.push_back(k.demand.at(target.piece->source, position));
  storeParts(positions, values);
}

void PieceEmitter::storeParts(ArrayRef<Position> positions, ArrayRef<SmallVector<Value>> values) {
  size_t count = woven();
  for (size_t n = 0; n < positions.size(); n += count)
    for (const auto &[target, made] : llvm::zip_equal(targets, values)) {
      SmallVector<Form> offsets;
      for (const Position &position : positions.slice(n, count))
        offsets.push_back(offsetOf(*target.piece, position));
      if (offsets.front().lane.is(int64_t(count)) && k.demand.active.is(k.demand.lanes))
        k.askAhead(target.memref, offsets.front().atLane(0), int64_t(count) * k.demand.lanes);
      if (count > 1)
        k.demand.storeLanes(ArrayRef(made).slice(n, count), target.memref, offsets);
      else
        k.demand.store(made[n], target.memref, offsets[0]);
    }
}

void PieceEmitter::sumsAt(linalg::GenericOp op, ArrayRef<Position> positions) {
  SmallVector<Value> sums = alongSums ? k.demand.reduceAlong(op, positions) : k.demand.reduceTogether(op, positions);
  SmallVector<SmallVector<Value>> values(targets.size()); // of each target, at all positions
  size_t each = op.getNumResults();
  for (const auto &[n, position] : llvm::enumerate(positions)) {
    for (auto [reduced, sum] : llvm::zip_equal(op->getResults(), ArrayRef(sums).slice(n * each, each)))
      k.demand.fix(reduced, sum);
    for (const auto &[target, made] : llvm::zip_equal(targets, values))
      made.push_back(k.demand.at(target.piece->source, position));
    for (Value reduced : op->getResults())
      k.demand.unfix(reduced);
  }
  storeParts(positions, values);
}
