//===- Strip.h - columns of a scatter, in memory of the chunk's own --------===//
//
// A scatter along an outer axis goes to a random row for each column. Where all rows together are larger than the
// second-level cache each point waits for a line of its own, which is gone before the next point comes to it; and rows
// that are a power of two apart share few places of a cache, so that to go on with fewer columns does not help by
// itself. So a few columns of all rows are copied to memory where they lie close together, changed there, and written
// out once, which may go past the caches:
//
//   for each strip of columns:
//     buffer[place, column] = start[place, column]
//     for each point: buffer[place of the point, column] = ...
//     result[place, column] = buffer[place, column]
//
// The processor does not see that short pieces of rows far apart follow each other: rows are asked for ahead. Strips
// begin where lines of the cache do, wherever the result lies, since half a line that goes past the caches costs more
// than a whole one; so the first may be narrower, and one more may follow the last.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"

namespace kumiko::cpu {

class Strip {
public:
  /// Of as many columns as the schedule says; `places` are the loops that data addresses, `column` the one along rows.
  Strip(Kernel &k, llvm::ArrayRef<unsigned> places, unsigned column, const Extents &extents);

  /// A flat buffer of elements as they are in the result.
  mlir::Value buffer;

  /// From here on the strip is number `number`, counted from 0.
  void begin(mlir::Value number);
  /// Its first column, and the one behind its last; none where the second is not beyond the first.
  std::pair<mlir::Value, mlir::Value> columns;
  /// What divides the first column of each strip.
  int64_t multipleOf() const { return bytesPastCaches / bytes; }

  /// Where `point` is in the buffer.
  Form offset(llvm::ArrayRef<Form> point);

  /// Asks for what `tensor` has at `point` and at all columns of the strip. Nothing where it is not in memory.
  void fetch(mlir::Value tensor, mlir::AffineMap map, Position point);

  /// By how many rows they are asked for ahead.
  static constexpr int64_t rowsAhead = 4;

private:
  Kernel &k;
  llvm::SmallVector<unsigned> places;
  unsigned column;
  const Extents &extents;
  int64_t width, bytes;
  /// Elements by which the result begins behind the start of a line.
  mlir::Value shift;
};

} // namespace kumiko::cpu
