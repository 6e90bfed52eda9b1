//===- PointsWindows.cpp - windows that overlap, and short sums --------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

/// Windows that are reduced together, and planes that are sampled together: places are taken out of vectors once for
/// both. Two larger planes would not stay in the second-level cache, where points may lie far from each other.
constexpr int64_t windowsTogether = 4, planesTogether = 2, largestPlane = 128 << 10;
/// The same where places are computed, which takes longer than to wait for a cache.
constexpr int64_t computedTogether = 16;
/// Sums at a time; windows of which each has several are fewer.
constexpr int64_t mostSums = 8;
/// Elements of a window from which on a vector of them is worth it, however few windows it is for.
constexpr int64_t fewestTaps = 4;
/// Lanes of the narrowest vectors of them.
constexpr int64_t narrowestVector = 4;

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

/// How many bytes data choose from, at one point of the loops; 0 where that is not known.
static int64_t planeBytes(linalg::GenericOp op, KernelExtents &extents) {
  int64_t bytes = 0;
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
    Extent elements = 1;
    for (auto [index, extent] : llvm::zip_equal(extract.getIndices(), extents.of(extract.getTensor())))
      elements *= index.getDefiningOp<linalg::IndexOp>() ? Extent(1) : extent;
    if (!elements.isStatic())
      return 0;
    bytes = std::max<int64_t>(bytes, elements.value() * extract.getType().getIntOrFloatBitWidth() / 8);
  }
  return bytes;
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
  if (loops.empty() || alongSums || !rowPhases.empty())
    return linalg::GenericOp();
  if (linalg::GenericOp windows = windowReduction(k.body)) {
    if (typicalSize(loops.back().extent) < 2 * windowsTogether || !allMadeInPlace(windows, joinsParts))
      return linalg::GenericOp();
    together = std::clamp<int64_t>(mostSums / woven(), 1, windowsTogether);
    return windows;
  }
  // A loop that has no part in choosing, as that over channels, goes inside.
  auto *along = llvm::find_if(loops, [&](const MergedLoop &loop) { return !sources->choosing.test(loop.loop); });
  linalg::GenericOp sum = woven() == 1 && along != loops.end() ? chosenSum(k.body) : linalg::GenericOp();
  if (!sum || !allMadeInPlace(sum))
    return linalg::GenericOp();
  int64_t most = computedTogether;
  if (readsPlaces(sum))
    most = planeBytes(sum, k.storage.extents) <= largestPlane ? planesTogether : 1;
  together = std::clamp<int64_t>(typicalSize(along->extent) / 2, 1, most);
  std::rotate(along, along + 1, loops.end());
  return sum;
}

bool PieceEmitter::sumsWindows() const {
  linalg::GenericOp op = windowReduction(k.body);
  if (!op || alongSums || woven() != 1 || !lane.extent.isStatic() || lane.extent.value() < 2)
    return false;
  Extent points = eq::product(k.storage.extents.loopsOf(op));
  return typicalSize(points) >= fewestTaps * typicalSize(k.storage.extents.elementsOf(op->getResult(0)));
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
    llvm::append_range(positions, partsOfPoint());
  }
  sumsAt(op, positions);
}
