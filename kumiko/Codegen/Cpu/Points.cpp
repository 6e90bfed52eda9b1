//===- Points.cpp - each element of a result on its own --------------------===//
//
// The plainest template: loops over the points of a result, lanes along its innermost dimension, everything else on
// demand. Elementwise chains, transposes, pads, concatenations, pooling windows and depthwise convolutions (whose small
// windows become straight-line code) all come out of it. What is read across memory is read in blocks (Blocks.h).
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Cells.h"
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "kumiko/Codegen/Cpu/PointsFar.h"
#include "kumiko/Schedule/FarReads.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Vectors per turn: bodies that need many registers get one.
constexpr int64_t mostVectors = 4;
static bool isFunction(Operation &op) { return op.getDialect()->getNamespace() == "math" || isa<arith::RemFOp>(op); }
static int64_t unrollOf(Block &body) {
  int64_t weight = 0;
  for (auto op : body.getOps<linalg::GenericOp>())
    for (Operation &inner : op.getBody()->without_terminator())
      weight += isFunction(inner) ? 8 : 1;
  return weight < 6 ? mostVectors : weight < 12 ? 2 : 1;
}

bool kumiko::cpu::hasFunctions(Block &body) {
  return llvm::any_of(body.getOps<linalg::GenericOp>(), [](linalg::GenericOp op) {
    return llvm::any_of(*op.getBody(), [](Operation &inner) { return isFunction(inner); });
  });
}

/// Whether lanes along `loop` read several elements of a cache line each, at places that the body computes, and their
/// lines would drive each other out of the first-level cache before the next element.
static bool shareSet(Kernel &k, unsigned loop) {
  return llvm::any_of(k.body.getOps<linalg::GenericOp>(), [&](linalg::GenericOp op) {
    return op.getNumReductionLoops() != 0 &&
           llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), [&](tensor::ExtractOp extract) {
             int64_t element = llvm::divideCeil(extract.getType().getIntOrFloatBitWidth(), 8);
             Extent bytes = apartAlong(extract, loop, k.storage.extents) * element;
             return bytes.isStatic() && bytes.value() != 0 && bytes.value() % setBytes == 0;
           });
  });
}

/// Rows of at most this many elements are written one by one: most of a vector would be empty.
constexpr int64_t shortestRow = 4;
/// Shorter runs of rows are not worth a loop of their own.
constexpr int64_t fewestInARun = 8;
/// Where functions are computed, rows of at most so many elements are worked on many at a time.
constexpr int64_t longestWovenRow = 8;
/// Lanes that choose at a time from rows that the second cache does not hold.
constexpr int64_t lanesFromBeyond = 8;
void PieceEmitter::emit() {
  unsigned rank = targets.front().piece->rank();
  Reads reads(rank, k.storage);
  Position position;
  SmallVector<unsigned> all;
  for (unsigned d = 0; d < rank; ++d) {
    position.push_back(Form::ofSlot(d));
    all.push_back(d);
  }
  for (const Target &target : targets)
    reads.collect(target.piece->source, position);
  sources.emplace(reads);
  for (const Target &target : targets)
    reads.forms.push_back(offsetOf(*target.piece, position));
  loops = mergeLoops(reads, all, k.storage.extents.of(targets.front().piece->source));
  point.assign(rank, Form());
  if (loops.empty())
    return emitOne();
  lane = loops.pop_back_val();
  if (std::optional<size_t> place = lineLoop()) {
    line = loops[*place];
    loops.erase(loops.begin() + *place);
    if (!interleaves()) {
      takeShortLanes();
      return parts ? k.demand.narrow(sideOfBlocks(), [&] { emitBlocks(); }) : emitBlocks();
    }
    parts = lane;
    lane = line;
  } else if (takePairs()) {
    return emitBlocks();
  } else if (laysRowsSideBySide()) {
    parts = lane;
    lane = loops.pop_back_val();
  } else {
    takePlanes();
  }
  takeFewPerGroup();
  takePhases();
  takeShortRows();
  takeShortPlanes();
  if (linalg::GenericOp sums = shortSums(); sums && allMadeInPlace(sums))
    alongSums = sums;
  lanesChoose = sources->choosing.test(lane.loop);
  findCuts();
  findTurn();
  Extent outer = 1;
  for (const MergedLoop &loop : loops)
    outer *= loop.extent;
  bool isShortRow = sumsWindows() || (phases != 1 && !joinsParts) || reducesShortRow();
  bool isNarrow = shareSet(k, lane.loop) || outgrowsCache();
  auto [usual, between] = paceOfMoves(isNarrow ? narrowestVector : k.demand.lanes);
  pause = between;
  if (canHoldRow() && comesFromBeyond())
    usual = std::min<int64_t>(usual, lanesFromBeyond);
  // What an instruction that gathers takes for as many lanes as there are it takes for one.
  llvm::SaveAndRestore gathers(k.demand.gathers);
  if (isShortRow && lane.extent.value() <= narrowestVector)
    k.demand.gathers = false;
  if (int64_t width = isShortRow ? widthOfRow() : usual; width < k.demand.lanes)
    return k.demand.narrow(width, [&] { emitLoops(outer); });
  emitLoops(outer);
}

void PieceEmitter::emitLoops(const Extent &outer) {
  auto pastCaches = [&](llvm::function_ref<void()> emit) {
    k.pastCaches(llvm::map_to_vector(targets, [](const Target &target) { return target.memref; }), emit);
  };
  if (linalg::GenericOp windows = readsOneByOne() ? linalg::GenericOp() : reducedTogether())
    emitWindows(windows);
  else if (linalg::GenericOp sums = longSum(k, *sources, lane);
           sums && woven() == 1 && rowPhases.empty() && allMadeInPlace(sums))
    emitSums(k, sums, loops, lane, point, [&] { storeAll(); });
  else if (storesLines())
    emitLines();
  else if (isStream())
    pastCaches([&] { emitShares(outer); });
  else if (hasLongRows(outer))
    pastCaches([&] {
      longRows = std::exchange(k.demand.pastCaches, false);
      emitShares(outer);
      longRows = false;
    });
  else
    emitShares(outer);
}

void PieceEmitter::emitShares(const Extent &outer) {
  bool byRows = alongSums || stretch != 0 || leftOver != 0 || !rowPhases.empty() || (turn && turn->between);
  if (!byRows && k.schedule.strip >= int64_t(k.demand.lanes) && lanesChoose && woven() == 1 && laneCuts.empty() &&
      !turn)
    emitStrips(outer);
  else if (!byRows && typicalSize(outer) < typicalSize(k.schedule.chunks))
    emitByLanes(outer);
  else if (std::optional<MergedLoop> places = loopOfPlaces(outer))
    lookAtPlaces(*places, [&] { emitByOuter(outer); });
  else
    emitByOuter(outer);
}

Position PieceEmitter::loopNumbers() const {
  Position position;
  for (unsigned d = 0; d < targets.front().piece->rank(); ++d)
    position.push_back(Form::ofSlot(d));
  return position;
}

void PieceEmitter::askForResults() {
  for (const Target &target : targets)
    if (Form offset = offsetOf(*target.piece, point); offset.lane.is(1) && k.demand.active.is(k.demand.lanes))
      k.askAhead(target.memref, offset.atLane(0), k.demand.lanes);
}

void PieceEmitter::element(Form form) {
  point[lane.loop] = form;
  k.pause(pause);
  if (woven() > 1)
    return storeInterleaved();
  if (planes) {
    for (int64_t n = 0; n < planes->extent.value(); ++n) {
      point[planes->loop] = Form(n);
      askForResults();
    }
    return storePlanes();
  }
  if (!movesElements() || readsTogether() || !k.demand.active.is(k.demand.lanes)) {
    // Row by row it makes no difference, or takes longer.
    if (loops.empty() && asksForResults())
      askForResults();
    return storeAll();
  }
  fetchNextRow(form);
  k.demand.lookAhead([&] { lookAtAll(); }, [&] { moveLanes(form); }, [&] { storeAll(); }, lookOf());
}

bool PieceEmitter::laysRowsSideBySide() {
  bool reduces = llvm::any_of(k.body.getOps<linalg::GenericOp>(),
                              [](linalg::GenericOp op) { return op.getNumReductionLoops() != 0; });
  bool functions = hasFunctions(k.body);
  int64_t longest = functions ? longestWovenRow : shortestRow;
  // The elements of a row are known by their number, whatever that is used for but to choose what is read.
  if (reduces || loops.empty() || !lane.extent.isStatic() || lane.extent.value() > longest ||
      (sources->opaque.test(lane.loop) && !sources->bodies.empty()) || sources->opaque.test(loops.back().loop))
    return false;
  int64_t fewest = functions ? shortestRow : std::max<int64_t>(k.demand.lanes / 4, shortestRow);
  auto isNear = [&](const Form &form) {
    Extent apart = form.coefficientOf(loops.back().loop);
    return apart.isStatic() && std::abs(apart.value()) <= longest;
  };
  line = loops.back();
  return typicalSize(line.extent) >= fewest && llvm::all_of(sources->forms, isNear) && interleaves();
}

bool PieceEmitter::interleaves() const {
  if (!lane.extent.isStatic() || 2 * lane.extent.value() > int64_t(k.demand.lanes))
    return false;
  Position position = loopNumbers();
  return llvm::all_of(targets, [&](const Target &target) {
    Form offset = offsetOf(*target.piece, position);
    return offset.coefficientOf(lane.loop).is(1) && offset.coefficientOf(line.loop) == lane.extent;
  });
}

bool PieceEmitter::isShort() const {
  return lane.extent.isStatic() && lane.extent.value() <= shortestRow && !hasFunctions(k.body);
}

void PieceEmitter::storeAll() {
  // A reduction has all of its results at once.
  if (linalg::GenericOp op = onlyReduction(k);
      op && targets.size() > 1 && op.getNumResults() > 1 && woven() == 1 && !joinsParts && allMadeInPlace(op))
    return sumsAt(op, point);
  llvm::SmallDenseMap<Value, Value> values;
  for (const Target &target : targets)
    if (!values.contains(target.piece->source))
      values[target.piece->source] = k.demand.at(target.piece->source, point);
  for (const Target &target : targets)
    k.demand.store(values[target.piece->source], target.memref, offsetOf(*target.piece, point));
}

void PieceEmitter::emitOne() {
  k.onlyFirstChunk([&] { storeAll(); });
}

void PieceEmitter::emitByOuter(const Extent &outer) {
  // Numbers of loops are divided out of one; where there is enough else to share, the last loop has its own.
  SmallVector<MergedLoop> shared = loops;
  MergedLoop inner{};
  bool nested = false;
  if (loops.size() > 1 && loops.back().extent.isStatic() && loops.back().extent.value() > 0)
    nested = typicalSize(floorDiv(outer, loops.back().extent)) >= typicalSize(k.schedule.chunks);
  if (nested)
    inner = shared.pop_back_val();
  auto [low, high] = k.chunkRange(nested ? floorDiv(outer, inner.extent) : outer);
  SmallVector<RowEnds> ends = takeRowEnds();
  auto whole = [&] {
    rowsOfGroup([&] {
      bySides([&] { row(); });
      fill(ends);
    });
  };
  if (shared.size() == 1 && !nested)
    return rows(shared.front(), low, high, whole);
  bool isLong = loops.size() > 1 && loops.back().extent.isStatic() && loops.back().extent.value() >= fewestInARun;
  bool isTurned = loops.size() > 1 && turn && turn->loop == loops.back().loop;
  if (!nested && (isLong || isTurned))
    return emitRuns(low, high, whole);
  k.loop(low, high, 1, [&](Value number) {
    k.delinearize(number, shared, point);
    if (!nested)
      return whole();
    rows(inner, k.index(0), k.index(inner.extent), whole);
  });
}

void PieceEmitter::emitRuns(Value low, Value high, llvm::function_ref<void()> whole) {
  const MergedLoop &inner = loops.back();
  k.runs(low, high, inner.extent, [&](Value number, Value from, Value to) {
    k.delinearize(number, ArrayRef(loops).drop_back(), point);
    rows(inner, from, to, whole);
  });
}

SmallVector<RowEnds> PieceEmitter::takeRowEnds() {
  SmallVector<RowEnds> ends;
  for (const Target &target : targets) {
    ArrayRef<Extent> rows = k.storage.extents.of(target.piece->source);
    for (Border &border : *target.borders) {
      if (border.strides != target.piece->strides || ArrayRef(border.extent) != rows || lane.loop + 1 != rows.size() ||
          lane.extent != rows.back())
        continue;
      Extent before = border.low.back(), after = border.shape.back() - rows.back() - before;
      int64_t most = k.schedule.lanes / 2; // whatever vectors are narrowed to
      if (!before.isStatic() || !after.isStatic() || before.value() > most || after.value() > most)
        continue;
      ends.push_back({&target, k.demand.scalarOutside(border.value), before.value(), after.value()});
      border.doneDimensions = 1;
    }
  }
  return ends;
}

void PieceEmitter::fill(ArrayRef<RowEnds> ends) {
  for (const RowEnds &row : ends) {
    auto at = [&](const Extent &place) {
      point[lane.loop] = Form(place);
      k.demand.store(row.value, row.target->memref, offsetOf(*row.target->piece, point));
    };
    for (int64_t n = 0; n < row.before; ++n)
      at(n - row.before);
    for (int64_t n = 0; n < row.after; ++n)
      at(lane.extent + n);
  }
}

void PieceEmitter::row() {
  if (woven() > 1)
    return partsOfRow();
  if (!laneCuts.empty() || longRows)
    return cutRow();
  if (stretch != 0)
    return equalStretches();
  if (turn && turn->loop == lane.loop)
    return turnedLanes(k.index(0), k.index(lane.extent));
  if (turn && turn->between && turn->between->loop == lane.loop && (turn->together || k.demand.gathers))
    return turn->together ? storeAll() : gatheredRow();
  if (gathersShortRows())
    return shortRow();
  if (movesElements() && !readsTogether() && !readsOneByOne() && lane.extent.isStatic() &&
      lane.extent.value() > k.demand.lanes)
    return movedRow();
  if (choicesOfRow() || restApart())
    return;
  if (splitsRow())
    return narrowPieces(0);
  if (!isShort() || sumsWindows())
    return k.vectors(lane.extent, movesElements() || readsOneByOne() ? 1 : unrollOf(k.body),
                     [&](Form form) { element(form); });
  if (alongSums)
    return windowsAt(alongSums, lane.loop, Form(0), lane.extent.value(), Form(0));
  for (int64_t n = 0; n < lane.extent.value(); ++n)
    element(Form(n));
}

bool PieceEmitter::splitsRow() const {
  return k.schedule.wideCore && !isShort() && lane.extent.isStatic() && lane.extent.value() < k.demand.lanes &&
         !alongSums && !hasFunctions(k.body) && readsOnce(k.body);
}

void PieceEmitter::narrowPieces(int64_t first) {
  for (int64_t width = 0, length = lane.extent.value(); first < length; first += width) {
    width = llvm::bit_floor(uint64_t(length - first));
    Form form(first);
    if (width == 1)
      return element(form);
    form.lane = 1;
    k.demand.narrow(width, [&] { element(form); });
  }
}

void PieceEmitter::partsOfRow() {
  k.vectors(lane.extent, groupSums || phases != 1 ? 1 : unrollOf(k.body), [&](Form form) { element(form); });
  for (int64_t n = 0; n < leftOver; ++n) {
    point[lane.loop] = Form(phases * lane.extent.value() + n);
    storeAll();
  }
}

bool PieceEmitter::readsForAllRows() const {
  return llvm::any_of(sources->forms, [&](const Form &form) {
    return !form.coefficientOf(lane.loop).is(0) &&
           llvm::all_of(loops, [&](const MergedLoop &loop) { return form.coefficientOf(loop.loop).is(0); });
  });
}

void PieceEmitter::emitByLanes(const Extent &outer) {
  bool isTurned = turn && turn->loop == lane.loop, isCut = !laneCuts.empty() || isTurned || longRows;
  // Rows of which data choose elements stay in the caches while they are worked on, one after the other.
  if (!isCut && !lanesChoose && readsForAllRows())
    return emitSharesOfRows(outer);
  Extent length = isCut ? lane.extent : ceilDiv(lane.extent, k.demand.lanes);
  auto [low, high] = k.chunkRange(outer * length);
  k.runs(low, high, length, [&](Value number, Value from, Value to) {
    k.delinearize(number, loops, point);
    if (isTurned)
      return turnedLanes(from, to);
    bySides([&] {
      if (!isCut)
        return k.someVectors(lane.extent, from, to, [&](Form form) { element(form); });
      for (Part part : partsOf(laneCuts, lane))
        longRows &&isLong(part) ? longPart(part, from, to) : sharedPart(part, from, to);
    });
  });
}

void PieceEmitter::emitSharesOfRows(const Extent &outer) {
  std::pair<Value, Value> share = k.chunkRange(floorDiv(lane.extent, k.demand.lanes));
  k.loop(k.index(0), k.index(outer), 1, [&](Value number) {
    k.delinearize(number, loops, point);
    bySides([&] { k.sharedVectors(lane.extent, share, [&](Form form) { element(form); }); });
  });
}

void PieceEmitter::emitStrips(const Extent &outer) {
  int64_t width = k.schedule.strip / k.demand.lanes;
  Extent vectors = ceilDiv(lane.extent, k.demand.lanes);
  auto [low, high] = k.chunkRange(ceilDiv(vectors, width) * outer);
  k.runs(low, high, outer, [&](Value strip, Value from, Value to) {
    Value first = arith::MulIOp::create(k.b, k.loc, strip, k.index(width));
    Value past = arith::AddIOp::create(k.b, k.loc, first, k.index(width));
    Value end = arith::MinSIOp::create(k.b, k.loc, past, k.index(vectors));
    k.loop(from, to, 1, [&](Value number) {
      k.delinearize(number, loops, point);
      bySides([&] { k.someVectors(lane.extent, first, end, [&](Form form) { element(form); }); });
    });
  });
}

void kumiko::cpu::emitPoints(Kernel &k) {
  k.demand.gathers = k.schedule.gathers;
  std::vector<SmallVector<Target>> groups;
  auto fits = [&](ArrayRef<Target> group, const Piece &piece) {
    Extents shape(k.storage.extents.of(piece.source)), other(k.storage.extents.of(group.front().piece->source));
    return shape == other;
  };
  for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs)) {
    if (emitCells(k, output, memref))
      continue;
    for (const Piece &piece : output.pieces) {
      std::vector<Border> *borders = &output.borders;
      auto group = llvm::find_if(groups, [&, &piece = piece](const auto &each) { return fits(each, piece); });
      if (group == groups.end() || output.pieces.size() > 1)
        group = groups.insert(groups.end(), SmallVector<Target>());
      group->push_back({&piece, memref, borders});
    }
  }
  nearOrFar(k, [&] {
    for (ArrayRef<Target> group : groups)
      PieceEmitter(k, group).emit();
  });
  k.fillBorders();
}
