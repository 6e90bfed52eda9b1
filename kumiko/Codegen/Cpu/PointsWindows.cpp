//===- PointsWindows.cpp - windows that overlap, and short sums --------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Windows that are reduced together, and planes that are sampled together: places are read once for all of them.
constexpr int64_t windowsTogether = 4;
/// Sums at a time; windows of which each has several are fewer.
constexpr int64_t mostSums = 8;
/// Elements of a window from which on a vector of them is worth it, however few windows it is for.
constexpr int64_t fewestTaps = 4;

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

linalg::GenericOp PieceEmitter::shortSums() {
  linalg::GenericOp found = onlyReduction(k);
  if (!found || !isShort() || !canReduceInParts(found))
    return linalg::GenericOp();
  SmallVector<unsigned> reduced;
  found.getReductionDims(reduced);
  Extent length = k.storage.extents.loopsOf(found)[reduced.back()];
  return length.isStatic() && length.value() >= 4 * int64_t(k.demand.lanes) ? found : linalg::GenericOp();
}

linalg::GenericOp PieceEmitter::reducedTogether() {
  if (loops.empty() || alongSums)
    return linalg::GenericOp();
  if (linalg::GenericOp windows = windowReduction(k.body)) {
    if (typicalSize(loops.back().extent) < 2 * windowsTogether || !allMadeInPlace(windows))
      return linalg::GenericOp();
    together = std::clamp<int64_t>(mostSums / woven(), 1, windowsTogether);
    return windows;
  }
  // A loop that has no part in choosing, as that over channels, goes inside.
  auto found =
      llvm::find_if(llvm::reverse(loops), [&](const MergedLoop &loop) { return !sources->choosing.test(loop.loop); });
  auto *along = found == loops.rend() ? loops.end() : std::prev(found.base());
  linalg::GenericOp sum = woven() == 1 && along != loops.end() ? chosenSum(k.body) : linalg::GenericOp();
  if (!sum || !allMadeInPlace(sum))
    return linalg::GenericOp();
  together = std::clamp<int64_t>(typicalSize(along->extent) / 2, 1, windowsTogether);
  std::rotate(along, along + 1, loops.end());
  return sum;
}

bool PieceEmitter::sumsWindows() const {
  linalg::GenericOp op = windowReduction(k.body);
  if (!op || alongSums || woven() != 1 || !lane.extent.isStatic() || lane.extent.value() < 2)
    return false;
  Extent points = product(k.storage.extents.loopsOf(op));
  return typicalSize(points) >= fewestTaps * typicalSize(k.storage.extents.elementsOf(op->getResult(0)));
}

bool PieceEmitter::reducesShortRow() const {
  return woven() == 1 && !alongSums && lane.extent.isStatic() && lane.extent.value() > 1 &&
         (onlyReduction(k) || chosenSum(k.body));
}

int64_t PieceEmitter::widthOfRow() const {
  return std::max<int64_t>(llvm::PowerOf2Ceil(lane.extent.value()), narrowestVector);
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
    auto planes = [&](const Form &from, int64_t count) {
      k.vectors(lane.extent, 1, [&](Form form) { windowsAt(op, along.loop, from, count, form); });
    };
    auto whole = [&] { planes(first, together); };
    Extent full = floorDiv(along.extent, together), rest = along.extent - full * together;
    if (rest.is(0))
      return whole();
    Value isFull = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, block, k.index(full));
    auto choice = scf::IfOp::create(k.b, k.loc, isFull, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(choice.thenBlock());
    whole();
    k.b.setInsertionPointToStart(choice.elseBlock());
    k.loop(k.index(full * together), k.index(along.extent), 1,
           [&](Value place) { planes(Form::ofSlot(k.demand.addSlot(place)), 1); });
  });
}

void PieceEmitter::windowsAt(linalg::GenericOp op, unsigned loop, const Form &first, int64_t count, const Form &lanes) {
  if (loop != lane.loop)
    point[lane.loop] = lanes;
  std::vector<Position> positions;
  for (int64_t n = 0; n < count; ++n) {
    point[loop] = first + Form(n);
    llvm::append_range(positions, partsOfPoint());
  }
  sumsAt(op, positions);
}
