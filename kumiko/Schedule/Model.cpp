//===- Model.cpp - the analytical model: from shapes to a schedule ---------===//
//
// Measured rules, not searched ones (the figures are in docs/decisions/0002-register-tile.md):
//   * a tile of 6 rows x 2 vectors keeps 12 accumulators, 2 vectors of columns and 1 broadcast in 16 registers;
//   * with fewer rows than that, more panels side by side keep as many accumulators busy and read as many streams;
//   * the larger operand is streamed once: weights larger than the input split by panels, all rows inside a chunk;
//   * a chunk is worth at least about 20 microseconds, so that claiming it costs nothing; a kernel that would have less
//     than a few of these is cut into chunks of 5, which still is many times what handing one over costs;
//   * with few rows the time is that in which packed weights are read, not that of the arithmetic.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Kernel/Arguments.h"
#include "kumiko/Kernel/Functions.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Schedule/AttentionLayout.h"
#include "kumiko/Schedule/ChosenRows.h"
#include "kumiko/Schedule/FarReads.h"
#include "kumiko/Schedule/Packing.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kumiko;

constexpr int64_t fewChunks = 4, flopsPerSmallChunk = flopsPerChunk / 4;
/// What could be computed while a byte comes from the second-level cache or the one behind it.
constexpr int64_t flopsPerByte = 2;
/// Vectors are not made shorter than this many bytes.
constexpr int64_t fewestBytes = 32;
/// What the copied rows of one chunk may take of the second-level cache.
constexpr int64_t integerScratchBytes = 128 << 10;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int64_t chunksWorth(int64_t flops) {
  return std::clamp<int64_t>(flops / flopsPerChunk, std::clamp<int64_t>(flops / flopsPerSmallChunk, 1, fewChunks),
                             mostChunks);
}

static void scheduleContraction(Schedule &schedule, const ContractionShape &shape, KernelExtents &extents,
                                bool columnsConstant, const Machine &machine) {
  Extent allRows = shape.extentOf(shape.rows), allColumns = shape.partColumns();
  int64_t batch = typicalSize(shape.extentOf(shape.batch)), rows = typicalSize(allRows);
  int64_t columns = typicalSize(allColumns), depth = typicalSize(shape.extentOf(shape.depth));
  // Expressions may be anything: decide for rows worth a tile, and for one panel where the number of columns is open.
  if (!allRows.isStatic())
    rows = std::max(rows, 8 * schedule.tileRows);
  schedule.packed = columnsConstant;
  if (shape.isInteger())
    schedule.depthGroup = machine.byteDot && shape.rowBits == 8 && shape.columnBits == 8 ? 4 : 2;
  int64_t bytes = shape.elementType().getIntOrFloatBitWidth() / 8;
  schedule.lanes = machine.lanes * 4 / bytes;
  schedule.prefetch =
      columnsConstant && !shape.isInteger() && rows >= 2 * schedule.tileRows && columns * depth * bytes > machine.l2;
  bool narrow = allColumns.isStatic() && columns <= schedule.lanes;
  // Half a vector costs no more than a whole one that is half empty, and on some machines half as much.
  if (narrow && 2 * columns <= schedule.lanes && schedule.lanes * bytes > fewestBytes && !shape.isInteger() &&
      shape.parts == 1)
    schedule.lanes /= 2;
  schedule.panelColumns = narrow || shape.parts > 1 ? schedule.lanes : 2 * schedule.lanes;
  int64_t vectors = schedule.panelColumns / schedule.lanes * shape.parts;
  // Two thirds of the registers hold sums; the rest streams.
  int64_t sums = machine.registers * 3 / 4;
  // Cells run over few rows, mostly a power of two of them: blocks of four and five waste none.
  // One vector of columns leaves room for twice as many rows, without which each sum would wait for the one before.
  int64_t mostRows = vectors == 1 ? 12 : shape.parts > 1 && !allRows.isStatic() ? 5 : 6;
  schedule.tileRows = std::min({rows, mostRows, sums / vectors});
  int64_t panels = ceilDiv(columns, schedule.panelColumns);
  schedule.tilePanels = std::clamp<int64_t>(std::min(sums / (schedule.tileRows * vectors), panels), 1, 4);
  if (!allColumns.isStatic())
    schedule.tilePanels = 1;

  int64_t blocks = BalancedBlocks(rows, schedule.tileRows).count;
  int64_t tiles = ceilDiv(panels, schedule.tilePanels);
  int64_t weights = batch * columns * shape.parts * depth;
  int64_t wanted = chunksWorth(std::max(2 * rows * weights, columnsConstant ? 4 * flopsPerByte * weights : 0));
  int64_t perBatch = ceilDiv(wanted, batch);
  // Elements that the operands really have: convolutions read each element several times.
  linalg::GenericOp op = shape.op;
  bool columnsLarger = typicalSize(extents.elementsOf(op->getOperand(shape.columnOperand))) >=
                       typicalSize(extents.elementsOf(op->getOperand(shape.rowOperand)));
  int64_t rowGroups = columnsLarger ? ceilDiv(blocks, 64) : std::clamp(perBatch, ceilDiv(blocks, 32), blocks);
  int64_t panelGroups = std::clamp<int64_t>(ceilDiv(perBatch, rowGroups), 1, tiles);
  if (shape.isInteger()) {
    // Rows are copied once for all panels of a chunk, so that chunks are cut along the rows while there are enough.
    int64_t rowBytes = 4 * ceilDiv(depth, schedule.depthGroup);
    int64_t fitting = std::max<int64_t>(integerScratchBytes / (rowBytes * schedule.tileRows), 1);
    rowGroups = std::clamp(perBatch, ceilDiv(blocks, fitting), blocks);
    panelGroups = std::clamp<int64_t>(perBatch / rowGroups, 1, tiles);
  }
  schedule.chunkRowBlocks = ceilDiv(blocks, rowGroups);
  schedule.chunkPanels = ceilDiv(tiles, panelGroups) * schedule.tilePanels;
  if (!allRows.isStatic()) {
    // There may be few rows, but the panels are known: so many share a chunk as are worth it with a few blocks of rows.
    int64_t fewRows = 8 * schedule.tileRows;
    int64_t panelDepth = std::max<int64_t>(depth, 1) * schedule.panelColumns * shape.parts;
    int64_t panelsWorth = ceilDiv(flopsPerChunk, 2 * fewRows * panelDepth);
    if (panelsWorth < schedule.chunkPanels) {
      // An even number of shares is what most numbers of threads divide.
      int64_t shares = llvm::alignTo(ceilDiv(panels, panelsWorth), 2);
      schedule.chunkPanels = ceilDiv(ceilDiv(panels, shares), schedule.tilePanels) * schedule.tilePanels;
      schedule.chunkRowBlocks = std::max<int64_t>(schedule.chunkRowBlocks, 8);
    }
    // There may be any number of chunks, so each must be worth its claim, within what the second-level cache holds.
    int64_t blockColumns = std::min(columns, schedule.chunkPanels * schedule.panelColumns) * shape.parts;
    int64_t blockInputs = schedule.tileRows * std::max<int64_t>(depth, 1);
    int64_t worthwhile = ceilDiv(flopsPerChunk, 2 * blockInputs * blockColumns);
    int64_t most = std::max<int64_t>(64, machine.l2 / (bytes * blockInputs));
    schedule.chunkRowBlocks = std::max(schedule.chunkRowBlocks, std::min(worthwhile, most));
    // Blocks have the most rows or one less. As long as that does not come out even they overlap, and then they must
    // lie in one chunk: it does from (most - 1) * (most - 2) rows on.
    schedule.chunkRowBlocks = std::max(schedule.chunkRowBlocks, schedule.tileRows - 2);
  }
  // Small products are not worth a chunk each.
  Extent products = shape.extentOf(shape.batch);
  if (products.isStatic() && rowGroups * panelGroups == 1)
    schedule.chunkBatch = std::max<int64_t>(products.value() / wanted, 1);
  // None for a batch of none: a chunk would read what is not there.
  schedule.chunks =
      ceilDiv(products, schedule.chunkBatch) * rowGroupsOf(shape, schedule) * panelGroupsOf(shape, schedule);
  if (shape.isInteger()) {
    IntegerLayout layout = integerLayoutOf(shape, schedule);
    schedule.scratchBytes = layout.rowBytes(shape, schedule);
    if (!schedule.packed)
      schedule.scratchBytes = schedule.scratchBytes + 4 * std::min(panels, schedule.chunkPanels) * layout.panelWords();
  }
}

/// Whether computing the body again costs more than keeping a row in the first-level cache.
static bool isExpensive(linalg::GenericOp op) {
  return llvm::any_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return inner.getDialect()->getNamespace() == "math" || isa<arith::DivFOp>(inner);
  });
}

/// Elementwise rows that a reduction and something after it both need.
static void keepSharedRows(Schedule &schedule, const RowsShape &rows, Block &body) {
  Extent bytes = 0, row = product(rows.reduced) * (8 * (rows.lanesInsideRow ? 1 : schedule.lanes));
  for (auto [number, op] : llvm::enumerate(body)) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || generic.getNumReductionLoops() != 0 || generic.getNumResults() != 1 || !isExpensive(generic))
      continue;
    // One number per row is no row, and must be there for rows of no elements, too; nor is what is spread over rows.
    if (cast<RankedTensorType>(generic->getResult(0).getType()).getRank() != int64_t(rows.order.size()))
      continue;
    bool reduced = false;
    for (Operation *user : op.getUsers())
      if (auto other = dyn_cast<linalg::GenericOp>(user))
        reduced |= other.getNumReductionLoops() != 0;
    if (!reduced || op.hasOneUse())
      continue;
    schedule.keptOps.push_back(number);
    bytes += ceilDiv(row, 64) * 64;
  }
  schedule.scratchBytes = bytes;
}

/// Constants that an inline reduction reads along its lanes, but not along memory: depthwise weights.
static void storeLanesLast(Schedule &schedule, Block &body, KernelExtents &extents,
                           llvm::function_ref<bool(BlockArgument)> isConstant) {
  for (auto op : body.getOps<linalg::GenericOp>()) {
    Extents loops = extents.loopsOf(op);
    std::optional<unsigned> lane;
    for (AffineExpr expr : op.getIndexingMapsArray().back().getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && !loops[dim.getPosition()].is(1))
        lane = dim.getPosition();
    if (std::optional<FewPerGroup> found = fewPerGroup(op, loops))
      lane = found->groups;
    if (!lane || op.getNumReductionLoops() == 0)
      continue;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = argumentBehind(input->get());
      if (!argument || asRead(argument) != input->get() || !input->get().hasOneUse() || !isConstant(argument))
        continue;
      AffineExpr laneExpr = getAffineDimExpr(*lane, op.getContext());
      ArrayRef<AffineExpr> exprs = op.getMatchingIndexingMap(input).getResults();
      int64_t place = llvm::find(exprs, laneExpr) - exprs.begin();
      if (place + 1 >= int64_t(exprs.size()))
        continue; // not read along the lanes, or already last
      schedule.lanesLast.append({int64_t(argument.getArgNumber()), place});
    }
  }
}

/// Whether each dimension of the column operand is walked along by a loop of its own: panels have no place for windows.
static bool readsWholeColumns(const ContractionShape &shape) {
  linalg::GenericOp op = shape.op;
  Value operand = op->getOperand(shape.columnOperand);
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(shape.columnOperand));
  return llvm::all_of_zip(map.getResults(), cast<RankedTensorType>(operand.getType()).getShape(),
                          [&](AffineExpr expr, int64_t size) {
                            auto loop = dyn_cast<AffineDimExpr>(expr);
                            return size == 1 || (loop && shape.extents[loop.getPosition()].is(size));
                          });
}

/// The column operand can be packed when it is a constant that only the contraction reads.
static bool hasConstantColumns(const ContractionShape &shape, llvm::function_ref<bool(BlockArgument)> isConstant) {
  BlockArgument argument = argumentBehind(linalg::GenericOp(shape.op)->getOperand(shape.columnOperand));
  return argument && argument.hasOneUse() && isConstant(argument) && readsWholeColumns(shape);
}

/// As many chunks as the work is worth.
static Extent chunksFor(const Extent &operations) {
  if (operations.overflowed())
    return mostChunks;
  return min(max(floorDiv(operations, scalarOpsPerChunk), 1), mostChunks);
}

/// Into how many shares the places of a scatter may go. Each chunk looks at all points, which takes `looks`: all looks
/// together are to be a small part of the work.
static Extent placesWorthSharing(const ScatterShape &shape, const Extent &work, const Extent &looks) {
  constexpr int64_t smallPart = 8;
  return min(floorDiv(work, max(looks, 1) * smallPart), shape.loops.extents[shape.firstPlace()]);
}

/// Of an element; a truth value takes one.
static int64_t bytesOf(Value tensor) {
  return llvm::divideCeil(getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth(), 8);
}

/// Of a scatter's result, rows for each point of a column from which on the copy of it matters more than the points,
/// and from which on it matters so much more that it is to be one stretch of memory: sooner where strips of so many
/// rows do not stay in the cache.
constexpr int64_t manyRowsPerPoint = 8, mostRowsPerPoint = 32, mostRowsPastStrips = 12;

/// Bytes of a row below which it is not cut.
constexpr int64_t narrowestStrip = 256;

/// The same where chunks have such stretches of their own, without sharing places.
constexpr int64_t mostRowsOfOwn = 16;

/// How many columns of a scatter along an outer axis to change at a time (Schedule.h); 0 where what it changes is in
/// the cache anyway. By measurement: shorter pieces of rows are slower to copy, longer ones leave the cache before the
/// next point comes.
static int64_t stripOf(const ScatterShape &shape, bool fewPoints, bool pastCaches, const Machine &machine) {
  constexpr int64_t fewestRows = 64;
  const OrderedLoops &loops = shape.loops;
  const Extent &columns = loops.extents[loops.outer.back()];
  if (!shape.rows().isStatic() || !columns.isStatic() || shape.rows().value() < fewestRows)
    return 0;
  int64_t bytes = bytesOf(shape.op->getResult(0)), rows = shape.rows().value(), row = columns.value() * bytes;
  int64_t stripBytes = pastCaches && bytes >= 4 && rows * 512 <= 2 * machine.l2 ? 512 : narrowestStrip;
  if (fewPoints && rows * 1024 <= 4 * machine.l2)
    stripBytes = 1024;
  // Machines of this kind have a second cache of 1 or 2 MB. By measurement, strips pay from 4 MB on.
  int64_t cached = machine.wideCore ? 8 * machine.l2 : machine.l2;
  bool isLarge = rows * row > cached && row >= 2 * stripBytes;
  // Elsewhere, by measurement, points find what is in a strip of much of the cache no sooner than in all of the result;
  // the fewer columns it has, the less it may be.
  bool staysNear = pastCaches || machine.storesInOrder || rows * stripBytes * bytes <= 3 * machine.l2;
  return isLarge && staysNear && rows * stripBytes <= 4 * machine.l2 ? stripBytes / bytes : 0;
}

/// Whether strips of a result of so many elements go past the caches. They do sooner than what is written row by row:
/// the processor does not see soon enough which short piece of a row is overwritten next, and waits for it.
static bool stripsLeaveCaches(const ScatterShape &shape, const Extent &written, const Machine &machine) {
  int64_t least = machine.wideCore ? 3 * machine.l3 / 8 : machine.l3 / 4;
  return written.isStatic() && written.value() * bytesOf(shape.op->getResult(0)) >= least;
}

/// Rows for each point of a column from which on the copy that a scatter starts with is to be one stretch of memory:
/// sooner where strips of so many rows do not stay in the cache, or where there can be none and columns would be parted
/// among few chunks. `past`: strips would go past the caches.
static int64_t fewestRowsOfStretch(const ScatterShape &shape, const Extent &written, const Extent &shares, bool past,
                                   const Machine &machine) {
  constexpr int64_t manyShares = 8, fewestInOrder = 6;
  if (machine.storesInOrder && !past)
    return fewestInOrder;
  bool isLarge = shape.rows().isStatic() && written.isStatic() &&
                 written.value() * bytesOf(shape.op->getResult(0)) > 4 * machine.l2;
  int64_t stripBytes = isLarge ? shape.rows().value() * narrowestStrip : 0;
  if (stripBytes > 4 * machine.l2)
    return typicalSize(shares) < manyShares ? 0 : manyRowsPerPoint;
  return stripBytes >= 2 * machine.l2 ? mostRowsPastStrips : mostRowsPerPoint;
}

/// Into how many shares the places of a scatter may go whose columns go to places of their own. All chunks look at all
/// points: many at a time, or else one by one, which costs most as no one can foresee whose the next one is.
static int64_t sharesOfPlaces(const ScatterShape &shape, int64_t rowsPerPoint, const Machine &machine) {
  constexpr int64_t fewestColumns = 64, rowsTogether = 10, manyRows = 40;
  bool together = shape.atPlaces && shape.places.size() == 1 &&
                  typicalSize(shape.loops.extents[shape.loops.outer.back()]) >= fewestColumns;
  // By measurement, on machines of that kind: more shares look at points for longer than they copy.
  if (together && machine.storesInOrder)
    return rowsPerPoint < rowsTogether ? 1 : rowsPerPoint < manyRows ? 2 : 4;
  return std::max<int64_t>(rowsPerPoint / (together ? rowsTogether : mostRowsPerPoint), 1);
}

/// A scatter whose columns go to places of their own: chunks share columns, or places where points are so few that all
/// chunks may look at all of them.
static void scheduleColumns(Schedule &schedule, const ScatterShape &shape, const Extent &points, const Extent &written,
                            const Extent &work, const Machine &machine) {
  const Extent &columns = shape.loops.extents[shape.loops.outer.back()];
  Extent around = floorDiv(shape.loops.outerExtent(), max(columns, 1));
  // A share of a row is several lines of it.
  Extent shares = max(around, floorDiv(columns, 32 * machine.lanes));
  int64_t rowsPerPoint = typicalSize(shape.rows()) / std::max<int64_t>(typicalSize(points), 1);
  bool fewPoints = rowsPerPoint >= manyRowsPerPoint;
  bool stripsPast = schedule.pastCaches || stripsLeaveCaches(shape, written, machine);
  if (typicalSize(around) == 1 && rowsPerPoint >= fewestRowsOfStretch(shape, written, shares, stripsPast, machine)) {
    int64_t places = sharesOfPlaces(shape, rowsPerPoint, machine);
    schedule.sharePlaces = places > 1;
    shares = places;
  } else if (typicalSize(around) > 1 && rowsPerPoint >= mostRowsOfOwn) {
    shares = around;
  } else if (!fewPoints || stripsPast) {
    schedule.strip = stripOf(shape, fewPoints, stripsPast, machine);
  }
  if (schedule.strip) {
    schedule.pastCaches = stripsPast;
    shares = around * stripsOf(columns, schedule);
    schedule.scratchBytes = shape.rows() * schedule.strip * bytesOf(shape.op->getResult(0));
  }
  schedule.chunks = max(min(chunksFor(work), shares), 1);
  if (schedule.chunks.is(1))
    schedule.sharePlaces = false;
}

/// A running sum across many rows that leaves the caches: strips of columns are summed row after row, so that memory is
/// gone over as it lies.
static void scheduleStrips(Schedule &schedule, const RunningShape &shape, const Machine &machine) {
  constexpr int64_t fewestVectors = 4, vectorsOfStrip = 64;
  int64_t fewestRows = machine.storesInOrder ? 4 : 32;
  Type sum = getElementTypeOrSelf(linalg::GenericOp(shape.op)->getResult(0).getType());
  int64_t bytes = sum.getIntOrFloatBitWidth() / 8;
  if (bytes == 0 || typicalSize(shape.loops.extents[shape.along]) < fewestRows ||
      typicalSize(shape.loops.extents[*shape.loops.lane]) < fewestVectors * machine.lanes)
    return;
  schedule.strip = vectorsOfStrip * machine.lanes;
  schedule.scratchBytes = schedule.strip * bytes;
}

/// Whether sums along the columns would have so many rows under way that these drive each other out, of a result that
/// the second cache does not hold: then strips pay though nothing goes past the caches. Measured of 8 bytes; narrower
/// elements are as fast without.
static bool isTall(const RunningShape &shape, const Extent &written, const Machine &machine) {
  constexpr int64_t fewestRows = 40, wide = 8;
  int64_t bytes =
      getElementTypeOrSelf(linalg::GenericOp(shape.op).getDpsInputs()[0].getType()).getIntOrFloatBitWidth() / 8;
  return machine.storesInOrder && bytes == wide && typicalSize(shape.loops.extents[shape.along]) >= fewestRows &&
         typicalSize(written) * bytes > 4 * machine.l2;
}

/// One pass over the points and the result; chunks share the outer loops, the lanes, or the places.
static void scheduleOrdered(Schedule &schedule, const KernelShape &shape, KernelExtents &extents,
                            const Machine &machine) {
  bool running = shape.kind == KernelKind::Running;
  linalg::GenericOp op = running ? shape.running.op : shape.scatter.op;
  const OrderedLoops &loops = running ? shape.running.loops : shape.scatter.loops;
  Extent points = loops.outerExtent(), shares = loops.outerExtent();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  for (unsigned loop : reduced)
    points *= loops.extents[loop];
  if (!running && shape.scatter.isSingleMeanwhile())
    schedule.scratchBytes = shape.scatter.elements() * int64_t(sizeof(float));
  int64_t operations = llvm::range_size(op.getBody()->without_terminator());
  Extent written = extents.elementsOf(op->getResult(0));
  // A share of a row is several lines of it.
  constexpr int64_t fewOuterPoints = 16;
  int64_t part = 32 * machine.lanes;
  if (loops.lane) {
    Extent work = points * loops.extents[*loops.lane] * operations + written;
    // Parts of rows lie far apart: they are for few outer points alone.
    if (typicalSize(shares) < fewOuterPoints)
      shares = max(shares, floorDiv(loops.extents[*loops.lane], part));
    Extent byPlaces = running ? 1 : placesWorthSharing(shape.scatter, work, points * operations);
    // What lies behind each other stays together where there is enough of it for all chunks.
    schedule.sharePlaces = typicalSize(min(byPlaces, chunksFor(work))) > typicalSize(shares);
    if (schedule.sharePlaces)
      shares = byPlaces;
    schedule.chunks = max(min(chunksFor(work), shares), 1);
    if (running && (schedule.pastCaches || isTall(shape.running, written, machine)))
      scheduleStrips(schedule, shape.running, machine);
    return;
  }
  Extent work = points * operations + written;
  if (!running && loops.outerEndsInside(op))
    return scheduleColumns(schedule, shape.scatter, floorDiv(points, max(loops.outerExtent(), 1)), written, work,
                           machine);
  schedule.chunks = max(min(chunksFor(work), shares), 1);
}

/// Whether it becomes a call of the C library for each lane: in f64, what has no vector code.
static bool callsLibrary(Operation &op, const Machine &machine) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isF64() || !isFunction(op))
    return false;
  return !machine.vectorFunctions || (isa<math::PowFOp, arith::RemFOp>(op) && !machine.fma);
}

/// Whether nearly all of the time goes into such calls, one per element of the result: vectors would only have to be
/// taken apart for them.
static bool callsForEach(Block &body, ValueRange results, KernelExtents &extents, const Machine &machine) {
  int64_t elements = 0, calls = 0;
  for (Value result : results)
    elements = std::max(elements, typicalSize(extents.elementsOf(result)));
  for (auto op : body.getOps<linalg::GenericOp>())
    if (llvm::any_of(*op.getBody(), [&](Operation &inner) { return callsLibrary(inner, machine); }))
      calls = std::max(calls, typicalSize(product(extents.loopsOf(op))));
  return calls != 0 && calls >= elements;
}

/// Whether what is written leaves the last cache before anyone reads it again. Then a store that goes past the caches
/// saves reading what it overwrites: a third of the time of a copy. What stays in the cache must not be written so,
/// since the next kernel would wait for memory; nor what takes longer to compute than to read, since such stores are
/// waited for. By measurement (docs/bench/scalar-loops.md) what is read counts twice: a result alone stays in the cache
/// in part, though it is larger.
static bool leavesCaches(Block &body, ValueRange results, KernelExtents &extents, const Machine &machine) {
  for (auto op : body.getOps<linalg::GenericOp>())
    if (llvm::any_of(*op.getBody(), isFunction))
      return false;
  auto bytesOf = [&](auto &&tensors) {
    Extent bytes = 0;
    for (Value tensor : tensors)
      if (auto type = dyn_cast<RankedTensorType>(tensor.getType()); type && type.getElementType().isIntOrFloat())
        bytes += extents.elementsOf(tensor) * int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    return bytes;
  };
  Extent written = bytesOf(results), read = bytesOf(body.getArguments());
  if (!written.isStatic() || !read.isStatic())
    return false;
  // Of a cache for all cores of a machine others take what they need. Nothing is lost where that is little: such a
  // result is written about as fast past it.
  if (machine.storesInOrder && written.value() >= machine.l3 / 4 && written.value() >= 4 * read.value())
    return true;
  return written.value() >= machine.l3 / 2 && 2 * read.value() + written.value() >= machine.l3 / 2 * 3;
}

Schedule kumiko::chooseSchedule(const KernelShape &shape, Block &body, ValueRange results, KernelExtents &extents,
                                llvm::function_ref<bool(BlockArgument)> isConstant, const Machine &machine) {
  Schedule schedule;
  schedule.kind = shape.kind;
  schedule.lanes = machine.lanes;
  if (shape.kind == KernelKind::Contraction) {
    scheduleContraction(schedule, shape.contraction, extents, hasConstantColumns(shape.contraction, isConstant),
                        machine);
    return schedule;
  }
  if (shape.kind == KernelKind::Attention) {
    keepSharedRows(schedule, shape.rows, body);
    scheduleAttention(schedule, shape, machine);
    return schedule;
  }
  if (shape.kind == KernelKind::Scatter || shape.kind == KernelKind::Running) {
    schedule.storesInOrder = machine.storesInOrder && shape.kind == KernelKind::Running;
    schedule.wideCore = machine.wideCore && shape.kind == KernelKind::Running;
    schedule.pastCaches = leavesCaches(body, results, extents, machine);
    scheduleOrdered(schedule, shape, extents, machine);
    return schedule;
  }
  if (auto routine = dyn_cast<nn::RoutineOp>(body.front())) {
    schedule.chunks =
        min(chunksFor(*nn::extentOf(routine.getWorkAttr())), max(*nn::extentOf(routine.getItemsAttr()), 1));
    schedule.scratchBytes = *nn::extentOf(routine.getScratchBytesAttr());
    return schedule;
  }
  Extent operations = 0;
  for (auto op : body.getOps<linalg::GenericOp>())
    operations += flopsOf(op, extents);
  for (Value result : results)
    operations += extents.elementsOf(result);
  schedule.chunks = chunksFor(operations);
  if (shape.kind == KernelKind::Points) {
    storeLanesLast(schedule, body, extents, isConstant);
    schedule.pastCaches = leavesCaches(body, results, extents, machine);
    schedule.gathers = machine.gathers && readsChosen(body);
    schedule.strip = stripOfChosen(body, results, extents, machine);
    schedule.storesInOrder = machine.storesInOrder;
    schedule.wideCore = machine.wideCore;
    schedule.crowdsSets = machine.crowdsSets;
    if (schedule.gathers)
      scheduleFarReads(schedule, body, extents);
    if (callsForEach(body, results, extents, machine))
      schedule.lanes = 1;
  }
  if (shape.kind == KernelKind::Rows)
    keepSharedRows(schedule, shape.rows, body);
  return schedule;
}
