//===- Rows.cpp - reductions over rows and what is made of them ------------===//
//
// Softmax, layer norm, mean and variance, arg-free reductions along memory. For each row the reductions run one after
// the other over the row, which stays in the first-level cache; their results are then known scalars for the bodies
// that follow:
//
//   for row:  m = max over k of x[row, k]                              lanes along k, folded at the end
//             s = sum over k of e[row, k], e = exp(x - m) kept in scratch
//             for k: y[row, k] = e[row, k] / s
//
// When rows do not lie along memory (softmax over channels of NCHW), lanes run across neighbouring rows instead and
// nothing needs folding. So they do where rows are short and only what they are reduced to is written: squares of
// elements are then turned in registers (Blocks.h).
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Kernel.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Rows of at most this many elements become straight-line code, whose reads share vectors.
constexpr int64_t shortDepth = 8;
/// Elements of a row across memory from which on it is reduced in parts.
constexpr int64_t fewestInParts = 32;

namespace {
class RowsEmitter {
public:
  explicit RowsEmitter(Kernel &k)
      : k(k), keptRank(k.shape.rows.kept.size()), rank(keptRank + k.shape.rows.reduced.size()) {
    llvm::append_range(extents, k.shape.rows.kept);
    llvm::append_range(extents, k.shape.rows.reduced);
    for (auto [number, op] : llvm::enumerate(k.body)) {
      auto generic = dyn_cast<linalg::GenericOp>(op);
      bool product = generic && (generic == k.shape.attention.scores.op || generic == k.shape.attention.values.op);
      if (generic && generic.getNumReductionLoops() != 0 && !product)
        reductions.push_back(generic);
      if (generic && llvm::is_contained(k.schedule.keptOps, int64_t(number)))
        keptOps.push_back(generic);
    }
    point.assign(rank, Form());
  }

  void emit() {
    merge();
    across = !lanesInside() && !rowLoops.empty();
    if (int64_t lanes = across ? lanesAcross() : k.demand.lanes; lanes < k.demand.lanes)
      return k.demand.narrow(lanes, [&] { emitRows(); });
    emitRows();
  }

  void emitPart(Value first, Value last) {
    merge();
    k.loop(first, last, 1, [&](Value number) {
      k.delinearize(number, rowLoops, point);
      emitRow();
    });
  }

private:
  void emitRows() {
    MergedLoop laneLoop{};
    if (across)
      laneLoop = rowLoops.pop_back_val();
    Extent rows = 1;
    for (const MergedLoop &loop : rowLoops)
      rows *= loop.extent;
    auto rowsAt = [&](Form form) {
      point[laneLoop.loop] = form;
      emitRow();
    };
    // Where lanes leave few rows, chunks share the vectors of each, unless these are even fewer.
    Extent vectors = floorDiv(laneLoop.extent, k.demand.lanes);
    bool byLanes =
        across && typicalSize(rows) < typicalSize(k.schedule.chunks) && typicalSize(rows) < typicalSize(vectors);
    std::pair<Value, Value> range = {k.index(0), k.index(rows)}, share;
    if (byLanes)
      share = k.chunkRange(vectors);
    else
      range = k.chunkRange(rows);
    k.loop(range.first, range.second, 1, [&](Value number) {
      k.delinearize(number, rowLoops, point);
      if (!across)
        emitRow();
      else if (byLanes)
        k.sharedVectors(laneLoop.extent, share, rowsAt);
      else
        k.vectors(laneLoop.extent, 1, rowsAt);
    });
    k.fillBorders();
  }

  bool lanesInside() const { return k.shape.rows.lanesInsideRow; }

  /// The position in a tensor over whole rows or over kept dimensions only.
  Position positionIn(Value tensor, ArrayRef<Form> loops) const {
    if (cast<RankedTensorType>(tensor.getType()).getRank() == int64_t(keptRank))
      return Position(loops.take_front(keptRank));
    Position position;
    for (unsigned loop : k.shape.rows.order)
      position.push_back(loops[loop]);
    return position;
  }

  Position loopNumbers() const {
    Position all;
    for (unsigned d = 0; d < rank; ++d)
      all.push_back(Form::ofSlot(d));
    return all;
  }

  SmallVector<MergedLoop> mergeDepth(const Reads &reads) const {
    return mergeLoops(reads, llvm::to_vector(llvm::seq<unsigned>(keptRank, rank)), extents);
  }

  /// Loops that go on where those of the kernel do not, as nothing is asked about channels yet.
  SmallVector<MergedLoop> depthOf(linalg::GenericOp op) {
    Reads reads(rank, k.storage);
    for (linalg::GenericOp other : reductions)
      reads.known.insert_range(other->getResults());
    reads.collectBody(op, loopNumbers());
    SmallVector<MergedLoop> merged = mergeDepth(reads);
    bool isLonger = lanesInside() && keptOps.empty() && !merged.empty() && merged.size() < depthLoops.size();
    return isLonger ? merged : depthLoops;
  }

  /// Kept and reduced loops merge among themselves where all reads and writes of the kernel allow it.
  void merge() {
    Reads reads(rank, k.storage);
    Position all = loopNumbers();
    auto positionOf = [&](Value tensor) { return positionIn(tensor, all); };
    for (linalg::GenericOp op : reductions)
      reads.known.insert_range(op->getResults());
    for (linalg::GenericOp op : reductions)
      reads.collectBody(op, all);
    if (!keptOps.empty())
      reads.forms.push_back(linearize(ArrayRef(all).drop_front(keptRank), k.shape.rows.reduced));
    for (const Output &output : k.written)
      for (const Piece &piece : output.pieces) {
        reads.collect(piece.source, positionOf(piece.source));
        reads.forms.push_back(offsetOf(piece, positionOf(piece.source)));
      }
    rowLoops = mergeLoops(reads, llvm::to_vector(llvm::seq<unsigned>(0, keptRank)), extents);
    depthLoops = mergeDepth(reads);
    if (depthLoops.empty())
      depthLoops.push_back({rank - 1, Extent(1)});
    lieAlongMemory = !rowLoops.empty() && llvm::any_of(reads.forms, [&](const Form &form) {
      Extent apart = form.coefficientOf(rowLoops.back().loop);
      return form.coefficientOf(depthLoops.back().loop).is(1) && !apart.is(0) && !apart.is(1);
    });
  }

  void emitRow() {
    DenseSet<Value> kept;
    for (linalg::GenericOp op : reductions) {
      SmallVector<linalg::GenericOp> now = keepWhatIsRead(op, kept);
      for (auto [result, value] : llvm::zip_equal(op->getResults(), reduceRow(op)))
        k.demand.fix(result, value);
      for (linalg::GenericOp row : now)
        readKept(row);
    }
    for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
      for (const Piece &piece : output.pieces)
        writePiece(piece, memref);
    for (linalg::GenericOp op : keptOps)
      k.demand.undefine(op->getResult(0));
  }

  //===--- rows kept in scratch -------------------------------------------------------------------===//

  Value scratchOf(linalg::GenericOp op) {
    Extent row = product(k.shape.rows.reduced) * (across ? k.demand.lanes : 1);
    int64_t place = llvm::find(keptOps, op) - keptOps.begin();
    Extent offset = ceilDiv(row * 8, 64) * (64 * place);
    Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    SmallVector<Value> size;
    if (!row.isStatic())
      size.push_back(k.index(row));
    auto type = MemRefType::get({row.isStatic() ? row.value() : ShapedType::kDynamic}, element);
    return memref::ViewOp::create(k.b, k.loc, type, k.scratch, k.index(offset), size);
  }

  Form placeInRow(ArrayRef<Form> position) {
    Position inRow(rank - keptRank);
    for (auto [form, loop] : llvm::zip_equal(position, k.shape.rows.order))
      if (loop >= keptRank)
        inRow[loop - keptRank] = form;
    Form place = linearize(inRow, k.shape.rows.reduced);
    if (!across)
      return place;
    Form wide = place * k.demand.lanes;
    wide.lane = 1;
    return wide;
  }

  /// The first reduction that runs over a kept row writes it down on the way.
  SmallVector<linalg::GenericOp> keepWhatIsRead(linalg::GenericOp reader, DenseSet<Value> &kept) {
    SmallVector<linalg::GenericOp> now;
    for (linalg::GenericOp op : keptOps) {
      Value row = op->getResult(0);
      if (!llvm::is_contained(reader->getOperands(), row) || !kept.insert(row).second)
        continue;
      now.push_back(op);
      keepWriting(row, scratchOf(op));
    }
    return now;
  }

  void keepWriting(Value row, Value memref) {
    k.demand.define(row, [this, row, memref](ArrayRef<Form> position) {
      Position copy(position);
      k.demand.undefine(row);
      Value value = k.demand.at(row, copy);
      k.demand.store(value, memref, placeInRow(copy));
      keepWriting(row, memref);
      return value;
    });
  }

  void readKept(linalg::GenericOp op) {
    Value memref = scratchOf(op);
    Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    k.demand.define(op->getResult(0), [this, memref, element](ArrayRef<Form> position) {
      return k.demand.load(memref, placeInRow(position), element);
    });
  }

  //===--- reductions -----------------------------------------------------------------------------===//

  /// A running value per result of the reduction.
  using Running = SmallVector<Value>;

  Running step(linalg::GenericOp op, ArrayRef<Value> running) {
    SmallVector<Value> arguments(op.getNumDpsInputs());
    llvm::append_range(arguments, running);
    Running next = k.demand.body(op, point, arguments);
    if (across || lanesInside())
      for (Value &value : next)
        value = k.demand.spread(value);
    return next;
  }

  /// Running vectors that do not wait for each other.
  int64_t partsOf(linalg::GenericOp op, const Running &init) const {
    const MergedLoop &loop = depthLoops.back();
    // A sum in f64 takes two registers.
    int64_t most = getElementTypeOrSelf(init[0].getType()).isF64() ? 2 : 4;
    if (lanesInside())
      return typicalSize(loop.extent) / k.demand.lanes >= 8 ? most : 1;
    bool isLong = typicalSize(loop.extent) >= fewestInParts && !turnsRows(loop);
    return isLong && init.size() == 1 && canReduceInParts(op) ? most : 1;
  }

  Running reduceRow(linalg::GenericOp op) {
    SmallVector<MergedLoop> common = std::exchange(depthLoops, depthOf(op));
    Running results;
    alongRow([&] { results = reduceLoops(op); });
    depthLoops = std::move(common);
    for (unsigned d = keptRank; d < rank; ++d)
      point[d] = Form();
    return results;
  }

  /// Several running vectors hide the latency of the combining op; they meet in a fixed order.
  Running reduceLoops(linalg::GenericOp op) {
    Running init;
    for (Value start : op.getDpsInits())
      init.push_back(k.demand.at(start, {}));
    if (across || lanesInside())
      for (Value &value : init)
        value = k.demand.spread(value);
    int64_t parts = partsOf(op, init);
    Running all;
    for (int64_t n = 0; n < parts; ++n)
      llvm::append_range(all, init);
    all = reduceNest(op, 0, all);
    size_t each = init.size();
    while (all.size() > each) {
      Running half;
      for (size_t i = 0; i < all.size(); i += 2 * each)
        llvm::append_range(half,
                           k.demand.combine(op, ArrayRef(all).slice(i, each), ArrayRef(all).slice(i + each, each)));
      all = half;
    }
    return lanesInside() ? k.demand.fold(op, all) : all;
  }

  Running reduceNest(linalg::GenericOp op, unsigned depth, Running carried) {
    const MergedLoop &loop = depthLoops[depth];
    bool last = depth + 1 == depthLoops.size();
    if (last && lanesInside())
      return reduceVectors(op, loop, carried);
    auto turn = [&](Form form, ArrayRef<Value> running) {
      point[loop.loop] = form;
      return last ? step(op, running) : reduceNest(op, depth + 1, llvm::to_vector(running));
    };
    if (last && turnsRows(loop))
      return reduceBlocks(op, loop, carried);
    if (last && carried.size() > op.getNumResults())
      return reduceInParts(loop, carried, turn);
    if (!last || !loop.extent.isStatic() || loop.extent.value() > shortDepth)
      return k.loop(0, loop.extent, 1, carried, turn);
    for (int64_t n = 0; n < loop.extent.value(); ++n)
      carried = turn(Form(n), carried);
    return carried;
  }

  /// A step of each part per turn; what is left over belongs to the first.
  Running reduceInParts(const MergedLoop &loop, Running carried,
                        llvm::function_ref<Running(Form, ArrayRef<Value>)> stepAt) {
    int64_t parts = carried.size();
    Extent turns = floorDiv(loop.extent, parts) * parts;
    carried = k.loop(0, turns, parts, carried, [&](Form form, ArrayRef<Value> running) {
      Running next;
      for (int64_t n = 0; n < parts; ++n)
        llvm::append_range(next, stepAt(form + Form(n), running[n]));
      return next;
    });
    carried[0] = k.loop(turns, loop.extent, 1, {carried[0]}, stepAt)[0];
    return carried;
  }

  /// Whether a square of elements is turned in fewer steps than as many vectors of them are put together from others.
  bool turnsRows(const MergedLoop &loop) const {
    int64_t length = loop.extent.isStatic() ? loop.extent.value() : 0;
    return across && lieAlongMemory && (isLongSide(length) || turnsBytes(length));
  }

  bool isLongSide(int64_t length) const { return length * (length - 1) > 3 * int64_t(k.demand.lanes); }

  /// Sixteen bytes are woven by one instruction, and chosen out of other vectors by two or three. Halves are converted
  /// behind that, which takes a part of the gain.
  bool turnsBytes(int64_t length) const {
    constexpr int64_t fewest = 4, fewestHalves = 6;
    bool areIntegers = llvm::all_of(reductions, [](linalg::GenericOp op) {
      return llvm::all_of(op.getDpsInputs(),
                          [](Value input) { return isa<IntegerType>(getElementTypeOrSelf(input.getType())); });
    });
    return length >= (areIntegers ? fewest : fewestHalves) && sideOfBytes(length) != 0;
  }

  /// The side of squares whose rows are sixteen bytes of rows of so many narrow elements: all lanes, or half of them
  /// where one such square has all of a row. 0 where there are none.
  int64_t sideOfBytes(int64_t length) const {
    unsigned widest = 8;
    for (linalg::GenericOp op : reductions)
      for (Value input : op.getDpsInputs())
        widest = std::max(widest, getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth());
    int64_t side = bitsWoven / widest, lanes = k.demand.lanes;
    return widest < 32 && (side == lanes || (2 * side == lanes && length <= side)) ? side : 0;
  }

  /// `emit` with no more lanes than lie along memory before the next ones are something else's, as few points of each
  /// channel do.
  void alongRow(llvm::function_ref<void()> emit) {
    const Extent &length = depthLoops.back().extent;
    bool isShort = lanesInside() && depthLoops.size() > 1 && length.isStatic() && length.value() > 1 &&
                   2 * length.value() <= int64_t(k.demand.lanes);
    if (!isShort)
      return emit();
    k.demand.narrow(llvm::PowerOf2Ceil(length.value()), emit);
  }

  /// No more than there are rows, nor, where rows are turned, than a register has of the widest sums: a square of more
  /// is turned in more steps.
  int64_t lanesAcross() const {
    int64_t lanes = k.demand.lanes;
    const Extent &rows = rowLoops.back().extent;
    if (rows.isStatic() && keptOps.empty())
      lanes = std::min<int64_t>(lanes, std::max<int64_t>(llvm::PowerOf2Ceil(rows.value()), narrowestVector));
    if (!turnsRows(depthLoops.back()))
      return lanes;
    bool isWide = llvm::any_of(reductions, [](linalg::GenericOp op) {
      return op->getNumResults() == 1 && getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth() > 32;
    });
    return isWide && lanes > narrowestVector ? lanes / 2 : lanes;
  }

  /// Lanes across rows that lie along memory: a square of elements is read row by row and turned (Blocks.h).
  Running reduceBlocks(linalg::GenericOp op, const MergedLoop &loop, Running carried) {
    int64_t lanes = k.demand.lanes, length = loop.extent.value(),
            side = isLongSide(length) ? lanes : sideOfBytes(length);
    auto block = [&](const Form &first, int64_t count, ArrayRef<Value> running) {
      unsigned slot = k.demand.addSlot(k.demand.indexOf(first));
      k.demand.blocks.begin(slot, k.demand.active, count, side);
      Running next(running);
      for (int64_t n = 0; n < count; ++n) {
        k.demand.blocks.setLine(n);
        point[loop.loop] = Form::ofSlot(slot) + Form(n);
        next = step(op, next);
      }
      k.demand.blocks.end();
      return next;
    };
    int64_t rest = length % lanes, full = length - rest;
    carried = k.loop(0, full, lanes, carried,
                     [&](Form first, ArrayRef<Value> running) { return block(first, lanes, running); });
    return rest == 0 ? carried : block(Form(full), rest, carried);
  }

  Running reduceVectors(linalg::GenericOp op, const MergedLoop &loop, Running carried) {
    size_t each = op.getNumResults();
    int64_t lanes = k.demand.lanes, unroll = carried.size() / each;
    auto stepAt = [&](Form form, ArrayRef<Value> running) {
      form.lane = 1;
      point[loop.loop] = form;
      return step(op, running);
    };
    Extent full = floorDiv(loop.extent, lanes) * lanes,
           turns = floorDiv(loop.extent, unroll * lanes) * (unroll * lanes);
    carried = k.loop(0, turns, unroll * lanes, carried, [&](Form form, ArrayRef<Value> running) {
      Running next;
      for (int64_t u = 0; u < unroll; ++u)
        llvm::append_range(next, stepAt(form + Form(u * lanes), running.slice(u * each, each)));
      return next;
    });
    Running first(ArrayRef(carried).take_front(each));
    if (loop.extent.isStatic())
      for (int64_t v = turns.value(); v < full.value(); v += lanes)
        first = stepAt(Form(v), first);
    else
      first = k.loop(turns, full, lanes, first, stepAt);
    Extent rest = loop.extent - full;
    first = k.unlessZero(rest, first, [&](ArrayRef<Value> before) {
      // Lanes beyond the row keep what they had.
      k.demand.active = rest;
      Running next = stepAt(Form(full), before);
      for (auto [value, old] : llvm::zip_equal(next, before))
        value = arith::SelectOp::create(k.b, k.loc, k.demand.mask(), value, old);
      k.demand.active = lanes;
      return next;
    });
    llvm::copy(first, carried.begin());
    return carried;
  }

  //===--- results --------------------------------------------------------------------------------===//

  void writePiece(const Piece &piece, Value memref) {
    auto write = [&] {
      Position position = positionIn(piece.source, point);
      k.demand.store(k.demand.at(piece.source, position), memref, offsetOf(piece, position));
    };
    if (piece.rank() == keptRank)
      return write();
    std::function<void(unsigned)> nest = [&](unsigned depth) {
      const MergedLoop &loop = depthLoops[depth];
      bool last = depth + 1 == depthLoops.size();
      if (last && lanesInside())
        return k.vectors(loop.extent, 2, [&](Form form) {
          point[loop.loop] = form;
          write();
        });
      k.loop(0, loop.extent, 1, {}, [&](Form form, ArrayRef<Value>) {
        point[loop.loop] = form;
        last ? write() : nest(depth + 1);
        return SmallVector<Value>();
      });
    };
    alongRow([&] { nest(0); });
  }

  Kernel &k;
  unsigned keptRank, rank;
  Extents extents;
  SmallVector<linalg::GenericOp> reductions, keptOps;
  SmallVector<MergedLoop> rowLoops, depthLoops;
  /// Lanes run across rows. Neither so nor inside a row: there is one row, whose order must be kept.
  bool across = false;
  /// Whether a row is read as it lies.
  bool lieAlongMemory = false;
  /// Where we are: kept dimensions first, then reduced ones.
  Position point;
};
} // namespace

void kumiko::cpu::emitRows(Kernel &k) { RowsEmitter(k).emit(); }

void kumiko::cpu::emitRowsPart(Kernel &k, Value first, Value last) { RowsEmitter(k).emitPart(first, last); }
