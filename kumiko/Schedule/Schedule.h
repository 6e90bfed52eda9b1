//===- Schedule.h - decisions about one kernel, as data --------------------===//
//
// A schedule says how a kernel is to be run: which template, which tile, how the work splits into chunks. It is an
// attribute of the kernel, so it can be printed, written by hand, kept in a tuning record and compared; the code
// generator applies it and decides nothing.
//
//   schedule = {template = "contraction", tile_rows = 6, panel_columns = 16, tile_panels = 1, depth_unroll = 4,
//               chunk_row_blocks = 32, chunk_panels = 4, packed, chunks = 56, ...}
//
// Chunks depend on the shape and the schedule only, never on the number of threads: that makes results bit-equal for
// every number of threads.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Target/Target.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace kumiko {

struct Schedule {
  KernelKind kind = KernelKind::Points;
  int64_t lanes = 8;

  // contraction: a register tile of `tileRows` x (`tilePanels` * `panelColumns`), blocks of it per chunk
  int64_t tileRows = 6;
  int64_t panelColumns = 16;
  int64_t tilePanels = 1;
  int64_t depthUnroll = 4;
  int64_t chunkRowBlocks = 1;
  int64_t chunkPanels = 1;
  int64_t chunkBatch = 1; ///< products of a batch that a chunk goes through, its blocks of each
  /// The column operand is a constant, stored as [batch][panel][depth][panelColumns].
  bool packed = false;
  /// Of integers: neighbours in depth that share a word of 32 bits, two halves or four bytes; see IntegerLayout.h.
  int64_t depthGroup = 1;
  /// Packed columns come from beyond the second-level cache: fetch the next panel while this one is used.
  bool prefetch = false;

  // attention: the numbers above are those of the first product, whose tiles have as many rows as the second one's
  int64_t valuePanelColumns = 16;
  int64_t valueTilePanels = 1;
  /// Columns that lie along memory are copied together, as the others are.
  bool copyRuns = false;

  /// points: pairs (argument, dimension): constants stored with that dimension last, where the lanes run along it. The
  /// dimension is that of the tensor which the argument's reader sees.
  llvm::SmallVector<int64_t> lanesLast;
  /// points: lines of the result are asked for before they are written.
  bool askAhead = false;
  /// rows and attention: numbers (in the order of the body) of the ops whose rows are kept in scratch instead of
  /// computed again.
  llvm::SmallVector<int64_t> keptOps;

  /// Into how many chunks the kernel splits; rows and points divide their outer iterations evenly.
  Extent chunks = 1;
  /// Bytes of scratch that a chunk needs.
  Extent scratchBytes = 0;

  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
  static mlir::FailureOr<Schedule> fromAttribute(mlir::DictionaryAttr attribute);
};

/// Of a cache line, on the machines that there are.
constexpr int64_t lineBytes = 64;
/// What a chunk of products is worth at least, and how many chunks are enough for any number of threads.
constexpr int64_t flopsPerChunk = 2'000'000, mostChunks = 64;

/// Balanced blocks: `total` items in ceil(total / most) blocks whose sizes differ by at most one; the first `big`
/// blocks have size + 1 items.
struct BalancedBlocks {
  int64_t count = 0, size = 0, big = 0;
  BalancedBlocks(int64_t total, int64_t most) {
    count = total == 0 ? 0 : (total + most - 1) / most;
    size = count ? total / count : 0;
    big = total - size * count;
  }
};

/// Groups of row blocks and of panels: a chunk of a contraction has one of each, and one of the batch.
Extent rowGroupsOf(const ContractionShape &shape, const Schedule &schedule);
Extent panelGroupsOf(const ContractionShape &shape, const Schedule &schedule);

/// Decides from registers, caches and the amount of work.
Schedule chooseSchedule(const KernelShape &shape, mlir::Block &body, mlir::ValueRange results, KernelExtents &extents,
                        llvm::function_ref<bool(mlir::BlockArgument)> isConstant, const Target &target,
                        bool vectorFunctions);

} // namespace kumiko
