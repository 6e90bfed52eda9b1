//===- PointsStream.cpp - long results, and those that go past the caches ---===//
//
// A result that leaves the last cache before anyone reads it again is stored past the caches, which saves reading what
// is overwritten (Schedule's past_caches). Memory gets whole cache lines: where one of them is written in part past the
// caches and in part not, or at two different times, that costs as much as several. So either everything that lies side
// by side goes past the caches, or rows are long and the first and last line of each do not.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Where in memory the target has the element at `point`.
static Value addressAt(Kernel &k, const Target &target, ArrayRef<Form> point) {
  Value offset = k.demand.indexOf(offsetOf(*target.piece, point));
  Value bytes = arith::MulIOp::create(k.b, k.loc, offset, k.index(bytesOf(target)));
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(k.b, k.loc, target.memref);
  return arith::AddIOp::create(k.b, k.loc, start, bytes);
}

/// Bytes whose first and last cache line do not count.
constexpr int64_t longStretch = 4096;

/// How many elements of a result are written one behind the other before the next ones lie elsewhere, of which
/// `stretch` by the lanes.
static Extent stretchOf(const Form &offset, Extent stretch, ArrayRef<MergedLoop> loops) {
  for (const MergedLoop &loop : llvm::reverse(loops)) {
    if (offset.coefficientOf(loop.loop) != stretch)
      break;
    stretch *= loop.extent;
  }
  return stretch;
}

bool PieceEmitter::writesVectors() const {
  return woven() == 1 && stretch == 0 && !alongSums && !movesElements() && !gathersShortRows() && !isShort();
}

bool PieceEmitter::storesLines() const {
  // By measurement, on a machine whose stores leave in order: a tenth of the time where functions are computed, if only
  // for some elements. What is simpler loses as much by one vector a turn.
  constexpr int64_t fewestBytes = 1 << 19;
  if (!k.schedule.storesInOrder || k.schedule.pastCaches || !k.schedule.inPlace.empty() || !loops.empty() ||
      !hasFunctions(k.body) || !writesVectors() || !laneCuts.empty() || turn || !lane.extent.isStatic())
    return false;
  Position position = loopNumbers();
  return llvm::all_of(targets, [&](const Target &target) {
    return target.borders->empty() && offsetOf(*target.piece, position).coefficientOf(lane.loop).is(1) &&
           lane.extent.value() * bytesOf(target) >= fewestBytes;
  });
}

/// The first vector begins where the chunk does, the second one where a line does, and the last one ends where the
/// chunk does: what two of them have in common is computed twice.
void PieceEmitter::emitLines() {
  const Target &target = targets.front();
  int64_t lanes = k.demand.lanes, bytes = bytesOf(target), count = lane.extent.value();
  auto [low, high] = k.chunkRange(count / lanes);
  Value start = arith::MulIOp::create(k.b, k.loc, low, k.index(lanes));
  Value isLast = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, high, k.index(count / lanes));
  Value end = arith::SelectOp::create(k.b, k.loc, isLast, k.index(count),
                                      arith::MulIOp::create(k.b, k.loc, high, k.index(lanes)));
  point[lane.loop] = Form::ofSlot(k.demand.addSlot(start));
  Value behind = arith::AndIOp::create(k.b, k.loc, addressAt(k, target, point), k.index(lineBytes - 1));
  Value line = arith::SubIOp::create(k.b, k.loc, start, arith::DivUIOp::create(k.b, k.loc, behind, k.index(bytes)));
  Value last = arith::SubIOp::create(k.b, k.loc, end, k.index(lanes));
  auto vectors = [&] {
    k.loop(line, end, lanes, [&](Value number) {
      Value place = arith::MinSIOp::create(k.b, k.loc, arith::MaxSIOp::create(k.b, k.loc, number, start), last);
      Form form = Form::ofSlot(k.demand.addSlot(place, 1, IndexRange::ofLoop(0, count - lanes + 1)));
      form.lane = 1;
      element(form);
    });
  };
  k.onlyIf(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, low, high), vectors);
}

/// Whether something is computed that takes longer than its operands take to come.
static bool computesMuch(Block &body) {
  auto isMuch = [](Operation &op) {
    return isa<math::MathDialect>(op.getDialect()) &&
           !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::RoundEvenOp, math::TruncOp>(op);
  };
  return llvm::any_of(body.getOps<linalg::GenericOp>(), [&](linalg::GenericOp op) {
    return llvm::any_of(*op.getBody(), [&](Operation &inner) { return isMuch(inner) || isa<arith::RemFOp>(inner); });
  });
}

bool PieceEmitter::outgrowsCache() const {
  // By measurement: with what is read for it, as much again, the second cache does not hold it.
  constexpr int64_t fewestBytes = secondCacheBytes * 5 / 8, bytesOfWide = 8;
  if (!k.schedule.storesInOrder || k.schedule.pastCaches || !writesVectors() || !laneCuts.empty() || turn ||
      !readsOnce(k.body) || computesMuch(k.body))
    return false;
  Extent count = lane.extent;
  for (const MergedLoop &loop : loops)
    count *= loop.extent;
  auto isAlong = [&](const Form &form) {
    return form.coefficientOf(lane.loop).is(0) || form.coefficientOf(lane.loop).is(1);
  };
  auto isRead = [&](const Form &form) { return form.coefficientOf(lane.loop).is(1); };
  // Where two such streams are read, or bytes, or nothing at all, it is the other way round.
  auto isWhole = [&](const Form &form) {
    return isRead(form) &&
           llvm::none_of(loops, [&](const MergedLoop &loop) { return form.coefficientOf(loop.loop).is(0); });
  };
  auto isWord = [](Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= 32; };
  auto isWide = [&](const Target &target) { return bytesOf(target) == bytesOfWide; };
  return count.isStatic() && count.value() * bytesOfWide >= fewestBytes && llvm::all_of(sources->forms, isAlong) &&
         llvm::any_of(sources->forms, isRead) && llvm::count_if(sources->forms, isWhole) <= 1 &&
         llvm::all_of(targets, isWide) && llvm::all_of(k.body.getArgumentTypes(), isWord);
}

bool PieceEmitter::isStream() const {
  bool weaves = parts && phases == 1 && !groupSums && !alongSums && rowPhases.empty() && !movesElements();
  if ((!weaves && !writesVectors()) || !laneCuts.empty())
    return false;
  int64_t lanes = k.demand.lanes;
  Extent row = lane.extent * woven();
  Position position = loopNumbers();
  return llvm::all_of(targets, [&](const Target &target) {
    Form offset = offsetOf(*target.piece, position);
    int64_t bytes = bytesOf(target);
    auto whole = [&](const Extent &count) { return count.isStatic() && count.value() * bytes % bytesPastCaches == 0; };
    // A cache line of which a part is written by itself costs as much as several: few of them may be. What is woven has
    // such a part wherever lanes are left over.
    auto isLong = [&](const Extent &count) { return count.isStatic() && count.value() * bytes >= longStretch; };
    bool isWhole = weaves ? lane.extent.isStatic() && lane.extent.value() % lanes == 0 : whole(row);
    return target.borders->empty() && offset.coefficientOf(lane.loop).is(woven()) && whole(offset.constant) &&
           whole(lanes) && (isWhole || isLong(row)) && isLong(stretchOf(offset, row, loops)) &&
           llvm::all_of(loops, [&](const MergedLoop &loop) { return whole(offset.coefficientOf(loop.loop)); });
  });
}

bool PieceEmitter::hasLongRows(const Extent &outer) const {
  bool shared = typicalSize(outer) < typicalSize(k.schedule.chunks);
  if (!writesVectors() || turn || targets.size() != 1 || !lane.extent.isStatic() ||
      (shared && laneCuts.empty() && readsForAllRows()))
    return false;
  const Target &target = targets.front();
  Form offset = offsetOf(*target.piece, loopNumbers());
  return offset.coefficientOf(lane.loop).is(1) &&
         llvm::any_of(partsOf(laneCuts, lane), [&](Part part) { return isLong(part); });
}

bool PieceEmitter::isLong(Part part) const { return (part.end - part.start) * bytesOf(targets.front()) >= longStretch; }

void PieceEmitter::longPart(Part part) { longPart(part, k.index(part.start), k.index(part.end)); }

void PieceEmitter::longPart(Part part, Value low, Value high) {
  const Target &target = targets.front();
  int64_t lanes = k.demand.lanes, bytes = bytesOf(target), line = std::max<int64_t>(lineBytes / bytes, lanes);
  Value start = arith::MaxSIOp::create(k.b, k.loc, low, k.index(part.start));
  Value end = arith::MinSIOp::create(k.b, k.loc, high, k.index(part.end));
  point[lane.loop] = Form::ofSlot(k.demand.addSlot(start));
  Value address = addressAt(k, target, point);
  // Up to the next multiple of a line.
  Value missing =
      arith::AndIOp::create(k.b, k.loc, arith::SubIOp::create(k.b, k.loc, k.index(0), address), k.index(lineBytes - 1));
  Value first = arith::AddIOp::create(k.b, k.loc, arith::DivUIOp::create(k.b, k.loc, missing, k.index(bytes)), start);
  first = arith::MinSIOp::create(k.b, k.loc, first, end);
  Value last = k.endOfGroups(first, end, line);
  auto oneByOne = [&](Value from, Value to) {
    k.loop(from, to, 1,
           [&](Value number) { element(Form::ofSlot(k.demand.addSlot(number, 1, {part.start, part.end - 1}))); });
  };
  oneByOne(start, first);
  k.demand.pastCaches = k.demand.startsEven = true;
  k.loop(first, last, lanes, [&](Value number) {
    Form form = Form::ofSlot(k.demand.addSlot(number, 1, {part.start, part.end - lanes}));
    form.lane = 1;
    element(form);
  });
  k.demand.pastCaches = k.demand.startsEven = false;
  oneByOne(last, end);
}
