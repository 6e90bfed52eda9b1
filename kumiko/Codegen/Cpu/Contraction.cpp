//===- Contraction.cpp - sums of products with a register tile --------------===//
//
// Matrix products and direct convolutions are one template. With rows m, columns n and depth k:
//
//   for panel of columns:  for block of rows:                       a chunk's share
//     acc[r][v] = 0                                                 6 x 2 vectors, in registers
//     for k:  acc[r][v] += broadcast(row operand at (m+r, k)) * column operand at (k, n + 8v ...)
//     store epilogue(acc[r][v])
//
// * The row operand is read one scalar at a time wherever its linear form says: for a convolution in NHWC that is the
//   window, and its loops over width and channels merge into one contiguous depth loop. Nothing is copied.
// * A constant column operand is packed as [batch][panel][depth][panel columns]; another one is read in place when its
//   columns are contiguous, and gathered otherwise.
// * Rows fall into balanced blocks: 49 = 4 x 6 + 5 x 5, so that no block is a slow remainder. Both sizes run inside the
//   same panel: weights are streamed once.
// * The epilogue is whatever elementwise bodies, pads and reshapes follow; they are demanded at the tile's positions,
//   where the accumulators are already known.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Kernel.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

namespace {
class ContractionEmitter {
public:
  explicit ContractionEmitter(Kernel &k)
      : k(k), c(k.shape.contraction), op(c.op), extents(op.getStaticLoopRanges()), lanes(k.demand.lanes),
        vectors(k.schedule.panelColumns / lanes) {
    rowMap = op.getMatchingIndexingMap(&op->getOpOperand(c.rowOperand));
    columnMap = op.getMatchingIndexingMap(&op->getOpOperand(c.columnOperand));
    for (Value result : k.results)
      outputs.push_back(traceOutput(result));
    merge();
  }

  void emit() {
    Value number = k.chunk;
    BalancedBlocks blocks(c.extentOf(c.rows), k.schedule.tileRows);
    int64_t columns = c.extentOf(c.columns), panels = llvm::divideCeil(columns, k.schedule.panelColumns);
    int64_t panelGroups = llvm::divideCeil(panels, k.schedule.chunkPanels);
    int64_t rowGroups = llvm::divideCeil(blocks.count, k.schedule.chunkRowBlocks);
    Value panelGroup = splitOff(number, panelGroups), rowGroup = splitOff(number, rowGroups);
    loops.assign(extents.size(), Form());
    if (!batchLoops.empty())
      k.delinearize(number, batchLoops, loops);
    batchNumber = number;

    auto [firstBlock, lastBlock] = range(rowGroup, k.schedule.chunkRowBlocks, blocks.count);
    // Panels that are full go in one loop, in tiles of several panels; the last partial tile is emitted apart.
    int64_t tile = k.schedule.tilePanels, whole = columns / (tile * k.schedule.panelColumns);
    auto [firstTile, lastTile] = range(panelGroup, k.schedule.chunkPanels / tile, whole);
    k.loop(firstTile, lastTile, 1, [&, firstBlock = firstBlock, lastBlock = lastBlock](Value number) {
      rowBlocks(blocks, firstBlock, lastBlock, Form::ofSlot(k.demand.addSlot(number), tile), tile,
                tile * k.schedule.panelColumns);
    });
    int64_t rest = columns - whole * tile * k.schedule.panelColumns;
    if (rest != 0) {
      Value last = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, panelGroup, k.index(panelGroups - 1));
      k.onlyIf(last, [&, firstBlock = firstBlock, lastBlock = lastBlock] {
        rowBlocks(blocks, firstBlock, lastBlock, Form(whole * tile), llvm::divideCeil(rest, k.schedule.panelColumns),
                  rest);
      });
    }
    borders();
  }

private:
  //===--- loops ----------------------------------------------------------------------------------===//

  /// Loops of a role merge where the operands, the epilogue and the results allow it.
  void merge() {
    Reads reads(extents.size(), k.strides);
    Position all;
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      all.push_back(Form::ofSlot(loop));
    reads.known.insert(op->getResult(0));
    reads.collect(op->getOperand(c.rowOperand), apply(rowMap, all));
    if (!k.schedule.packed)
      reads.collect(op->getOperand(c.columnOperand), apply(columnMap, all));
    Reads depthReads = reads;
    Position result = apply(op.getIndexingMapsArray().back(), all);
    for (const Output &output : outputs)
      for (const Piece &piece : output.pieces)
        if (std::optional<Position> position = forward(piece.source, result)) {
          reads.forms.push_back(piece.offsetOf(*position));
          reads.collect(piece.source, *position);
        }
    rowLoops = mergeLoops(reads, c.rows, extents);
    batchLoops = mergeLoops(reads, c.batch, extents);
    depthLoops = mergeLoops(depthReads, c.depth, extents);
  }

  static Position apply(AffineMap map, ArrayRef<Form> dims) {
    Position position;
    for (AffineExpr expr : map.getResults())
      position.push_back(applyLinear(expr, dims).value_or(Form()));
    return position;
  }

  /// The position in `tensor`, which follows from the contraction's result by elementwise bodies and reshapes, of the
  /// element that comes from `position` of the result.
  std::optional<Position> forward(Value tensor, const Position &position) {
    if (tensor == op->getResult(0))
      return position;
    Operation *producer = tensor.getDefiningOp();
    if (auto generic = dyn_cast_or_null<linalg::GenericOp>(producer); generic && generic.getNumReductionLoops() == 0)
      for (OpOperand *input : generic.getDpsInputOperands())
        if (std::optional<Position> inner = forward(input->get(), position)) {
          Position dims(generic.getNumLoops());
          for (auto [expr, form] : llvm::zip_equal(generic.getMatchingIndexingMap(input).getResults(), *inner))
            if (auto dim = dyn_cast<AffineDimExpr>(expr))
              dims[dim.getPosition()] = form;
          return apply(generic.getIndexingMapMatchingResult(cast<OpResult>(tensor)), dims);
        }
    if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(producer))
      if (std::optional<Position> inner = forward(collapse.getSrc(), position)) {
        auto shape = cast<RankedTensorType>(collapse.getSrc().getType()).getShape();
        Position outer;
        for (const auto &group : collapse.getReassociationIndices()) {
          Form whole;
          for (int64_t d : group)
            whole = whole * shape[d] + (*inner)[d];
          outer.push_back(whole);
        }
        return outer;
      }
    return std::nullopt;
  }

  /// number % groups, and number becomes number / groups.
  Value splitOff(Value &number, int64_t groups) {
    if (groups == 1)
      return k.index(0);
    Value part = arith::RemUIOp::create(k.b, k.loc, number, k.index(groups));
    number = arith::DivUIOp::create(k.b, k.loc, number, k.index(groups));
    return part;
  }

  std::pair<Value, Value> range(Value group, int64_t size, int64_t total) {
    Value low = arith::MulIOp::create(k.b, k.loc, group, k.index(size));
    Value high =
        arith::MinSIOp::create(k.b, k.loc, arith::AddIOp::create(k.b, k.loc, low, k.index(size)), k.index(total));
    return {low, high};
  }

  void rowBlocks(const BalancedBlocks &blocks, Value first, Value last, Form panel, int64_t panels, int64_t columns) {
    if (blocks.big != 0) {
      Value end = arith::MinSIOp::create(k.b, k.loc, last, k.index(blocks.big));
      k.loop(first, end, 1, [&](Value block) {
        rowBlock = block;
        tile(Form::ofSlot(k.demand.addSlot(block), blocks.size + 1), blocks.size + 1, panel, panels, columns);
      });
    }
    if (blocks.big != blocks.count) {
      Value start = blocks.big ? Value(arith::MaxSIOp::create(k.b, k.loc, first, k.index(blocks.big))) : first;
      k.loop(start, last, 1, [&](Value block) {
        rowBlock = block;
        tile(Form::ofSlot(k.demand.addSlot(block), blocks.size) + Form(blocks.big), blocks.size, panel, panels,
             columns);
      });
    }
  }

  //===--- the register tile ----------------------------------------------------------------------===//

  /// Rows [row, row + count) times the columns of `panels` panels from number `panel`; `columns` of them are real.
  void tile(Form row, int64_t count, Form panel, int64_t panels, int64_t columns) {
    std::vector<Position> rows; // loop values per row
    for (int64_t r = 0; r < count; ++r) {
      Position position = loops;
      place(rowLoops, row + Form(r), position);
      rows.push_back(position);
    }
    tilePanel = panel;
    width = panels * vectors;
    Value zero = k.demand.spread(k.demand.zeroOf(k.b.getF32Type()));
    SmallVector<Value> sums = depthNest(rows, 0, Form(), SmallVector<Value>(count * width, zero));
    for (int64_t r = 0; r < count; ++r)
      for (int64_t v = 0; v < width; ++v) {
        k.demand.active = std::clamp<int64_t>(columns - v * lanes, 0, lanes);
        if (k.demand.active == 0)
          continue;
        writeVector(rows[r], columnForm(v), sums[r * width + v]);
      }
    k.demand.active = lanes;
  }

  /// The values of merged loops at flat number `flat`.
  void place(ArrayRef<MergedLoop> merged, Form flat, Position &position) {
    if (merged.size() == 1)
      position[merged[0].loop] = flat;
    else if (merged.size() > 1)
      k.delinearize(k.demand.indexOf(flat), merged, position);
  }

  Form columnForm(int64_t vector) const {
    Form form = tilePanel * k.schedule.panelColumns + Form(vector * lanes);
    form.lane = 1;
    return form;
  }

  void placeColumns(Form form, Position &position) { position[c.columns[0]] = form; }

  SmallVector<Value> depthNest(ArrayRef<Position> rows, unsigned depth, Form flat, SmallVector<Value> sums) {
    if (depthLoops.empty())
      return step(rows, flat, sums);
    const MergedLoop &loop = depthLoops[depth];
    std::vector<Position> inner(rows.begin(), rows.end());
    auto at = [&](Form form, SmallVector<Value> carried) {
      for (Position &position : inner)
        position[loop.loop] = form;
      Form next = flat * loop.extent + form;
      if (depth + 1 == depthLoops.size())
        return step(inner, next, carried);
      return depthNest(inner, depth + 1, next, carried);
    };
    bool last = depth + 1 == depthLoops.size();
    int64_t unroll = last ? k.schedule.depthUnroll : 1, whole = loop.extent / unroll * unroll;
    sums = k.loop(0, whole, unroll, sums, [&](Form form, ArrayRef<Value> carried) {
      SmallVector<Value> next(carried);
      if (last && k.schedule.prefetch)
        prefetch(flat * loop.extent + form);
      for (int64_t u = 0; u < unroll; ++u)
        next = at(form + Form(u), next);
      return next;
    });
    for (int64_t i = whole; i < loop.extent; ++i)
      sums = at(Form(i), sums);
    return sums;
  }

  /// One line of the next panel per turn; four row blocks together cover it.
  void prefetch(Form depth) {
    int64_t columns = k.schedule.panelColumns, depthExtent = c.extentOf(c.depth);
    Value phase = arith::AndIOp::create(k.b, k.loc, rowBlock, k.index(k.schedule.depthUnroll - 1));
    Form line = depth + Form::ofSlot(k.demand.addSlot(phase));
    Form offset = (tilePanel + Form(k.schedule.tilePanels)) * (depthExtent * columns) + line * columns;
    Value buffer = k.demand.bufferBehind(op->getOperand(c.columnOperand));
    memref::PrefetchOp::create(k.b, k.loc, buffer, k.demand.indexOf(offset), /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  }

  /// One depth: a vector per column vector, a scalar per row, and their products into the sums.
  SmallVector<Value> step(ArrayRef<Position> rows, Form depth, SmallVector<Value> sums) {
    SmallVector<Value> columns;
    for (int64_t v = 0; v < width; ++v)
      columns.push_back(k.demand.spread(columnVector(rows[0], depth, v)));
    for (auto [r, row] : llvm::enumerate(rows)) {
      Value scalar = k.demand.spread(k.demand.at(op->getOperand(c.rowOperand), apply(rowMap, row)));
      for (int64_t v = 0; v < width; ++v) {
        Value &sum = sums[r * width + v];
        sum = vector::FMAOp::create(k.b, k.loc, scalar, columns[v], sum);
      }
    }
    return sums;
  }

  Value columnVector(const Position &row, Form depth, int64_t vector) {
    Value operand = op->getOperand(c.columnOperand);
    if (!k.schedule.packed) {
      Position position = row;
      placeColumns(columnForm(vector), position);
      k.demand.active = std::min<int64_t>(lanes, liveLanes(vector));
      Value value =
          k.demand.active ? k.demand.at(operand, apply(columnMap, position)) : k.demand.zeroOf(k.b.getF32Type());
      k.demand.active = lanes;
      return value;
    }
    int64_t columns = k.schedule.panelColumns, depthExtent = c.extentOf(c.depth);
    int64_t panels = llvm::divideCeil(c.extentOf(c.columns), columns);
    Form offset = (tilePanel + Form(vector / vectors)) * (depthExtent * columns) + depth * columns +
                  Form(vector % vectors * lanes);
    if (!batchLoops.empty())
      offset = Form::ofSlot(k.demand.addSlot(batchNumber), panels * depthExtent * columns) + offset;
    offset.lane = 1;
    return k.demand.load(k.demand.bufferBehind(operand), offset, k.b.getF32Type());
  }

  /// Lanes of a vector that lie inside the columns; only the last, partial tile (a constant panel) has fewer.
  int64_t liveLanes(int64_t vector) const {
    if (!tilePanel.isConstant())
      return lanes;
    int64_t first = tilePanel.constant * k.schedule.panelColumns + vector * lanes;
    return std::clamp<int64_t>(c.extentOf(c.columns) - first, 0, lanes);
  }

  //===--- results --------------------------------------------------------------------------------===//

  void writeVector(Position position, Form columns, Value sum) {
    placeColumns(columns, position);
    k.demand.fix(op->getResult(0), sum);
    Position result = apply(op.getIndexingMapsArray().back(), position);
    for (auto [output, memref] : llvm::zip_equal(outputs, k.outputs))
      for (const Piece &piece : output.pieces) {
        Position place = *forward(piece.source, result);
        k.demand.store(k.demand.at(piece.source, place), memref, piece.offsetOf(place));
      }
    k.demand.unfix(op->getResult(0));
  }

  void borders() {
    Value first = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, k.chunk, k.index(0));
    for (auto [output, memref] : llvm::zip_equal(outputs, k.outputs))
      if (!output.borders.empty())
        k.onlyIf(first, [&, memref = memref, &output = output] {
          for (const Border &border : output.borders)
            k.fillBorder(border, memref);
        });
  }

  Kernel &k;
  const ContractionShape &c;
  linalg::GenericOp op;
  SmallVector<int64_t> extents;
  int64_t lanes, vectors;
  AffineMap rowMap, columnMap;
  std::vector<Output> outputs;
  SmallVector<MergedLoop> batchLoops, rowLoops, depthLoops;
  /// Values of the contraction's loops that are fixed for the chunk.
  Position loops;
  Value batchNumber, rowBlock;
  // The tile being emitted.
  Form tilePanel;
  int64_t width = 0;
};
} // namespace

void kumiko::cpu::emitContraction(Kernel &k) { ContractionEmitter(k).emit(); }
