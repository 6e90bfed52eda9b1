//===- PointsWindows.cpp - windows that overlap, and short sums --------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

/// Windows that are reduced together, and samples at one place: more of these would read more planes at a time than a
/// cache holds.
constexpr int64_t windowsTogether = 4, samplesTogether = 2;

/// The one reduction of the body, if it runs over windows that overlap along some dimension of its result.
static linalg::GenericOp windowReduction(Block &body) {
  linalg::GenericOp found;
  for (auto op : body.getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops() != 0) {
      if (found)
        return linalg::GenericOp();
      found = op;
    }
  if (!found || found.getNumResults() != 1)
    return linalg::GenericOp();
  SmallVector<unsigned> reduced;
  found.getReductionDims(reduced);
  for (OpOperand *input : found.getDpsInputOperands())
    for (AffineExpr expr : found.getMatchingIndexingMap(input).getResults())
      if (!isa<AffineDimExpr>(expr) && llvm::any_of(reduced, [&](unsigned d) { return expr.isFunctionOfDim(d); }))
        return found;
  return linalg::GenericOp();
}

/// A reduction of elements that data choose, if it is the only one of the body.
static linalg::GenericOp chosenSum(Block &body) {
  linalg::GenericOp found;
  for (auto op : body.getOps<linalg::GenericOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    if (found || op.getNumResults() != 1 || op.getBody()->getOps<tensor::ExtractOp>().empty())
      return linalg::GenericOp();
    found = op;
  }
  return found;
}

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

linalg::GenericOp PieceEmitter::shortSums() {
  linalg::GenericOp found = onlyReduction(k);
  if (!found || !isShort() || !canReduceInParts(found))
    return linalg::GenericOp();
  SmallVector<unsigned> reduced;
  found.getReductionDims(reduced);
  Extent length = k.storage.extents.loopsOf(found)[reduced.back()];
  return length.isStatic() && length.value() >= 4 * int64_t(k.demand.lanes) ? found : linalg::GenericOp();
}

linalg::GenericOp PieceEmitter::reducedTogether(const Reads &sources) {
  linalg::GenericOp op = windowReduction(k.body);
  together = windowsTogether;
  if (!op && !loops.empty() && !sources.choosing.test(loops.back().loop)) {
    op = chosenSum(k.body);
    together = samplesTogether;
  }
  if (!op || loops.empty() || alongSums || typicalSize(loops.back().extent) < 2 * together)
    return linalg::GenericOp();
  return allMadeInPlace(op) ? op : linalg::GenericOp();
}

bool PieceEmitter::allMadeInPlace(linalg::GenericOp op) const {
  return llvm::all_of(targets, [&](const Target &target) {
    return op.getNumResults() == 1 ? isMadeInPlace(target.piece->source, op->getResult(0))
                                   : target.piece->source.getDefiningOp() == op;
  });
}

void PieceEmitter::emitWindows(linalg::GenericOp op) {
  MergedLoop along = loops.pop_back_val();
  Extent blocks = ceilDiv(along.extent, together), outer = blocks;
  for (const MergedLoop &loop : loops)
    outer *= loop.extent;
  auto [low, high] = k.chunkRange(outer);
  k.loop(low, high, 1, [&](Value number) {
    Value block = arith::RemUIOp::create(k.b, k.loc, number, k.index(blocks));
    k.delinearize(arith::DivUIOp::create(k.b, k.loc, number, k.index(blocks)), loops, point);
    Form first = Form::ofSlot(k.demand.addSlot(block), together);
    auto whole = [&] {
      k.vectors(lane.extent, 1, [&](Form form) { windowsAt(op, along.loop, first, together, form); });
    };
    Extent full = floorDiv(along.extent, together), rest = along.extent - full * together;
    if (rest.is(0))
      return whole();
    Value isFull = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, block, k.index(full));
    auto choice = scf::IfOp::create(k.b, k.loc, isFull, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(choice.thenBlock());
    whole();
    k.b.setInsertionPointToStart(choice.elseBlock());
    k.loop(k.index(full * together), k.index(along.extent), 1, [&](Value place) {
      Form one = Form::ofSlot(k.demand.addSlot(place));
      k.vectors(lane.extent, 1, [&](Form form) { windowsAt(op, along.loop, one, 1, form); });
    });
  });
}

void PieceEmitter::windowsAt(linalg::GenericOp op, unsigned loop, const Form &first, int64_t count, const Form &lanes) {
  if (loop != lane.loop)
    point[lane.loop] = lanes;
  std::vector<Position> positions;
  for (int64_t n = 0; n < count; ++n) {
    point[loop] = first + Form(n);
    positions.push_back(point);
  }
  Value reduced = op->getResult(0);
  SmallVector<Value> sums = alongSums ? k.demand.reduceAlong(op, positions) : k.demand.reduceTogether(op, positions);
  SmallVector<Value> values;
  for (const auto &[position, sum] : llvm::zip_equal(positions, sums)) {
    k.demand.fix(reduced, sum);
    for (const Target &target : targets)
      values.push_back(k.demand.at(target.piece->source, position));
    k.demand.unfix(reduced);
  }
  const Value *value = values.begin();
  for (const Position &position : positions)
    for (const Target &target : targets)
      k.demand.store(*value++, target.memref, offsetOf(*target.piece, position));
}
