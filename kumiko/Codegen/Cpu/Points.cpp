//===- Points.cpp - each element of a result on its own --------------------===//
//
// The plainest template: loops over the points of a result, lanes along its innermost dimension, everything else on
// demand. Elementwise chains, transposes, pads, concatenations, pooling windows and depthwise convolutions (whose small
// windows become straight-line code) all come out of it. What is read across memory is read in blocks (Blocks.h).
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Sums.h"
#include "kumiko/Lower/Checked.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

/// Vectors per turn: bodies that need many registers get one.
constexpr int64_t mostVectors = 4;
static bool isFunction(Operation &op) { return op.getDialect()->getNamespace() == "math"; }
static int64_t unrollOf(Block &body) {
  int64_t weight = 0;
  for (auto op : body.getOps<linalg::GenericOp>())
    for (Operation &inner : op.getBody()->without_terminator())
      weight += isFunction(inner) ? 8 : 1;
  return weight < 6 ? mostVectors : weight < 12 ? 2 : 1;
}

/// Functions are worth a vector, however empty.
static bool hasFunctions(Block &body) {
  return llvm::any_of(body.getOps<linalg::GenericOp>(), [](linalg::GenericOp op) {
    return llvm::any_of(*op.getBody(), [](Operation &inner) { return isFunction(inner); });
  });
}

/// Rows of at most this many elements are written one by one: most of a vector would be empty.
constexpr int64_t shortestRow = 4;
/// With fewer lines most of a block would be empty.
constexpr int64_t fewestLines = 4;
/// Blocks along the lines before the next lanes: what they write stays open in the caches until it is whole.
constexpr int64_t blocksOfGroup = 32;

/// Points of one place that are sampled together.
constexpr int64_t samplesTogether = 16, samplesPerTurn = 4;

/// Rows of at most so many bytes, of which data choose elements, are fetched while the row before is worked on: in the
/// order of the data each line of them would be waited for. Up to `mostFetches` times as many elements as are chosen.
constexpr int64_t longestFetchedRow = 16 << 10, lineBytes = 64, mostFetches = 4;

/// Windows that are reduced together.
constexpr int64_t windowsTogether = 4;

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

namespace {
/// A piece and the buffer it goes to.
struct Target {
  const Piece *piece;
  Value memref;
  /// The borders of its output.
  std::vector<Border> *borders;
};

/// Pieces of one shape, computed together: what two of them need is computed once.
class PieceEmitter {
public:
  PieceEmitter(Kernel &k, ArrayRef<Target> targets) : k(k), targets(targets) {}

  void emit() {
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
    Reads sources = reads;
    for (const Target &target : targets)
      reads.forms.push_back(offsetOf(*target.piece, position));
    loops = mergeLoops(reads, all, k.storage.extents.of(targets.front().piece->source));
    point.assign(rank, Form());
    if (loops.empty())
      return emitOne();
    lane = loops.pop_back_val();
    if (std::optional<size_t> place = lineLoop(sources)) {
      line = loops[*place];
      loops.erase(loops.begin() + *place);
      if (!interleaves())
        return emitBlocks();
      parts = lane;
      lane = line;
    }
    if (linalg::GenericOp sums = shortSums(); sums && allMadeInPlace(sums)) {
      alongSums = sums;
    } else {
      takeSamples(sources);
    }
    lanesChoose = sources.choosing.test(lane.loop);
    Extent outer = 1;
    for (const MergedLoop &loop : loops)
      outer *= loop.extent;
    if (linalg::GenericOp windows = windowsTogetherOf())
      emitWindows(windows);
    else if (linalg::GenericOp sums = longSum(k, sources, lane); sums && allMadeInPlace(sums))
      emitSums(k, sums, loops, lane, point, [&] { storeAll(); });
    else if (alongSums || typicalSize(outer) >= typicalSize(k.schedule.chunks))
      emitByOuter(outer);
    else
      emitByLanes(outer);
  }

private:
  void element(Form form) {
    point[lane.loop] = form;
    if (parts)
      return storeInterleaved();
    if (samples)
      return eachSample();
    if (!movesElements() || !k.demand.active.is(k.demand.lanes))
      return storeAll();
    fetchNextRow(form);
    auto quick = [&] {
      for (unsigned n = 0; n < k.demand.lanes; ++n) {
        point[lane.loop] = form.atLane(n);
        storeAll();
      }
      point[lane.loop] = form;
    };
    k.demand.lookAhead([&] { lookAtAll(); }, quick, [&] { storeAll(); });
  }

  /// Whether sums are taken of elements that data choose.
  bool sumsChosen() const {
    return llvm::any_of(k.body.getOps<linalg::GenericOp>(), [](linalg::GenericOp op) {
      return op.getNumReductionLoops() != 0 && !op.getBody()->getOps<tensor::ExtractOp>().empty();
    });
  }

  /// A loop that has no part in choosing, as that over channels, goes inside of the lanes: places and weights are found
  /// once for several of its points.
  void takeSamples(const Reads &sources) {
    if (isShort() || gathersShortRows() || !sumsChosen())
      return;
    for (MergedLoop &loop : loops)
      if (!samples && !sources.choosing.test(loop.loop)) {
        samples = loop;
        loop.extent = ceilDiv(loop.extent, samplesTogether);
      }
  }

  /// LLVM moves what does not depend on the loop out of it.
  void eachSample() {
    Form group = point[samples->loop];
    Value first = k.demand.indexOf(group * samplesTogether);
    Value end = arith::AddIOp::create(k.b, k.loc, first, k.index(samplesTogether));
    end = arith::MinSIOp::create(k.b, k.loc, end, k.index(samples->extent));
    auto turn = [&](Value number, int64_t count) {
      for (int64_t n = 0; n < count; ++n) {
        point[samples->loop] = Form::ofSlot(k.demand.addSlot(number)) + Form(n);
        storeAll();
      }
    };
    Value middle = k.endOfGroups(first, end, samplesPerTurn);
    k.loop(first, middle, samplesPerTurn, [&](Value number) { turn(number, samplesPerTurn); });
    k.loop(middle, end, 1, [&](Value number) { turn(number, 1); });
    point[samples->loop] = group;
  }

  /// Whether lines are as short as a few lanes and lie one behind the other, as pixels of three colours do.
  bool interleaves() const {
    if (!lane.extent.isStatic() || 2 * lane.extent.value() > int64_t(k.demand.lanes))
      return false;
    Position position;
    for (unsigned d = 0; d < targets.front().piece->rank(); ++d)
      position.push_back(Form::ofSlot(d));
    return llvm::all_of(targets, [&](const Target &target) {
      Form offset = offsetOf(*target.piece, position);
      return offset.coefficientOf(lane.loop).is(1) && offset.coefficientOf(line.loop) == lane.extent;
    });
  }

  void storeInterleaved() {
    for (const Target &target : targets) {
      SmallVector<Value> values;
      SmallVector<Form> offsets;
      for (int64_t n = 0; n < parts->extent.value(); ++n) {
        point[parts->loop] = Form(n);
        values.push_back(k.demand.at(target.piece->source, point));
        offsets.push_back(offsetOf(*target.piece, point));
      }
      k.demand.storeLanes(values, target.memref, offsets);
    }
  }

  void lookAtAll() {
    for (const Target &target : targets)
      k.demand.at(target.piece->source, point);
  }

  bool isShort() const { return lane.extent.isStatic() && lane.extent.value() <= shortestRow && !hasFunctions(k.body); }

  /// Whether rows that fill no vector are read where data say: a place is found for a row as a whole.
  bool gathersShortRows() const {
    auto gathers = [](linalg::GenericOp op) { return !op.getBody()->getOps<tensor::ExtractOp>().empty(); };
    return lane.extent.isStatic() && lane.extent.value() < k.demand.lanes && !hasFunctions(k.body) &&
           llvm::any_of(k.body.getOps<linalg::GenericOp>(), gathers);
  }

  bool checksPlaces() const {
    auto isChecked = [](tensor::ExtractOp op) { return op->hasAttr(checkedAttribute); };
    return llvm::any_of(k.body.getOps<linalg::GenericOp>(), [&](linalg::GenericOp op) {
      return llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), isChecked);
    });
  }

  /// Whether all that is done is to read where data say for each lane, and to write: a vector would have to be put
  /// together first.
  bool movesElements() const {
    auto moves = [](linalg::GenericOp op) {
      return llvm::all_of(op.getBody()->getTerminator()->getOperands(),
                          [](Value value) { return value.getDefiningOp<tensor::ExtractOp>(); });
    };
    return lanesChoose && checksPlaces() && llvm::all_of(k.body.getOps<linalg::GenericOp>(), moves);
  }

  /// The only element that data choose, where it is one of a row that is worth fetching as a whole.
  tensor::ExtractOp chosenOfRow() const {
    auto op = targets.front().piece->source.getDefiningOp<linalg::GenericOp>();
    if (targets.size() != 1 || !movesElements() || !op || !lane.extent.isStatic())
      return tensor::ExtractOp();
    auto extracts = op.getBody()->getOps<tensor::ExtractOp>();
    if (!llvm::hasSingleElement(extracts))
      return tensor::ExtractOp();
    tensor::ExtractOp extract = *extracts.begin();
    auto isLoop = [](Value index) { return index.getDefiningOp<linalg::IndexOp>(); };
    Extent length = k.storage.extents.of(extract.getTensor()).back();
    unsigned bytes = cast<RankedTensorType>(extract.getTensor().getType()).getElementTypeBitWidth() / 8;
    bool fits = length.isStatic() && length.value() * bytes <= longestFetchedRow &&
                length.value() <= mostFetches * lane.extent.value();
    bool inRow = llvm::all_of(extract.getIndices().drop_back(), isLoop) && !isLoop(extract.getIndices().back());
    return fits && inRow && k.demand.bufferBehind(extract.getTensor()) ? extract : tensor::ExtractOp();
  }

  /// A share of the next row as large as that which the lanes at hand are of theirs.
  void fetchNextRow(const Form &form) {
    tensor::ExtractOp extract = nextRow ? chosenOfRow() : tensor::ExtractOp();
    if (!extract)
      return;
    Value tensor = extract.getTensor();
    int64_t length = k.storage.extents.of(tensor).back().value(), times = llvm::divideCeil(length, lane.extent.value());
    int64_t line = lineBytes * 8 / cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
    Position next = point;
    next[nextRow->first] = nextRow->second;
    Position dims = loopsAt(cast<linalg::GenericOp>(extract->getParentOp()), 0, next), place;
    for (Value index : extract.getIndices().drop_back())
      place.push_back(dims[index.getDefiningOp<linalg::IndexOp>().getDim()]);
    place.emplace_back();
    for (int64_t n = 0; n < times * int64_t(k.demand.lanes); n += line) {
      Value at = k.demand.indexOf(form.atLane(0) * times + Form(n));
      at = arith::MinSIOp::create(k.b, k.loc, at, k.index(length - 1));
      place.back() = Form::ofSlot(k.demand.addSlot(at));
      memref::PrefetchOp::create(k.b, k.loc, k.demand.bufferBehind(tensor),
                                 k.demand.indexOf(k.storage.offsetIn(tensor, place)), /*isWrite=*/false,
                                 /*localityHint=*/3, /*isDataCache=*/true);
    }
  }

  /// Two vectors of half a row or more, which may overlap.
  void shortRow() {
    int64_t length = lane.extent.value();
    auto width = int64_t(llvm::bit_floor(uint64_t(length)));
    k.demand.narrow(width, [&] {
      for (int64_t first : {int64_t(0), length - width}) {
        point[lane.loop] = Form(first);
        point[lane.loop].lane = 1;
        storeAll();
        if (length == width)
          return;
      }
    });
  }

  /// All values before the first store: a buffer may be another's, as far as the compiler knows.
  void storeAll() {
    llvm::SmallDenseMap<Value, Value> values;
    for (const Target &target : targets)
      if (!values.contains(target.piece->source))
        values[target.piece->source] = k.demand.at(target.piece->source, point);
    for (const Target &target : targets)
      k.demand.store(values[target.piece->source], target.memref, offsetOf(*target.piece, point));
  }

  /// A single element belongs to the first chunk.
  void emitOne() {
    k.onlyFirstChunk([&] { storeAll(); });
  }

  void emitByOuter(const Extent &outer) {
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
    k.loop(low, high, 1, [&](Value number) {
      k.delinearize(number, shared, point);
      if (!nested)
        return whole();
      rows(inner, k.index(0), k.index(inner.extent), whole);
    });
  }

  /// `whole` for each of [low, high) along a loop. Where data say what is read, many places are looked at together
  /// first: nothing is left to be done for each row but to read and write it.
  void rows(const MergedLoop &along, Value low, Value high, llvm::function_ref<void()> whole) {
    auto at = [&](Value number) {
      point[along.loop] = Form::ofSlot(k.demand.addSlot(number));
      if (chosenOfRow()) {
        Value next = arith::AddIOp::create(k.b, k.loc, number, k.index(1));
        next = arith::MinSIOp::create(k.b, k.loc, next, k.index(along.extent - 1));
        nextRow = {along.loop, Form::ofSlot(k.demand.addSlot(next))};
      }
      whole();
      nextRow.reset();
    };
    Value middle = low;
    bool rowsChoose = gathersShortRows() && checksPlaces() && !lanesChoose; // one place serves all of a row
    if (rowsChoose && typicalSize(along.extent) >= 2 * int64_t(k.demand.lanes)) {
      middle = k.endOfGroups(low, high, k.demand.lanes);
      k.loop(low, middle, k.demand.lanes, [&](Value first) {
        auto look = [&] {
          point[along.loop] = Form::ofSlot(k.demand.addSlot(first));
          point[along.loop].lane = 1;
          point[lane.loop] = Form(0);
          lookAtAll();
        };
        auto quick = [&] {
          for (unsigned n = 0; n < k.demand.lanes; ++n)
            at(arith::AddIOp::create(k.b, k.loc, first, k.index(n)));
        };
        Value end = arith::AddIOp::create(k.b, k.loc, first, k.index(k.demand.lanes));
        k.demand.lookAhead(look, quick, [&] { k.loop(first, end, 1, at); });
      });
    }
    k.loop(middle, high, 1, at);
  }

  /// A few elements before and after each row of a target.
  struct RowEnds {
    const Target *target;
    Value value;
    int64_t before, after;
  };

  /// Those that are few enough to be written with their row, which is in the cache then.
  SmallVector<RowEnds> takeRowEnds() {
    SmallVector<RowEnds> ends;
    for (const Target &target : targets) {
      ArrayRef<Extent> rows = k.storage.extents.of(target.piece->source);
      for (Border &border : *target.borders) {
        if (border.strides != target.piece->strides || ArrayRef(border.extent) != rows ||
            lane.loop + 1 != rows.size() || lane.extent != rows.back())
          continue;
        Extent before = border.low.back(), after = border.shape.back() - rows.back() - before;
        int64_t most = k.demand.lanes / 2;
        if (!before.isStatic() || !after.isStatic() || before.value() > most || after.value() > most)
          continue;
        ends.push_back({&target, k.demand.constantOf(border.value), before.value(), after.value()});
        border.rowEndsDone = true;
      }
    }
    return ends;
  }

  void fill(ArrayRef<RowEnds> ends) {
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

  void row() {
    if (gathersShortRows())
      return shortRow();
    int64_t lanes = k.demand.lanes;
    if (movesElements() && lane.extent.isStatic() && lane.extent.value() > lanes) {
      // What is left over is moved with lanes before it, which come out the same.
      k.vectors(lane.extent.value() / lanes * lanes, 1, [&](Form form) { element(form); });
      if (lane.extent.value() % lanes != 0) {
        Form last(lane.extent - lanes);
        last.lane = 1;
        element(last);
      }
      return;
    }
    if (!isShort())
      return k.vectors(lane.extent, movesElements() ? 1 : unrollOf(k.body), [&](Form form) { element(form); });
    if (alongSums)
      return windowsAt(alongSums, lane.loop, Form(0), lane.extent.value(), Form(0));
    for (int64_t n = 0; n < lane.extent.value(); ++n)
      element(Form(n));
  }

  /// A long sum of which a few lie side by side: lanes run along it, and what is read is shared among them.
  linalg::GenericOp shortSums() {
    linalg::GenericOp found = onlyReduction(k);
    if (!found || !isShort() || !canReduceInParts(found))
      return linalg::GenericOp();
    SmallVector<unsigned> reduced;
    found.getReductionDims(reduced);
    Extent length = k.storage.extents.loopsOf(found)[reduced.back()];
    return length.isStatic() && length.value() >= 4 * int64_t(k.demand.lanes) ? found : linalg::GenericOp();
  }

  /// Few long rows: a chunk takes a share of the vectors of every row; the last one also has the masked rest.
  void emitByLanes(const Extent &outer) {
    std::pair<Value, Value> share = k.chunkRange(floorDiv(lane.extent, k.demand.lanes));
    k.loop(k.index(0), k.index(outer), 1, [&](Value number) {
      k.delinearize(number, loops, point);
      k.sharedVectors(lane.extent, share, [&](Form form) { element(form); });
    });
  }

  //===--- windows --------------------------------------------------------------------------------===//

  linalg::GenericOp windowsTogetherOf() {
    linalg::GenericOp op = windowReduction(k.body);
    if (!op || loops.empty() || typicalSize(loops.back().extent) < 2 * windowsTogether)
      return linalg::GenericOp();
    return allMadeInPlace(op) ? op : linalg::GenericOp();
  }

  /// Whether what `op` gives at a point is all that the targets need of it there.
  bool allMadeInPlace(linalg::GenericOp op) const {
    return llvm::all_of(targets, [&](const Target &target) {
      return op.getNumResults() == 1 ? isMadeInPlace(target.piece->source, op->getResult(0))
                                     : target.piece->source.getDefiningOp() == op;
    });
  }

  /// Neighbours along the last loop but the lanes are reduced together; those that are left over one by one.
  void emitWindows(linalg::GenericOp op) {
    MergedLoop along = loops.pop_back_val();
    Extent blocks = ceilDiv(along.extent, windowsTogether), outer = blocks;
    for (const MergedLoop &loop : loops)
      outer *= loop.extent;
    auto [low, high] = k.chunkRange(outer);
    k.loop(low, high, 1, [&](Value number) {
      Value block = arith::RemUIOp::create(k.b, k.loc, number, k.index(blocks));
      k.delinearize(arith::DivUIOp::create(k.b, k.loc, number, k.index(blocks)), loops, point);
      Form first = Form::ofSlot(k.demand.addSlot(block), windowsTogether);
      auto together = [&] {
        k.vectors(lane.extent, 1, [&](Form form) { windowsAt(op, along.loop, first, windowsTogether, form); });
      };
      Extent full = floorDiv(along.extent, windowsTogether), rest = along.extent - full * windowsTogether;
      if (rest.is(0))
        return together();
      Value isFull = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, block, k.index(full));
      auto choice = scf::IfOp::create(k.b, k.loc, isFull, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(k.b);
      k.b.setInsertionPointToStart(choice.thenBlock());
      together();
      k.b.setInsertionPointToStart(choice.elseBlock());
      k.loop(k.index(full * windowsTogether), k.index(along.extent), 1, [&](Value place) {
        Form one = Form::ofSlot(k.demand.addSlot(place));
        k.vectors(lane.extent, 1, [&](Form form) { windowsAt(op, along.loop, one, 1, form); });
      });
    });
  }

  void windowsAt(linalg::GenericOp op, unsigned loop, const Form &first, int64_t count, const Form &lanes) {
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

  //===--- blocks ---------------------------------------------------------------------------------===//

  /// The loop along which something lies in memory that lanes would gather, if there is one.
  std::optional<size_t> lineLoop(const Reads &sources) {
    bool reduces = llvm::any_of(k.body.getOps<linalg::GenericOp>(),
                                [](linalg::GenericOp op) { return op.getNumReductionLoops() != 0; });
    if (reduces || sources.opaque.test(lane.loop))
      return std::nullopt;
    for (const auto &[place, loop] : llvm::enumerate(loops))
      for (const Form &form : sources.forms) {
        Extent apart = form.coefficientOf(lane.loop);
        if (!apart.is(0) && !apart.is(1) && form.coefficientOf(loop.loop).is(1) && !sources.opaque.test(loop.loop) &&
            typicalSize(loop.extent) >= fewestLines)
          return place;
      }
    return std::nullopt;
  }

  /// Chunks share (other loops, groups of lines, blocks of lanes).
  void emitBlocks() {
    int64_t lanes = k.demand.lanes, groupLines = blocksOfGroup * lanes;
    Extent laneBlocks = ceilDiv(lane.extent, lanes), groups = ceilDiv(line.extent, groupLines);
    Extent outer = laneBlocks * groups;
    for (const MergedLoop &loop : loops)
      outer *= loop.extent;
    auto [low, high] = k.chunkRange(outer);
    k.loop(low, high, 1, [&](Value number) {
      auto splitOff = [&](const Extent &count) -> Value {
        Value part = arith::RemUIOp::create(k.b, k.loc, number, k.index(count));
        number = arith::DivUIOp::create(k.b, k.loc, number, k.index(count));
        return part;
      };
      Value laneBlock = splitOff(laneBlocks), group = splitOff(groups);
      k.delinearize(number, loops, point);
      Form first = Form::ofSlot(k.demand.addSlot(laneBlock), lanes);
      first.lane = 1;
      point[lane.loop] = first;
      Extent full = floorDiv(lane.extent, lanes), rest = lane.extent - full * lanes;
      if (rest.is(0))
        return linesOf(group, lanes);
      Value isFull = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, laneBlock, k.index(full));
      auto choice = scf::IfOp::create(k.b, k.loc, isFull, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(k.b);
      k.b.setInsertionPointToStart(choice.thenBlock());
      linesOf(group, lanes);
      k.b.setInsertionPointToStart(choice.elseBlock());
      linesOf(group, rest);
    });
  }

  /// The blocks of one group of lines; the last group has the rest.
  void linesOf(Value group, const Extent &laneCount) {
    int64_t lanes = k.demand.lanes, groupLines = blocksOfGroup * lanes;
    Extent full = floorDiv(line.extent, lanes) * lanes, rest = line.extent - full;
    Value start = arith::MulIOp::create(k.b, k.loc, group, k.index(groupLines));
    Value end = arith::AddIOp::create(k.b, k.loc, start, k.index(groupLines));
    k.loop(start, arith::MinSIOp::create(k.b, k.loc, end, k.index(full)), lanes,
           [&](Value number) { block(number, laneCount, lanes); });
    if (rest.is(0))
      return;
    Value isLast = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sgt, end, k.index(full));
    k.onlyIf(isLast, [&] { k.unlessZero(rest, [&] { block(k.index(full), laneCount, rest); }); });
  }

  void block(Value firstLine, const Extent &laneCount, const Extent &lineCount) {
    unsigned slot = k.demand.addSlot(firstLine);
    k.demand.blocks.begin(slot, laneCount, lineCount);
    k.demand.active = laneCount;
    for (int64_t number = 0; number < (lineCount.isStatic() ? lineCount.value() : k.demand.lanes); ++number) {
      k.demand.blocks.setLine(number);
      point[line.loop] = Form::ofSlot(slot) + Form(number);
      // The first line is always there, and has read the block for the others.
      if (number == 0 || lineCount.isStatic()) {
        storeAll();
        continue;
      }
      k.onlyIf(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, k.index(number), k.index(lineCount)),
               [&] { storeAll(); });
    }
    k.demand.active = k.demand.lanes;
    k.demand.blocks.end();
  }

  Kernel &k;
  ArrayRef<Target> targets;
  SmallVector<MergedLoop> loops;
  MergedLoop lane{}, line{};
  /// A loop inside of the lanes, of a few points that lie side by side in the result.
  std::optional<MergedLoop> parts;
  /// A loop inside of the lanes, of which the loop outside counts groups.
  std::optional<MergedLoop> samples;
  /// Whether it depends on the lane where data say that something is read.
  bool lanesChoose = false;
  /// The loop of rows and the number after the one at hand, where rows are fetched ahead.
  std::optional<std::pair<unsigned, Form>> nextRow;
  /// A reduction that has the lanes.
  linalg::GenericOp alongSums;
  Position point;
};
} // namespace

void kumiko::cpu::emitPoints(Kernel &k) {
  std::vector<SmallVector<Target>> groups;
  auto fits = [&](ArrayRef<Target> group, const Piece &piece) {
    Extents shape(k.storage.extents.of(piece.source)), other(k.storage.extents.of(group.front().piece->source));
    return shape == other;
  };
  for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
    for (const Piece &piece : output.pieces) {
      std::vector<Border> *borders = &output.borders;
      auto group = llvm::find_if(groups, [&, &piece = piece](const auto &each) { return fits(each, piece); });
      if (group == groups.end() || output.pieces.size() > 1)
        group = groups.insert(groups.end(), SmallVector<Target>());
      group->push_back({&piece, memref, borders});
    }
  for (ArrayRef<Target> group : groups)
    PieceEmitter(k, group).emit();
  k.fillBorders();
}
