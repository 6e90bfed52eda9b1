//===- AttentionModel.cpp - tiles and chunks of two products around rows ---===//
//
// A chunk has some rows of one batch: a head's queries. Their scores stay in the second-level cache. Columns are copied
// together for the rows of a chunk, so these must be many enough to pay for that.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Schedule/AttentionLayout.h"
#include "kumiko/Schedule/Model.h"

using namespace mlir;
using namespace kumiko;

/// Rows that pay for copying columns that lie across memory, and for those that lie along it.
constexpr int64_t worthCopying = 48, worthCopyingRuns = 24;
/// Elements of a cache line.
constexpr int64_t line = 16;

static int64_t roundUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

Schedule kumiko::scoresSchedule(const Schedule &schedule) {
  Schedule scores = schedule;
  scores.kind = KernelKind::Contraction;
  return scores;
}

Schedule kumiko::valuesSchedule(const Schedule &schedule) {
  Schedule values = scoresSchedule(schedule);
  values.panelColumns = schedule.valuePanelColumns;
  values.tilePanels = schedule.valueTilePanels;
  return values;
}

AttentionLayout kumiko::attentionLayoutOf(const KernelShape &shape, const Schedule &schedule) {
  const ContractionShape &scores = shape.attention.scores, &values = shape.attention.values;
  Extent keys = scores.extentOf(scores.columns), rows = scores.extentOf(scores.rows);
  AttentionLayout layout;
  layout.rowStride = (ceilDiv(keys, line) + 1) * line;
  layout.keptBytes = ceilDiv(keys * 8, 64) * (64 * int64_t(schedule.keptOps.size()));
  Extent scorePanel = scores.extentOf(scores.depth) * (schedule.panelColumns * schedule.tilePanels);
  Extent valuePanel = values.extentOf(values.depth) * (schedule.valuePanelColumns * schedule.valueTilePanels);
  layout.panelBytes = ceilDiv(max(scorePanel, valuePanel) * 4, 64) * 64;
  int64_t chunkRows = schedule.chunkRowBlocks * schedule.tileRows;
  if (rows.isStatic())
    chunkRows = std::min(chunkRows, rows.value());
  layout.scoreBytes = layout.rowStride * (4 * chunkRows);
  return layout;
}

/// Panels side by side, so that as many sums are in registers as there is room for.
static void chooseTile(const Extent &columns, int64_t tileRows, const Target &target, int64_t &panelColumns,
                       int64_t &tilePanels) {
  bool narrow = columns.isStatic() && columns.value() <= target.lanes();
  panelColumns = narrow ? target.lanes() : 2 * target.lanes();
  tilePanels = 1;
  if (columns.isStatic()) {
    int64_t sums = target.vectorRegisters * 3 / 4 / (tileRows * (panelColumns / target.lanes()));
    tilePanels = std::clamp<int64_t>(std::min(sums, roundUp(columns.value(), panelColumns)), 1, 4);
  }
}

void kumiko::scheduleAttention(Schedule &schedule, const KernelShape &shape, const Target &target) {
  const ContractionShape &scores = shape.attention.scores, &values = shape.attention.values;
  Extent allRows = scores.extentOf(scores.rows), allKeys = scores.extentOf(scores.columns);
  int64_t rows = std::max<int64_t>(typicalSize(allRows), 1), keys = std::max<int64_t>(typicalSize(allKeys), 1);
  int64_t batch = std::max<int64_t>(typicalSize(scores.extentOf(scores.batch)), 1);
  int64_t depth = typicalSize(scores.extentOf(scores.depth)) + typicalSize(values.extentOf(values.columns));
  if (!allRows.isStatic())
    rows = std::max<int64_t>(rows, worthCopying);
  schedule.tileRows = std::min<int64_t>(rows, 6);
  chooseTile(allKeys, schedule.tileRows, target, schedule.panelColumns, schedule.tilePanels);
  chooseTile(values.extentOf(values.columns), schedule.tileRows, target, schedule.valuePanelColumns,
             schedule.valueTilePanels);
  // A tile of keys is read for every block of rows, so it stays in the first-level cache.
  int64_t panelBytes = 4 * schedule.panelColumns * typicalSize(scores.extentOf(scores.depth));
  schedule.tilePanels =
      std::clamp<int64_t>(target.budget(1) / 2 / std::max<int64_t>(panelBytes, 1), 1, schedule.tilePanels);
  schedule.copyRuns = rows > worthCopyingRuns;

  int64_t fitting = std::max(target.budget(2) / (4 * (keys + line)), worthCopying);
  int64_t wanted = std::clamp<int64_t>(2 * batch * rows * keys * depth / flopsPerChunk, 1, mostChunks);
  int64_t groups = std::max(roundUp(rows, fitting), std::min(roundUp(wanted, batch), rows / worthCopying));
  int64_t blocks = BalancedBlocks(rows, schedule.tileRows).count;
  schedule.chunkRowBlocks = roundUp(blocks, std::max<int64_t>(groups, 1));
  // Blocks of an open number of rows may overlap while there are few, and then they must lie in one chunk.
  if (!allRows.isStatic())
    schedule.chunkRowBlocks = std::max(schedule.chunkRowBlocks, schedule.tileRows - 2);
  deriveAttention(schedule, shape);
}

void kumiko::deriveAttention(Schedule &schedule, const KernelShape &shape) {
  const ContractionShape &scores = shape.attention.scores;
  schedule.chunks = scores.extentOf(scores.batch) * rowGroupsOf(scores, schedule);
  schedule.scratchBytes = attentionLayoutOf(shape, schedule).bytes();
}
