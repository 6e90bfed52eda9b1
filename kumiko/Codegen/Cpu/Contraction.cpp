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
// * Where the epilogue reads several parts of the columns at the same place, the gates of a recurrent cell, a tile has
//   the same columns of every part, and the epilogue finds the sums of all.
// * As a part of another kernel a contraction has its columns copied together, a tile at a time (Attention.cpp).
// * Narrow integers go through IntegerDot.h: their rows are copied first, and a step in depth is a word of several.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/IntegerDot.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Elements from one run of columns to the next, up to which a tile of them does not crowd into few cache sets.
constexpr int64_t closeRuns = 128;

namespace {
class ContractionEmitter {
public:
  explicit ContractionEmitter(Kernel &k, const ContractionPart *part = nullptr)
      : k(k), c(k.shape.contraction), part(part), op(c.op), lanes(k.demand.lanes),
        vectors(k.schedule.panelColumns / lanes), columns(c.partColumns()) {
    rowMap = op.getMatchingIndexingMap(&op->getOpOperand(c.rowOperand));
    columnMap = op.getMatchingIndexingMap(&op->getOpOperand(c.columnOperand));
    merge();
    if (c.isInteger()) {
      integers.emplace(k);
      integers->depthLoops = depthLoops;
    }
  }

  void emit() {
    Value number = k.chunk;
    Value panelGroup = splitOff(number, panelGroupsOf(c, k.schedule)),
          rowGroup = splitOff(number, rowGroupsOf(c, k.schedule));
    auto [first, last] =
        k.shareOf(rowGroup, k.schedule.chunkRowBlocks, ceilDiv(c.extentOf(c.rows), k.schedule.tileRows));
    if (k.schedule.chunkBatch == 1)
      return emitShare(number, panelGroup, first, last);
    auto [low, high] = k.shareOf(number, k.schedule.chunkBatch, c.extentOf(c.batch));
    k.loop(low, high, 1, [&](Value batch) { emitShare(batch, panelGroup, first, last); });
  }

  void emitPart() { emitShare(part->batch, k.index(0), part->firstBlock, part->lastBlock); }

private:
  void emitShare(Value batch, Value panelGroup, Value first, Value last) {
    loops.assign(c.extents.size(), Form());
    if (!batchLoops.empty())
      k.delinearize(batch, batchLoops, loops);
    batchNumber = batch;
    Extent rows = c.extentOf(c.rows);
    if (integers)
      copyIntegers(rows, first, last, panelGroup);
    if (rows.isStatic())
      panelTiles(panelGroup, 1, [&](Form panel) { rowBlocks(rows, first, last, panel); });
    else
      openRows(rows, panelGroup, first, last);
    k.fillBorders();
  }

  //===--- loops ----------------------------------------------------------------------------------===//

  /// Loops of a role merge where the operands, the epilogue and the results allow it.
  void merge() {
    Reads reads(c.extents.size(), k.storage);
    Position all;
    for (unsigned loop = 0; loop < c.extents.size(); ++loop)
      all.push_back(Form::ofSlot(loop));
    reads.known.insert(op->getResult(0));
    reads.collect(op->getOperand(c.rowOperand), applyMap(rowMap, all));
    size_t before = reads.forms.size();
    if (!k.schedule.packed)
      reads.collect(op->getOperand(c.columnOperand), applyMap(columnMap, all));
    SmallVector<Form> columnForms(ArrayRef(reads.forms).drop_front(before));
    Reads depthReads = reads;
    Position result = applyMap(op.getIndexingMapsArray().back(), all);
    for (const Output &output : k.written)
      for (const Piece &piece : output.pieces)
        if (std::optional<Position> position = forward(piece.source, result)) {
          reads.forms.push_back(offsetOf(piece, *position));
          reads.collect(piece.source, *position);
        }
    rowLoops = mergeLoops(reads, c.rows, c.extents);
    batchLoops = mergeLoops(reads, c.batch, c.extents);
    depthLoops = mergeLoops(depthReads, c.depth, c.extents);
    auto isRun = [&](const Form &form) { return form.coefficientOf(c.columns[0]).is(1); };
    // Runs that lie close together are as good as copied.
    auto isClose = [&](const Form &form) {
      Extent step = depthLoops.empty() ? Extent(0) : form.coefficientOf(depthLoops.back().loop);
      return isRun(form) && (!k.schedule.copyRuns || (step.isStatic() && step.value() <= closeRuns));
    };
    copied = part && (!llvm::all_of(columnForms, isClose) || depthReads.opaque.any());
    columnsAcross = !depthLoops.empty() && !depthReads.opaque.test(depthLoops.back().loop) &&
                    llvm::any_of(columnForms, [&](const Form &form) {
                      return !isRun(form) && form.coefficientOf(depthLoops.back().loop).is(1);
                    });
  }

  std::optional<Position> forward(Value tensor, const Position &position) {
    return positionAfter(tensor, op, position, k.storage, /*isPart=*/c.parts > 1);
  }

  /// number % groups, and number becomes number / groups.
  Value splitOff(Value &number, const Extent &groups) {
    if (groups.is(1))
      return k.index(0);
    Value part = arith::RemUIOp::create(k.b, k.loc, number, k.index(groups));
    number = arith::DivUIOp::create(k.b, k.loc, number, k.index(groups));
    return part;
  }

  /// What a chunk of integers multiplies, copied to where it is multiplied.
  void copyIntegers(const Extent &rows, Value firstBlock, Value lastBlock, Value panelGroup) {
    auto [first, last] = rowsOfBlocks(k, rows, firstBlock, lastBlock);
    integers->copyRows(first, last, [&](Form row) { return rowPositions(row, 1)[0]; });
    Extent panels = ceilDiv(columns, k.schedule.panelColumns);
    if (!k.schedule.packed) {
      auto [firstPanel, lastPanel] = k.shareOf(panelGroup, k.schedule.chunkPanels, panels);
      integers->copyColumns(firstPanel, lastPanel, loops);
    } else if (!batchLoops.empty()) {
      integers->setBatch(Form::ofSlot(k.demand.addSlot(batchNumber), panels * integers->panelWords()));
    }
  }

  /// The tiles of a group of panels. Panels that are full go in one loop, in tiles of several panels, and those `side`
  /// by side; the last partial tile is emitted apart.
  void panelTiles(Value group, int64_t side, llvm::function_ref<void(Form)> rowsAt) {
    int64_t tile = k.schedule.tilePanels, tileColumns = tile * k.schedule.panelColumns;
    Extent whole = floorDiv(columns, tileColumns), rest = columns - whole * tileColumns;
    auto [first, last] =
        part ? std::pair(k.index(0), k.index(whole)) : k.shareOf(group, k.schedule.chunkPanels / tile, whole);
    auto fillAndRun = [&](Form panel) {
      if (copied)
        fillPanel(panel);
      rowsAt(panel);
    };
    auto tiles = [&](Value low, Value high, int64_t step) {
      k.loop(low, high, step, [&](Value number) {
        lanesOf.assign(step * tile * vectors, lanes);
        fillAndRun(Form::ofSlot(k.demand.addSlot(number), tile));
      });
    };
    if (side > 1) {
      Value count = arith::MaxSIOp::create(k.b, k.loc, arith::SubIOp::create(k.b, k.loc, last, first), k.index(0));
      Value odd = arith::RemUIOp::create(k.b, k.loc, count, k.index(side));
      Value middle = arith::SubIOp::create(k.b, k.loc, arith::AddIOp::create(k.b, k.loc, first, count), odd);
      tiles(first, middle, side);
      first = middle;
    }
    tiles(first, last, 1);
    if (rest.is(0))
      return;
    auto runRest = [&] { partialTile(rest, [&] { fillAndRun(Form(whole * tile)); }); };
    if (part)
      return runRest();
    Extent lastGroup = panelGroupsOf(c, k.schedule) - 1;
    Value isLast = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, group, k.index(lastGroup));
    k.onlyIf(isLast, runRest);
  }

  //===--- columns copied together ----------------------------------------------------------------===//

  /// Copies the columns of the tile at `panel` to where its rows find them, one depth after the other.
  void fillPanel(Form panel) {
    tilePanel = panel;
    fillDepth(0, Form(), loops);
  }

  void fillDepth(unsigned number, Form flat, Position position) {
    if (number == depthLoops.size())
      return copyVectors(position, flat);
    const MergedLoop &loop = depthLoops[number];
    Extent start = 0;
    if (columnsAcross && number + 1 == depthLoops.size())
      start = fillBlocks(loop, flat, position);
    k.loop(start, loop.extent, 1, {}, [&](Form form, ArrayRef<Value>) {
      position[loop.loop] = form;
      fillDepth(number + 1, flat * loop.extent + form, position);
      return SmallVector<Value>();
    });
  }

  /// Squares of columns and depth, turned in registers (Blocks.h); how much of the depth they cover.
  Extent fillBlocks(const MergedLoop &loop, Form flat, Position position) {
    auto block = [&](Value firstLine, int64_t lines) {
      unsigned slot = k.demand.addSlot(firstLine);
      for (int64_t v = 0; v < int64_t(lanesOf.size()); ++v) {
        if (lanesOf[v].is(0))
          continue;
        k.demand.blocks.begin(slot, lanesOf[v], lines);
        for (int64_t line = 0; line < lines; ++line) {
          k.demand.blocks.setLine(line);
          position[loop.loop] = Form::ofSlot(slot) + Form(line);
          copyVector(position, flat * loop.extent + position[loop.loop], v);
        }
        k.demand.blocks.end();
      }
    };
    Extent full = floorDiv(loop.extent, lanes) * lanes, rest = loop.extent - full;
    k.loop(k.index(0), k.index(full), lanes, [&](Value line) { block(line, lanes); });
    if (!rest.isStatic())
      return full;
    if (!rest.is(0))
      block(k.index(full), rest.value());
    return loop.extent;
  }

  void copyVectors(const Position &position, Form depth) {
    for (int64_t v = 0; v < int64_t(lanesOf.size()); ++v)
      if (!lanesOf[v].is(0))
        copyVector(position, depth, v);
  }

  void copyVector(const Position &position, Form depth, int64_t vector) {
    Value value = k.demand.spread(columnVectorInPlace(position, vector, 0));
    k.demand.store(value, part->panel, placeInPanel(depth, vector));
  }

  Form placeInPanel(Form depth, int64_t vector) const {
    Form offset = depth * int64_t(lanesOf.size() * lanes) + Form(vector * lanes);
    offset.lane = 1;
    return offset;
  }

  /// A tile with `rest` columns. Where that is an expression there is one panel, and as many vectors as are needed.
  void partialTile(const Extent &rest, llvm::function_ref<void()> body) {
    if (rest.isStatic()) {
      lanesOf.clear();
      for (int64_t v = 0; v < int64_t(llvm::divideCeil(rest.value(), k.schedule.panelColumns)) * vectors; ++v)
        lanesOf.push_back(std::clamp<int64_t>(rest.value() - v * lanes, 0, lanes));
      return body();
    }
    for (int64_t full = 0; full < vectors; ++full) {
      auto beyond = [&](int64_t count) -> Value {
        return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sgt, k.index(rest), k.index(count * lanes));
      };
      Value fits = arith::XOrIOp::create(k.b, k.loc, beyond(full + 1), k.demand.constantOf(k.b.getBoolAttr(true)));
      k.onlyIf(arith::AndIOp::create(k.b, k.loc, beyond(full), fits), [&] {
        lanesOf.assign(full, lanes);
        lanesOf.push_back(rest - full * lanes);
        body();
      });
    }
  }

  void rowBlocks(const Extent &rows, Value first, Value last, Form panel) {
    BalancedBlocks blocks(rows.value(), k.schedule.tileRows);
    if (blocks.big != 0) {
      Value end = arith::MinSIOp::create(k.b, k.loc, last, k.index(blocks.big));
      k.loop(first, end, 1, [&](Value block) {
        rowBlock = block;
        tile(Form::ofSlot(k.demand.addSlot(block), blocks.size + 1), blocks.size + 1, panel);
      });
    }
    if (blocks.big != blocks.count) {
      Value start = blocks.big ? Value(arith::MaxSIOp::create(k.b, k.loc, first, k.index(blocks.big))) : first;
      k.loop(start, last, 1, [&](Value block) {
        rowBlock = block;
        tile(Form::ofSlot(k.demand.addSlot(block), blocks.size) + Form(blocks.big), blocks.size, panel);
      });
    }
  }

  /// Any number of rows, in blocks of the most rows and of one less. From some number on that comes out even; with
  /// fewer rows the last blocks overlap, and with fewer than a block has there is a row at a time, over more panels.
  /// Whichever block computes a row, it does the same sums.
  void openRows(const Extent &rows, Value panelGroup, Value first, Value last) {
    int64_t less = std::max<int64_t>(k.schedule.tileRows - 1, 1);
    Value isBlock = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sge, k.index(rows), k.index(less));
    auto choice = scf::IfOp::create(k.b, k.loc, isBlock, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(choice.thenBlock());
    panelTiles(panelGroup, 1, [&](Form panel) { openRowBlocks(rows, first, last, panel); });
    k.b.setInsertionPointToStart(choice.elseBlock());
    rowBlock = k.index(0);
    panelTiles(panelGroup, k.schedule.packed ? std::max<int64_t>(4 / c.parts, 1) : 1, [&](Form panel) {
      k.loop(k.index(0), k.index(rows), 1, [&](Value row) { tile(Form::ofSlot(k.demand.addSlot(row)), 1, panel); });
    });
  }

  void openRowBlocks(const Extent &rows, Value first, Value last, Form panel) {
    int64_t most = k.schedule.tileRows, less = std::max<int64_t>(most - 1, 1);
    Extent big = max(rows - ceilDiv(rows, most) * less, 0);
    k.loop(first, arith::MinSIOp::create(k.b, k.loc, last, k.index(big)), 1, [&](Value block) {
      rowBlock = block;
      tile(Form::ofSlot(k.demand.addSlot(block), most), most, panel);
    });
    k.loop(arith::MaxSIOp::create(k.b, k.loc, first, k.index(big)), last, 1, [&](Value block) {
      rowBlock = block;
      Value own = k.demand.indexOf(Form::ofSlot(k.demand.addSlot(block), less) + Form(big));
      Value row = arith::MinSIOp::create(k.b, k.loc, own, k.index(rows - less));
      // What lies where the results go is there once.
      firstWritten = k.layouts.inPlace.empty() ? Value() : own;
      tile(Form::ofSlot(k.demand.addSlot(row)), less, panel);
      firstWritten = Value();
    });
  }

  //===--- the register tile ----------------------------------------------------------------------===//

  /// Rows [row, row + count) times the columns from panel number `panel` on, as many vectors as `lanesOf` has.
  void tile(Form row, int64_t count, Form panel) {
    std::vector<Position> rows = rowPositions(row, count);
    tilePanel = panel;
    int64_t width = lanesOf.size() * c.parts;
    Value zero = k.demand.spread(k.demand.zeroOf(c.elementType()));
    SmallVector<Value> sums = integers ? integers->sums(row, count, panel, width)
                                       : depthNest(rows, 0, Form(), SmallVector<Value>(count * width, zero));
    for (int64_t r = 0; r < count; ++r) {
      auto write = [&] { writeRow(rows[r], ArrayRef(sums).slice(r * width, width)); };
      if (!firstWritten) {
        write();
        continue;
      }
      Value number = k.demand.indexOf(row + Form(r));
      k.onlyIf(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sge, number, firstWritten), write);
    }
  }

  void writeRow(const Position &row, ArrayRef<Value> sums) {
    for (int64_t v = 0; v < int64_t(lanesOf.size()); ++v) {
      if (lanesOf[v].is(0))
        continue;
      k.demand.active = lanesOf[v];
      SmallVector<Value> ofParts;
      for (int64_t part = 0; part < c.parts; ++part)
        ofParts.push_back(sums[part * lanesOf.size() + v]);
      writeVector(row, columnForm(v), ofParts);
    }
    k.demand.active = lanes;
  }

  /// The values of the loops for `count` rows from `row` on.
  std::vector<Position> rowPositions(const Form &row, int64_t count) {
    std::vector<Position> rows;
    bool divides = llvm::any_of(ArrayRef(rowLoops).drop_front(std::min<size_t>(rowLoops.size(), 1)),
                                [](const MergedLoop &loop) { return !loop.extent.isStatic(); });
    for (int64_t r = 0; r < count; ++r) {
      Position position = loops;
      if (divides && r > 0)
        nextRow(rows.back(), position);
      else
        place(rowLoops, row + Form(r), position);
      rows.push_back(position);
    }
    return rows;
  }

  /// The row after `previous`: dividing by numbers that are only known at run time would cost more than the row's sums.
  void nextRow(const Position &previous, Position &position) {
    Value carry = k.index(1);
    for (size_t n = rowLoops.size(); n-- > 0;) {
      Value number = arith::AddIOp::create(k.b, k.loc, k.demand.indexOf(previous[rowLoops[n].loop]), carry);
      if (n != 0) {
        Value end = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, number, k.index(rowLoops[n].extent));
        number = arith::SelectOp::create(k.b, k.loc, end, k.index(0), number);
        carry = arith::SelectOp::create(k.b, k.loc, end, k.index(1), k.index(0));
      }
      position[rowLoops[n].loop] = Form::ofSlot(k.demand.addSlot(number));
    }
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
    int64_t unroll = last ? k.schedule.depthUnroll : 1;
    Extent whole = floorDiv(loop.extent, unroll) * unroll;
    sums = k.loop(0, whole, unroll, sums, [&](Form form, ArrayRef<Value> carried) {
      SmallVector<Value> next(carried);
      if (last && k.schedule.prefetch)
        prefetch(flat * loop.extent + form);
      for (int64_t u = 0; u < unroll; ++u)
        next = at(form + Form(u), next);
      return next;
    });
    if (!loop.extent.isStatic())
      return k.loop(whole, loop.extent, 1, sums,
                    [&](Form form, ArrayRef<Value> carried) { return at(form, llvm::to_vector(carried)); });
    for (int64_t i = whole.value(); i < loop.extent.value(); ++i)
      sums = at(Form(i), sums);
    return sums;
  }

  /// One line of the next panel per turn; four row blocks together cover it.
  void prefetch(Form depth) {
    int64_t columns = k.schedule.panelColumns * c.parts;
    Extent depthExtent = c.extentOf(c.depth);
    Value phase = arith::AndIOp::create(k.b, k.loc, rowBlock, k.index(k.schedule.depthUnroll - 1));
    Form line = depth + Form::ofSlot(k.demand.addSlot(phase));
    Form offset = (tilePanel + Form(k.schedule.tilePanels)) * (depthExtent * columns) + line * columns;
    Value buffer = k.demand.bufferBehind(op->getOperand(c.columnOperand));
    memref::PrefetchOp::create(k.b, k.loc, buffer, k.demand.indexOf(offset), /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  }

  /// One depth: a vector per column vector, a scalar per row, and their products into the sums.
  SmallVector<Value> step(ArrayRef<Position> rows, Form depth, SmallVector<Value> sums) {
    SmallVector<Value> vectors;
    for (int64_t part = 0; part < c.parts; ++part)
      for (int64_t v = 0; v < int64_t(lanesOf.size()); ++v)
        vectors.push_back(factor(columnVector(rows[0], depth, v, part)));
    int64_t width = vectors.size();
    for (auto [r, row] : llvm::enumerate(rows)) {
      Value scalar = factor(k.demand.at(op->getOperand(c.rowOperand), applyMap(rowMap, row)));
      for (int64_t v = 0; v < width; ++v) {
        Value &sum = sums[r * width + v];
        sum = vector::FMAOp::create(k.b, k.loc, scalar, vectors[v], sum);
      }
    }
    return sums;
  }

  Value columnVectorInPlace(Position position, int64_t vector, int64_t part) {
    placeColumns(columnForm(vector) + Form(columns * part), position);
    k.demand.active = lanesOf[vector];
    Value value = k.demand.at(op->getOperand(c.columnOperand), applyMap(columnMap, position));
    k.demand.active = lanes;
    return value;
  }

  /// A vector of what sums are made of; floats of 16 bits are widened as vectors, which is one instruction where
  /// machines know them.
  Value factor(Value value) {
    Value vector = k.demand.spread(value);
    auto type = VectorType::get({lanes}, c.elementType());
    return vector.getType() == type ? vector : arith::ExtFOp::create(k.b, k.loc, type, vector);
  }

  Value columnVector(const Position &row, Form depth, int64_t vector, int64_t part) {
    if (!k.schedule.packed && lanesOf[vector].is(0))
      return k.demand.zeroOf(c.elementType());
    if (copied)
      return k.demand.load(this->part->panel, placeInPanel(depth, vector), c.elementType());
    if (!k.schedule.packed)
      return columnVectorInPlace(row, vector, part);
    Value operand = op->getOperand(c.columnOperand);
    int64_t panelColumns = k.schedule.panelColumns;
    Extent panel = c.extentOf(c.depth) * (panelColumns * c.parts), panels = ceilDiv(columns, panelColumns);
    Form number = tilePanel + Form(vector / vectors);
    Form offset =
        number * panel + depth * (panelColumns * c.parts) + Form(part * panelColumns + vector % vectors * lanes);
    if (!batchLoops.empty())
      offset = Form::ofSlot(k.demand.addSlot(batchNumber), panels * panel) + offset;
    offset.lane = 1;
    return k.demand.load(k.demand.bufferBehind(operand), offset, getElementTypeOrSelf(operand.getType()));
  }

  //===--- results --------------------------------------------------------------------------------===//

  /// `sums` are those of the same columns of each part.
  void writeVector(Position position, Form columns, ArrayRef<Value> sums) {
    placeColumns(columns, position);
    if (c.parts == 1)
      k.demand.fix(op->getResult(0), sums[0]);
    else
      k.demand.define(op->getResult(0), [&](ArrayRef<Form> asked) {
        Extent ahead = asked.back().constant - columns.constant;
        return sums[ahead.value() / this->columns.value()];
      });
    Position result = applyMap(op.getIndexingMapsArray().back(), position);
    // All values before the first is stored: what they have in common is then computed once.
    llvm::SmallDenseMap<Value, Value> values;
    for (const Output &output : k.written)
      for (const Piece &piece : output.pieces)
        if (Value &value = values[piece.source]; !value)
          value = k.demand.at(piece.source, *forward(piece.source, result));
    for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
      for (const Piece &piece : output.pieces)
        k.demand.store(values[piece.source], memref, offsetOf(piece, *forward(piece.source, result)));
    c.parts == 1 ? k.demand.unfix(op->getResult(0)) : k.demand.undefine(op->getResult(0));
  }

  Kernel &k;
  const ContractionShape &c;
  const ContractionPart *part; ///< null where the contraction is the whole kernel
  linalg::GenericOp op;
  int64_t lanes, vectors; ///< lanes of a vector, vectors of a panel
  Extent columns;
  AffineMap rowMap, columnMap;
  SmallVector<MergedLoop> batchLoops, rowLoops, depthLoops;
  /// The columns of a tile are copied together; they lie apart in memory, and the last loop of the depth along it.
  bool copied = false, columnsAcross = false;
  /// Values of the contraction's loops that are fixed for the chunk.
  Position loops;
  Value batchNumber, rowBlock;
  /// Rows of the tile before this one are another tile's to write; null where there are none.
  Value firstWritten;
  // The tile being emitted: its first panel, and how many lanes of each vector are columns.
  Form tilePanel;
  Extents lanesOf;
  std::optional<IntegerDot> integers;
};
} // namespace

void kumiko::cpu::emitContraction(Kernel &k) { ContractionEmitter(k).emit(); }

void kumiko::cpu::emitContractionPart(Kernel &k, const ContractionPart &part) {
  ContractionEmitter(k, &part).emitPart();
}

/// As rowBlocks and openRowBlocks cut them.
std::pair<Value, Value> kumiko::cpu::rowsOfBlocks(Kernel &k, const Extent &rows, Value firstBlock, Value lastBlock) {
  int64_t most = k.schedule.tileRows;
  Extent size = std::max<int64_t>(most - 1, 1), big = max(rows - ceilDiv(rows, most) * size, 0);
  if (rows.isStatic()) {
    BalancedBlocks blocks(rows.value(), most);
    size = blocks.size;
    big = blocks.big;
  }
  auto rowsBefore = [&](Value block) -> Value {
    Value bigger = arith::MinSIOp::create(k.b, k.loc, block, k.index(big));
    return arith::AddIOp::create(k.b, k.loc, arith::MulIOp::create(k.b, k.loc, block, k.index(size)), bigger);
  };
  return {arith::MinSIOp::create(k.b, k.loc, rowsBefore(firstBlock), k.index(max(rows - size, 0))),
          arith::MinSIOp::create(k.b, k.loc, rowsBefore(lastBlock), k.index(rows))};
}
