//===- Kernel.h - one kernel while its code is being emitted ---------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Demand.h"
#include "kumiko/Codegen/Cpu/Reads.h"
#include "kumiko/Kernel/Layouts.h"
#include "kumiko/Kernel/Pieces.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Schedule/Schedule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko::cpu {

/// What a template works on: the kernel's linalg body, its buffers and its schedule.
struct Kernel {
  mlir::OpBuilder &b;
  mlir::Location loc;
  Storage &storage;
  Demand demand;
  /// Of the whole kernel, or of the part of it that is being emitted.
  Schedule schedule;
  Layouts layouts;
  KernelShape shape;
  /// The linalg ops; its arguments are bound in `demand`.
  mlir::Block &body;
  /// The results as boxes, and the flat buffers they go to.
  std::vector<Output> written;
  llvm::SmallVector<mlir::Value> outputs;
  /// The number of the chunk, an index, and the chunk's own memory, a memref of bytes (null without scratch).
  mlir::Value chunk, scratch;

  mlir::Value index(const Extent &value) { return demand.indexOf(value); }

  /// for (i = low; i < high; i += step) body(i)
  void loop(mlir::Value low, mlir::Value high, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  /// The same with values carried from turn to turn; nothing is emitted for a loop that has one turn, or none.
  llvm::SmallVector<mlir::Value>
  loop(const Extent &low, const Extent &high, int64_t step, llvm::SmallVector<mlir::Value> carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(Form, llvm::ArrayRef<mlir::Value>)> body);
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);
  void ifElse(mlir::Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise);
  void onlyFirstChunk(llvm::function_ref<void()> body);
  /// `body` where `extent` is not 0; nothing is emitted where it always is.
  void unlessZero(const Extent &extent, llvm::function_ref<void()> body);
  /// The same for a body that changes values.
  llvm::SmallVector<mlir::Value>
  unlessZero(const Extent &extent, llvm::SmallVector<mlir::Value> values,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<mlir::Value>)> body);

  /// Share number `number` of so many each: [number * size, min((number + 1) * size, total)).
  std::pair<mlir::Value, mlir::Value> shareOf(mlir::Value number, const Extent &size, const Extent &total);
  /// This chunk's share: [chunk * size, min((chunk + 1) * size, total)) with size = ceil(total / chunks).
  std::pair<mlir::Value, mlir::Value> chunkRange(const Extent &total);

  /// [low, high), of numbers in runs of `length`: `body` gets the number of each run and the part of it that it is.
  void runs(mlir::Value low, mlir::Value high, const Extent &length,
            llvm::function_ref<void(mlir::Value number, mlir::Value from, mlir::Value to)> body);

  /// Where the last full group of `count` numbers from `low` on ends.
  mlir::Value endOfGroups(mlir::Value low, mlir::Value high, int64_t count);

  /// Vectors over [0, extent) of a dimension, the last one under a mask: `body` gets the position of the first lane,
  /// with lane stride 1, and `demand.active` says how many lanes are real. Up to `unroll` vectors per turn.
  void vectors(const Extent &extent, int64_t unroll, llvm::function_ref<void(Form)> body);

  /// The same where chunks share the vectors: those of `share`, a chunkRange of the full ones, and for the last chunk
  /// the masked rest.
  void sharedVectors(const Extent &extent, std::pair<mlir::Value, mlir::Value> share,
                     llvm::function_ref<void(Form)> body);

  /// The vectors [from, to) of an extent, of which the last one may be masked.
  void someVectors(const Extent &extent, mlir::Value from, mlir::Value to, llvm::function_ref<void(Form)> body);

  /// The values of merged loops from one flat number.
  void delinearize(mlir::Value flat, llvm::ArrayRef<MergedLoop> loops, Position &position);

  /// Asks for `count` elements from `next` on, which are written later; for none where the first
  /// cache has them anyway, as far as that is known.
  void askFor(mlir::Value memref, const Form &next, int64_t count);
  /// The same a good way behind `first`, where the schedule says so. The processor sees by itself where vectors along
  /// memory go on, but later: stores that lie across two lines wait for the second one.
  void askAhead(mlir::Value memref, const Form &first, int64_t count);

  /// The first chunk fills what the pieces of the outputs leave.
  void fillBorders();

private:
  void fillBorder(const Border &border, mlir::Value memref);
  void vectorsOfShare(const Extent &extent, std::pair<mlir::Value, mlir::Value> share, mlir::Value hasRest,
                      llvm::function_ref<void(Form)> body);
};

/// A share of a contraction that another template cuts out.
struct ContractionPart {
  /// The number of the batch, and a range of blocks of rows.
  mlir::Value batch, firstBlock, lastBlock;
  /// Room for the columns of a tile.
  mlir::Value panel;
};
void emitContractionPart(Kernel &kernel, const ContractionPart &part);
/// The rows of a range of blocks, as contractions cut them.
std::pair<mlir::Value, mlir::Value> rowsOfBlocks(Kernel &kernel, const Extent &rows, mlir::Value firstBlock,
                                                 mlir::Value lastBlock);
/// The rows [first, last), counted through all kept dimensions.
void emitRowsPart(Kernel &kernel, mlir::Value first, mlir::Value last);

void emitPoints(Kernel &kernel);
void emitRows(Kernel &kernel);
void emitContraction(Kernel &kernel);
void emitAttention(Kernel &kernel);
void emitScatter(Kernel &kernel);
void emitRunning(Kernel &kernel);

} // namespace kumiko::cpu
