//===- Points.cpp - each element of a result on its own --------------------===//
//
// The plainest template: loops over the points of a result, lanes along its innermost dimension, everything else on
// demand. Elementwise chains, transposes, pads, concatenations, pooling windows and depthwise convolutions (whose small
// windows become straight-line code) all come out of it. What is read across memory is read in blocks (Blocks.h).
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "kumiko/Lower/Checked.h"

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

/// Rows of at most this many elements are written one by one: most of a vector would be empty.
constexpr int64_t shortestRow = 4;
/// Shorter runs of rows are not worth a loop of their own.
constexpr int64_t fewestInARun = 8;
/// Where functions are computed, rows of at most so many elements are worked on many at a time.
constexpr int64_t longestWovenRow = 8;
void PieceEmitter::emit() {
  unsigned rank = targets.front().piece->rank();
  Reads reads(rank, k.storage);
  Position position;
  SmallVector<unsigned> all;
  for (unsigned d = 0; d < rank; ++d) {
    position.push_back(Form::ofSlot(d));
    all.push_back(d);
  }
  for (const Written &target : targets)
    reads.collect(target.piece->source, position);
  sources.emplace(reads);
  for (const Written &target : targets)
    reads.forms.push_back(offsetOf(*target.piece, position));
  loops = mergeLoops(reads, all, k.storage.extents.of(targets.front().piece->source));
  point.assign(rank, Form());
  if (loops.empty())
    return emitOne();
  lane = loops.pop_back_val();
  if (std::optional<size_t> place = lineLoop()) {
    line = loops[*place];
    loops.erase(loops.begin() + *place);
    if (!interleaves())
      return emitBlocks();
    parts = lane;
    lane = line;
  } else if (takePairs()) {
    return emitBlocks();
  } else if (laysRowsSideBySide()) {
    parts = lane;
    lane = loops.pop_back_val();
  }
  takeFewPerGroup();
  takePhases();
  if (linalg::GenericOp sums = shortSums(); sums && allMadeInPlace(sums))
    alongSums = sums;
  findCuts();
  Extent outer = 1;
  for (const MergedLoop &loop : loops)
    outer *= loop.extent;
  if (sumsWindows() || phases != 1 || reducesShortRow())
    if (int64_t width = widthOfRow(); width < k.demand.lanes)
      return k.demand.narrow(width, [&] { emitLoops(outer); });
  emitLoops(outer);
}

void PieceEmitter::emitLoops(const Extent &outer) {
  if (linalg::GenericOp windows = reducedTogether())
    emitWindows(windows);
  else if (linalg::GenericOp sums = longSum(k, *sources, lane); sums && woven() == 1 && allMadeInPlace(sums))
    emitSums(k, sums, loops, lane, point, [&] { storeAll(); });
  else
    emitShares(outer);
}

void PieceEmitter::emitShares(const Extent &outer) {
  if (!alongSums && typicalSize(outer) < typicalSize(k.schedule.chunks))
    emitByLanes(outer);
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
  for (const Written &target : targets)
    if (Form offset = offsetOf(*target.piece, point); offset.lane.is(1) && k.demand.active.is(k.demand.lanes))
      k.askAhead(target.memref, offset.atLane(0), k.demand.lanes);
}

void PieceEmitter::element(Form form) {
  point[lane.loop] = form;
  if (woven() > 1)
    return storeInterleaved();
  // Row by row it makes no difference, or takes longer.
  if (loops.empty())
    askForResults();
  storeAll();
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
  return llvm::all_of(targets, [&](const Written &target) {
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
      op && targets.size() > 1 && op.getNumResults() > 1 && woven() == 1 && allMadeInPlace(op))
    return sumsAt(op, point);
  llvm::SmallDenseMap<Value, Value> values;
  for (const Written &target : targets)
    if (!values.contains(target.piece->source))
      values[target.piece->source] = k.demand.at(target.piece->source, point);
  for (const Written &target : targets)
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
    row();
    fill(ends);
  };
  if (shared.size() == 1 && !nested)
    return rows(shared.front(), low, high, whole);
  bool isLong = loops.size() > 1 && loops.back().extent.isStatic() && loops.back().extent.value() >= fewestInARun;
  if (!nested && isLong)
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
  for (const Written &target : targets) {
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
  if (!laneCuts.empty())
    return cutRow();
  if (!isShort() || sumsWindows())
    return k.vectors(lane.extent, unrollOf(k.body), [&](Form form) { element(form); });
  if (alongSums)
    return windowsAt(alongSums, lane.loop, Form(0), lane.extent.value(), Form(0));
  for (int64_t n = 0; n < lane.extent.value(); ++n)
    element(Form(n));
}

void PieceEmitter::partsOfRow() {
  k.vectors(lane.extent, groupSums || phases != 1 ? 1 : unrollOf(k.body), [&](Form form) { element(form); });
}

bool PieceEmitter::readsForAllRows() const {
  return llvm::any_of(sources->forms, [&](const Form &form) {
    return !form.coefficientOf(lane.loop).is(0) &&
           llvm::all_of(loops, [&](const MergedLoop &loop) { return form.coefficientOf(loop.loop).is(0); });
  });
}

void PieceEmitter::emitByLanes(const Extent &outer) {
  bool isCut = !laneCuts.empty();
  if (!isCut && readsForAllRows())
    return emitSharesOfRows(outer);
  Extent length = isCut ? lane.extent : ceilDiv(lane.extent, k.demand.lanes);
  auto [low, high] = k.chunkRange(outer * length);
  k.runs(low, high, length, [&](Value number, Value from, Value to) {
    k.delinearize(number, loops, point);
    if (!isCut)
      return k.someVectors(lane.extent, from, to, [&](Form form) { element(form); });
    for (Part part : partsOf(laneCuts, lane))
      sharedPart(part, from, to);
  });
}

void PieceEmitter::emitSharesOfRows(const Extent &outer) {
  std::pair<Value, Value> share = k.chunkRange(floorDiv(lane.extent, k.demand.lanes));
  k.loop(k.index(0), k.index(outer), 1, [&](Value number) {
    k.delinearize(number, loops, point);
    k.sharedVectors(lane.extent, share, [&](Form form) { element(form); });
  });
}

bool PieceEmitter::checksPlaces() const {
  auto isChecked = [](tensor::ExtractOp op) { return op->hasAttr(checkedAttribute); };
  return llvm::any_of(k.body.getOps<linalg::GenericOp>(), [&](linalg::GenericOp op) {
    return llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), isChecked);
  });
}

void PieceEmitter::rows(const MergedLoop &along, Value low, Value high, llvm::function_ref<void()> whole) {
  k.loop(low, high, 1, [&](Value number) {
    point[along.loop] = Form::ofSlot(k.demand.addSlot(number, 1, IndexRange::ofLoop(0, along.extent)));
    whole();
  });
}

void kumiko::cpu::emitPoints(Kernel &k) {
  std::vector<SmallVector<Written>> groups;
  auto fits = [&](ArrayRef<Written> group, const Piece &piece) {
    Extents shape(k.storage.extents.of(piece.source)), other(k.storage.extents.of(group.front().piece->source));
    return shape == other;
  };
  for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs)) {
    for (const Piece &piece : output.pieces) {
      std::vector<Border> *borders = &output.borders;
      auto group = llvm::find_if(groups, [&, &piece = piece](const auto &each) { return fits(each, piece); });
      if (group == groups.end() || output.pieces.size() > 1)
        group = groups.insert(groups.end(), SmallVector<Written>());
      group->push_back({&piece, memref, borders});
    }
  }
  for (ArrayRef<Written> group : groups)
    PieceEmitter(k, group).emit();
  k.fillBorders();
}
