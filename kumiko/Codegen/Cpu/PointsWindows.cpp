//===- PointsWindows.cpp - windows that overlap, and short sums --------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Windows that are reduced together, and planes that are sampled together: places are read once for all of them. Where
/// points lie far from each other larger planes push each other out of the nearest cache; these are taken one by one.
constexpr int64_t windowsTogether = 4, planesTogether = 4, fewPlanes = 2, largestPlanes = 16 << 10;
/// Lanes of a vector are far from each other when they are spread over more than this part of a plane. A look is worth
/// it for so many vectors.
constexpr int64_t partOfPlane = 4, fewestVectors = 4;
/// Where each of those lanes is a load by itself, so many are sooner put together than more.
constexpr unsigned lanesLoaded = 4;
/// The same where places are numbers that are rounded first, which takes longer than to wait for a cache.
constexpr int64_t computedTogether = 16;
/// Sums at a time; windows of which each has several are fewer.
constexpr int64_t mostSums = 8;
/// Vectors of a row in which each lane chooses the best of many: a step of one waits long for that before.
constexpr int64_t choicesTogether = 2;
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

/// How many bytes and elements data choose from, at one point of the loops; 0 where that is not known.
static std::pair<int64_t, int64_t> planeOf(linalg::GenericOp op, KernelExtents &extents) {
  std::pair<int64_t, int64_t> largest;
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
    Extent elements = 1;
    for (auto [index, extent] : llvm::zip_equal(extract.getIndices(), extents.of(extract.getTensor())))
      elements *= index.getDefiningOp<linalg::IndexOp>() ? Extent(1) : extent;
    if (!elements.isStatic())
      return {};
    int64_t count = elements.value();
    largest = std::max(largest, {count * extract.getType().getIntOrFloatBitWidth() / 8, count});
  }
  return largest;
}

/// Whether places that `op` reads at are made of numbers that were rounded, in its body or in one before.
static bool roundsPlaces(linalg::GenericOp op) {
  llvm::SetVector<Value> needed;
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
    needed.insert(extract.getIndices().begin(), extract.getIndices().end());
  for (size_t next = 0; next < needed.size(); ++next) {
    Value value = needed[next];
    auto argument = dyn_cast<BlockArgument>(value);
    auto reader = argument ? dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp()) : linalg::GenericOp();
    if (reader)
      value = reader->getOperand(argument.getArgNumber());
    Operation *maker = value.getDefiningOp();
    if (isa_and_nonnull<arith::FPToSIOp>(maker))
      return true;
    if (auto body = dyn_cast_or_null<linalg::GenericOp>(maker))
      maker = body.getBody()->getTerminator();
    if (maker && isa<linalg::LinalgDialect, arith::ArithDialect, math::MathDialect>(maker->getDialect()))
      needed.insert(maker->operand_begin(), maker->operand_end());
  }
  return false;
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
  // A loop that has no part in choosing, as that over channels, goes inside; of several the one whose points lie
  // closest, which is faster by a seventh where rows are resized.
  auto found =
      llvm::find_if(llvm::reverse(loops), [&](const MergedLoop &loop) { return !sources->choosing.test(loop.loop); });
  auto *along = found == loops.rend() ? loops.end() : std::prev(found.base());
  linalg::GenericOp sum = woven() == 1 && along != loops.end() ? chosenSum(k.body) : linalg::GenericOp();
  if (!sum || !allMadeInPlace(sum))
    return linalg::GenericOp();
  bool looks = canLookAtPlaces(sum);
  int64_t most = roundsPlaces(sum) ? computedTogether : looks ? planesTogether : fewPlanes;
  together = std::clamp<int64_t>(typicalSize(along->extent) / 2, 1, most);
  auto [bytes, elements] = planeOf(sum, k.storage.extents);
  if (looks && together > 1 && bytes * together > largestPlanes)
    nearPlaces = std::max<int64_t>(elements / partOfPlane, 1);
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

bool PieceEmitter::canLookAtPlaces(linalg::GenericOp op) {
  auto isSome = [](const Extent &extent) { return extent.isStatic() && extent.value() > 0; };
  return placeRead(op) && planeOf(op, k.storage.extents).second != 0 && lane.extent.isStatic() &&
         lane.extent.value() >= fewestVectors * int64_t(k.demand.lanes) &&
         llvm::all_of(k.storage.extents.loopsOf(op), isSome);
}

Value PieceEmitter::placesLieNear(linalg::GenericOp op) {
  Position position = point;
  position[lane.loop] = Form((lane.extent.value() - k.demand.lanes) / 2);
  position[lane.loop].lane = 1;
  Value places = k.demand.spread(k.demand.bodyValue(op, loopsAt(op, 0, position), placeRead(op)));
  Value lowest = vector::ReductionOp::create(k.b, k.loc, vector::CombiningKind::MINSI, places);
  Value highest = vector::ReductionOp::create(k.b, k.loc, vector::CombiningKind::MAXSI, places);
  Value span = arith::SubIOp::create(k.b, k.loc, highest, lowest);
  return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, span, k.index(nearPlaces));
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
    auto whole = [&] {
      if (nearPlaces == 0)
        return planes(first, together);
      point[along.loop] = first;
      auto choice = scf::IfOp::create(k.b, k.loc, placesLieNear(op), /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(k.b);
      k.b.setInsertionPointToStart(choice.thenBlock());
      planes(first, together);
      k.b.setInsertionPointToStart(choice.elseBlock());
      auto oneByOne = [&] {
        k.loop(k.index(0), k.index(together), 1,
               [&](Value number) { planes(first + Form::ofSlot(k.demand.addSlot(number)), 1); });
      };
      if (k.demand.gathers)
        return oneByOne();
      k.demand.narrow(std::min(k.demand.lanes, lanesLoaded), oneByOne);
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
    k.loop(k.index(full * together), k.index(along.extent), 1,
           [&](Value place) { planes(Form::ofSlot(k.demand.addSlot(place)), 1); });
  });
}

bool PieceEmitter::choicesOfRow() {
  linalg::GenericOp op = onlyReduction(k);
  int64_t lanes = k.demand.lanes, group = choicesTogether * lanes;
  if (!op || op.getNumResults() == 1 || !lane.extent.isStatic() || lane.extent.value() < group || woven() != 1 ||
      !allMadeInPlace(op))
    return false;
  int64_t full = lane.extent.value() / group * group;
  k.loop(k.index(0), k.index(full), group, [&](Value first) {
    Form start = Form::ofSlot(k.demand.addSlot(first, lanes, IndexRange::ofLoop(0, full)));
    start.lane = 1;
    std::vector<Position> positions;
    for (int64_t n = 0; n < choicesTogether; ++n) {
      point[lane.loop] = start + Form(n * lanes);
      positions.push_back(point);
    }
    sumsAt(op, positions);
  });
  k.someVectors(lane.extent, k.index(full / lanes), k.index(ceilDiv(lane.extent, lanes)),
                [&](Form form) { element(form); });
  return true;
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
