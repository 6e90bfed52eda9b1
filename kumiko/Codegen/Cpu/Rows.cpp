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
// nothing needs folding.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Kernel.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

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
    MergedLoop laneLoop{};
    across = !lanesInside() && !rowLoops.empty();
    if (across)
      laneLoop = rowLoops.pop_back_val();
    Extent rows = 1;
    for (const MergedLoop &loop : rowLoops)
      rows *= loop.extent;
    auto rowsAt = [&](Form form) {
      point[laneLoop.loop] = form;
      emitRow();
    };
    // Where lanes leave few rows, chunks share the vectors of each.
    bool byLanes = across && typicalSize(rows) < typicalSize(k.schedule.chunks);
    std::pair<Value, Value> range = {k.index(0), k.index(rows)}, share;
    if (byLanes)
      share = k.chunkRange(floorDiv(laneLoop.extent, k.demand.lanes));
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

  void emitPart(Value first, Value last) {
    merge();
    k.loop(first, last, 1, [&](Value number) {
      k.delinearize(number, rowLoops, point);
      emitRow();
    });
  }

private:
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

  /// Kept and reduced loops merge among themselves where all reads and writes of the kernel allow it.
  void merge() {
    Reads reads(rank, k.storage);
    Position all;
    for (unsigned d = 0; d < rank; ++d)
      all.push_back(Form::ofSlot(d));
    auto positionOf = [&](Value tensor) { return positionIn(tensor, all); };
    for (linalg::GenericOp op : reductions)
      reads.known.insert(op->getResult(0));
    for (linalg::GenericOp op : reductions)
      reads.collectBody(op, all);
    if (!keptOps.empty())
      reads.forms.push_back(linearize(ArrayRef(all).drop_front(keptRank), k.shape.rows.reduced));
    for (const Output &output : k.written)
      for (const Piece &piece : output.pieces) {
        reads.collect(piece.source, positionOf(piece.source));
        reads.forms.push_back(piece.offsetOf(positionOf(piece.source)));
      }
    rowLoops = mergeLoops(reads, llvm::to_vector(llvm::seq<unsigned>(0, keptRank)), extents);
    depthLoops = mergeLoops(reads, llvm::to_vector(llvm::seq<unsigned>(keptRank, rank)), extents);
    if (depthLoops.empty())
      depthLoops.push_back({rank - 1, Extent(1)});
  }

  void emitRow() {
    DenseSet<Value> kept;
    for (linalg::GenericOp op : reductions) {
      SmallVector<linalg::GenericOp> now = keepWhatIsRead(op, kept);
      Value result = reduceRow(op);
      k.demand.fix(op->getResult(0), result);
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
    Extent row = eq::product(k.shape.rows.reduced) * (across ? k.demand.lanes : 1);
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

  Operation *combinerOf(linalg::GenericOp op) { return op.getBody()->getTerminator()->getOperand(0).getDefiningOp(); }

  Value combine(linalg::GenericOp op, Value a, Value b) {
    Operation *combiner = combinerOf(op);
    OperationState state(k.loc, combiner->getName(), {a, b}, {a.getType()}, combiner->getAttrs());
    return k.b.create(state)->getResult(0);
  }

  Value step(linalg::GenericOp op, Value accumulator) {
    SmallVector<Value> arguments(op.getNumDpsInputs());
    arguments.push_back(accumulator);
    return k.demand.body(op, point, arguments)[0];
  }

  /// Four running vectors hide the latency of the combining op; they meet in a fixed order.
  Value reduceRow(linalg::GenericOp op) {
    Value init = k.demand.at(op.getDpsInits()[0], {});
    if (!lanesInside())
      return reduceNest(op, 0, {across ? k.demand.spread(init) : init})[0];
    int64_t vectors = typicalSize(depthLoops.back().extent) / k.demand.lanes;
    // A sum in f64 takes two registers.
    int64_t most = getElementTypeOrSelf(init.getType()).isF64() ? 2 : 4;
    SmallVector<Value> accumulators(vectors >= 8 ? most : 1, k.demand.spread(init));
    accumulators = reduceNest(op, 0, accumulators);
    while (accumulators.size() > 1) {
      SmallVector<Value> half;
      for (size_t i = 0; i < accumulators.size(); i += 2)
        half.push_back(combine(op, accumulators[i], accumulators[i + 1]));
      accumulators = half;
    }
    return fold(op, accumulators[0]);
  }

  /// 8 lanes to 4, 2, 1.
  Value fold(linalg::GenericOp op, Value vector) {
    for (int64_t half = k.demand.lanes / 2; half >= 1; half /= 2) {
      SmallVector<int64_t> low, high;
      for (int64_t i = 0; i < half; ++i) {
        low.push_back(i);
        high.push_back(i + half);
      }
      vector = combine(op, vector::ShuffleOp::create(k.b, k.loc, vector, vector, low),
                       vector::ShuffleOp::create(k.b, k.loc, vector, vector, high));
    }
    return vector::ExtractOp::create(k.b, k.loc, vector, int64_t(0));
  }

  SmallVector<Value> reduceNest(linalg::GenericOp op, unsigned depth, SmallVector<Value> carried) {
    const MergedLoop &loop = depthLoops[depth];
    bool last = depth + 1 == depthLoops.size();
    if (last && lanesInside())
      return reduceVectors(op, loop, carried);
    return k.loop(0, loop.extent, 1, carried, [&](Form form, ArrayRef<Value> accumulators) {
      point[loop.loop] = form;
      if (last) {
        Value next = step(op, accumulators[0]);
        return SmallVector<Value>{across ? k.demand.spread(next) : next};
      }
      return reduceNest(op, depth + 1, llvm::to_vector(accumulators));
    });
  }

  SmallVector<Value> reduceVectors(linalg::GenericOp op, const MergedLoop &loop, SmallVector<Value> carried) {
    int64_t lanes = k.demand.lanes, unroll = carried.size();
    auto stepAt = [&](Form form, Value accumulator) {
      form.lane = 1;
      point[loop.loop] = form;
      return k.demand.spread(step(op, accumulator));
    };
    Extent full = floorDiv(loop.extent, lanes) * lanes,
           turns = floorDiv(loop.extent, unroll * lanes) * (unroll * lanes);
    carried = k.loop(0, turns, unroll * lanes, carried, [&](Form form, ArrayRef<Value> accumulators) {
      SmallVector<Value> next;
      for (int64_t u = 0; u < unroll; ++u)
        next.push_back(stepAt(form + Form(u * lanes), accumulators[u]));
      return next;
    });
    if (loop.extent.isStatic())
      for (int64_t v = turns.value(); v < full.value(); v += lanes)
        carried[0] = stepAt(Form(v), carried[0]);
    else
      carried[0] = k.loop(turns, full, lanes, {carried[0]}, [&](Form form, ArrayRef<Value> accumulators) {
        return SmallVector<Value>{stepAt(form, accumulators[0])};
      })[0];
    Extent rest = loop.extent - full;
    carried[0] = k.unlessZero(rest, {carried[0]}, [&](ArrayRef<Value> accumulators) {
      // Lanes beyond the row keep what they had.
      k.demand.active = rest;
      Value next = stepAt(Form(full), accumulators[0]);
      next = arith::SelectOp::create(k.b, k.loc, k.demand.mask(), next, accumulators[0]);
      k.demand.active = lanes;
      return SmallVector<Value>{next};
    })[0];
    return carried;
  }

  //===--- results --------------------------------------------------------------------------------===//

  void writePiece(const Piece &piece, Value memref) {
    auto write = [&] {
      Position position = positionIn(piece.source, point);
      k.demand.store(k.demand.at(piece.source, position), memref, piece.offsetOf(position));
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
    nest(0);
  }

  Kernel &k;
  unsigned keptRank, rank;
  Extents extents;
  SmallVector<linalg::GenericOp> reductions, keptOps;
  SmallVector<MergedLoop> rowLoops, depthLoops;
  /// Lanes run across rows. Neither so nor inside a row: there is one row, whose order must be kept.
  bool across = false;
  /// Where we are: kept dimensions first, then reduced ones.
  Position point;
};
} // namespace

void kumiko::cpu::emitRows(Kernel &k) { RowsEmitter(k).emit(); }

void kumiko::cpu::emitRowsPart(Kernel &k, Value first, Value last) { RowsEmitter(k).emitPart(first, last); }
