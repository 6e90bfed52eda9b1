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
#include "kumiko/Schedule/Model.h"
#include "kumiko/Kernel/Arguments.h"
#include "kumiko/Kernel/Functions.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Schedule/AttentionLayout.h"
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

static int64_t bytesOfSum(const ContractionShape &shape) { return shape.elementType().getIntOrFloatBitWidth() / 8; }

int64_t kumiko::lanesOf(const ContractionShape &shape, const Target &target) {
  return target.lanes() * 4 / bytesOfSum(shape);
}

bool kumiko::canHalveLanes(const ContractionShape &shape, const Target &target) {
  return lanesOf(shape, target) * bytesOfSum(shape) > fewestBytes && !shape.isInteger() && shape.parts == 1;
}

void kumiko::deriveContraction(Schedule &schedule, const ContractionShape &shape) {
  // None for a batch of none: a chunk would read what is not there.
  schedule.chunks = ceilDiv(shape.extentOf(shape.batch), schedule.chunkBatch) * rowGroupsOf(shape, schedule) *
                    panelGroupsOf(shape, schedule);
  if (!shape.isInteger())
    return;
  IntegerLayout layout = integerLayoutOf(shape, schedule);
  schedule.scratchBytes = layout.rowBytes(shape, schedule);
  int64_t panels = llvm::divideCeil(shape.partColumns().value(), schedule.panelColumns);
  if (!schedule.packed)
    schedule.scratchBytes = schedule.scratchBytes + 4 * std::min(panels, schedule.chunkPanels) * layout.panelWords();
}

static void scheduleContraction(Schedule &schedule, const ContractionShape &shape, KernelExtents &extents,
                                bool columnsConstant, const Target &target) {
  Extent allRows = shape.extentOf(shape.rows), allColumns = shape.partColumns();
  int64_t batch = typicalSize(shape.extentOf(shape.batch)), rows = typicalSize(allRows);
  int64_t columns = typicalSize(allColumns), depth = typicalSize(shape.extentOf(shape.depth));
  // Expressions may be anything: decide for rows worth a tile, and for one panel where the number of columns is open.
  if (!allRows.isStatic())
    rows = std::max(rows, 8 * schedule.tileRows);
  schedule.packed = columnsConstant;
  if (shape.isInteger())
    schedule.depthGroup = target.has(DotForm::Byte4) && shape.rowBits == 8 && shape.columnBits == 8 ? 4 : 2;
  int64_t bytes = bytesOfSum(shape);
  schedule.lanes = lanesOf(shape, target);
  schedule.prefetch = columnsConstant && !shape.isInteger() && rows >= 2 * schedule.tileRows &&
                      columns * depth * bytes > target.budget(2);
  bool narrow = allColumns.isStatic() && columns <= schedule.lanes;
  // Half a vector costs no more than a whole one that is half empty, and on some machines half as much.
  if (narrow && 2 * columns <= schedule.lanes && canHalveLanes(shape, target))
    schedule.lanes /= 2;
  schedule.panelColumns = narrow || shape.parts > 1 ? schedule.lanes : 2 * schedule.lanes;
  int64_t vectors = schedule.panelColumns / schedule.lanes * shape.parts;
  // Two thirds of the registers hold sums; the rest streams.
  int64_t sums = target.vectorRegisters * 3 / 4;
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
    int64_t most = std::max<int64_t>(64, target.budget(2) / (bytes * blockInputs));
    schedule.chunkRowBlocks = std::max(schedule.chunkRowBlocks, std::min(worthwhile, most));
    // Blocks have the most rows or one less. As long as that does not come out even they overlap, and then they must
    // lie in one chunk: it does from (most - 1) * (most - 2) rows on.
    schedule.chunkRowBlocks = std::max(schedule.chunkRowBlocks, schedule.tileRows - 2);
  }
  // Small products are not worth a chunk each.
  Extent products = shape.extentOf(shape.batch);
  if (products.isStatic() && rowGroups * panelGroups == 1)
    schedule.chunkBatch = std::max<int64_t>(products.value() / wanted, 1);
  deriveContraction(schedule, shape);
}

/// Whether computing the body again costs more than keeping a row in the first-level cache.
static bool isExpensive(linalg::GenericOp op) {
  return llvm::any_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return inner.getDialect()->getNamespace() == "math" || isa<arith::DivFOp>(inner);
  });
}

SmallVector<int64_t> kumiko::rowsWorthKeeping(const RowsShape &rows, Block &body) {
  SmallVector<int64_t> numbers;
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
    if (reduced && !op.hasOneUse())
      numbers.push_back(number);
  }
  return numbers;
}

static void keepSharedRows(Schedule &schedule, const RowsShape &rows, Block &body) {
  Extent row = product(rows.reduced) * (8 * (rows.lanesInsideRow ? 1 : schedule.lanes));
  schedule.keptOps = rowsWorthKeeping(rows, body);
  if (!schedule.keptOps.empty())
    schedule.scratchBytes = ceilDiv(row, 64) * (64 * int64_t(schedule.keptOps.size()));
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

bool kumiko::hasConstantColumns(const ContractionShape &shape, llvm::function_ref<bool(BlockArgument)> isConstant) {
  BlockArgument argument = argumentBehind(linalg::GenericOp(shape.op)->getOperand(shape.columnOperand));
  return argument && argument.hasOneUse() && isConstant(argument) && readsWholeColumns(shape);
}

/// As many chunks as the work is worth.
static Extent chunksFor(const Extent &operations) {
  if (operations.overflowed())
    return mostChunks;
  return min(max(floorDiv(operations, scalarOpsPerChunk), 1), mostChunks);
}

/// One pass over the points and the result; chunks share the outer loops, or the lanes.
static void scheduleOrdered(Schedule &schedule, const KernelShape &shape, KernelExtents &extents,
                            const Target &target) {
  bool running = shape.kind == KernelKind::Running;
  linalg::GenericOp op = running ? shape.running.op : shape.scatter.op;
  const OrderedLoops &loops = running ? shape.running.loops : shape.scatter.loops;
  Extent points = loops.outerExtent(), shares = points;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  for (unsigned loop : reduced)
    points *= loops.extents[loop];
  Extent work = points * int64_t(llvm::range_size(op.getBody()->without_terminator()));
  // A share of a row is several lines of it. Parts of rows lie far apart: they are for few outer points alone.
  constexpr int64_t fewOuterPoints = 16;
  int64_t part = 32 * target.lanes();
  if (loops.lane) {
    work *= loops.extents[*loops.lane];
    if (typicalSize(shares) < fewOuterPoints)
      shares = max(shares, floorDiv(loops.extents[*loops.lane], part));
  } else if (!running && loops.outerEndsInside(op)) {
    const Extent &columns = loops.extents[loops.outer.back()];
    shares = max(floorDiv(shares, max(columns, 1)), floorDiv(columns, part));
  }
  schedule.chunks = max(min(chunksFor(work + extents.elementsOf(op->getResult(0))), shares), 1);
}

/// Whether it becomes a call of the C library for each lane: in f64, what has no vector code.
static bool callsLibrary(Operation &op, const Target &target, bool vectorFunctions) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isF64() || !isFunction(op))
    return false;
  return !vectorFunctions || (isa<math::PowFOp, arith::RemFOp>(op) && !target.has(Fact::Fma));
}

/// Whether nearly all of the time goes into such calls, one per element of the result: vectors would only have to be
/// taken apart for them.
static bool callsForEach(Block &body, ValueRange results, KernelExtents &extents, const Target &target,
                         bool vectorFunctions) {
  int64_t elements = 0, calls = 0;
  for (Value result : results)
    elements = std::max(elements, typicalSize(extents.elementsOf(result)));
  for (auto op : body.getOps<linalg::GenericOp>())
    if (llvm::any_of(*op.getBody(), [&](Operation &inner) { return callsLibrary(inner, target, vectorFunctions); }))
      calls = std::max(calls, typicalSize(product(extents.loopsOf(op))));
  return calls != 0 && calls >= elements;
}

Schedule kumiko::chooseSchedule(const KernelShape &shape, Block &body, ValueRange results, KernelExtents &extents,
                                llvm::function_ref<bool(BlockArgument)> isConstant, const Target &target,
                                bool vectorFunctions) {
  Schedule schedule;
  schedule.kind = shape.kind;
  schedule.lanes = target.lanes();
  if (shape.kind == KernelKind::Contraction) {
    scheduleContraction(schedule, shape.contraction, extents, hasConstantColumns(shape.contraction, isConstant),
                        target);
    return schedule;
  }
  if (shape.kind == KernelKind::Attention) {
    keepSharedRows(schedule, shape.rows, body);
    scheduleAttention(schedule, shape, target);
    return schedule;
  }
  if (shape.kind == KernelKind::Scatter || shape.kind == KernelKind::Running) {
    scheduleOrdered(schedule, shape, extents, target);
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
    schedule.askAhead = target.has(Fact::InOrderStores);
    if (callsForEach(body, results, extents, target, vectorFunctions))
      schedule.lanes = 1;
  }
  if (shape.kind == KernelKind::Rows)
    keepSharedRows(schedule, shape.rows, body);
  return schedule;
}
