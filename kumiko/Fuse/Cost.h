//===- Cost.h - whether a merge brings more than it costs ------------------===//
//
// Which merges are possible is a matter of rules (Grouping.h); whether one pays, of the one formula below. Everything
// is counted in vector operations: one instruction on as many elements as a vector has.
//
//   gain = starts * 400                             kernels that need not be started
//        + saved / vector * (1 | 2 | 8)             bytes neither written nor read: of a tensor that stays in the
//                                                   first cache | in the second | in none
//   cost = again * work / lanes                     elements computed once more; what is the same all along the
//                                                   innermost loop is computed in front of it, by a vector each
//        + points / lanes * spilled * 2             live values beyond the registers
//        + points / lanes * crowd(streams) * 8      tensors walked along at once, where they fit no cache:
//                                                   crowd(s) = s * (s - 12) / 6, none up to 12
//        + kept / vector * 8                        rows that wait for a reduction and do not fit the second cache
//        + points * work / lanes * (1/busy - 1/all) cores that few rows leave idle, of all that could share the points
//
// `spilled` and `crowd` are what the merged kernel has more than its two parts. A merge is done where gain > cost.
// Sizes that are open count as typical ones, and again as large ones.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Fuse/RowShape.h"
#include "kumiko/Target/Target.h"

namespace kumiko {

/// What a kernel holds at each of its points.
struct Pressure {
  int64_t streams = 0; ///< tensors that it reads and writes; what is stored with the code aside
  int64_t live = 0;    ///< values that wait for their last reader, at most
};

/// What one merge changes, told step by step.
class Merge {
public:
  using SizeOf = int64_t (*)(const Extent &);
  explicit Merge(SizeOf sizeOf) : sizeOf(sizeOf) {}

  /// So many kernels less are started; one, unless it is said.
  void startsLess(int64_t kernels) { starts = kernels; }
  /// `value` is read `reads` times less, and never written where nobody else reads it.
  void saves(mlir::Value value, int64_t reads, bool isAlone);
  /// `value` is read so many times more, instead.
  void readsAgain(mlir::Value value, int64_t times);
  /// A value of `elements` is computed at `points` that read it, each time by `work` operations; `isHoisted`: in front
  /// of the innermost loop.
  void computesAgain(const Extent &points, const Extent &elements, int64_t work, bool isHoisted);
  /// The ops run together at each of `points`, which two kernels did before.
  void walks(const Extent &points, llvm::ArrayRef<mlir::Operation *> first, llvm::ArrayRef<mlir::Operation *> second);
  /// `value` lies in rows, and is read when a reduction over them is done.
  void keepsRows(mlir::Value value, const RowShape &rows, const Target &target);
  /// `points` of `work` operations each are shared out by rows.
  void sharesRows(const RowShape &rows, const Extent &points, int64_t work);

  /// Yes where the gain is above the cost; a "no" has the figures.
  Decision pays(const Target &target) const;
  /// Whether a size was asked for that is not known.
  bool isOpen() const { return open; }

private:
  double size(const Extent &extent);
  double bytesOf(mlir::Value value);

  SizeOf sizeOf;
  bool open = false;
  int64_t starts = 1;
  double savedBytes = 0, largestBytes = 0;
  double readPoints = 0, elements = 0, work = 0, keptBytes = 0;
  bool hoisted = false;
  double walked = 0;
  Pressure parts[2], whole;
  double rows = 0, rowPoints = 0, rowWork = 0;
};

/// Whether the merge that `tell` describes pays, for typical sizes and for large ones.
Decision pays(const Target &target, llvm::function_ref<void(Merge &)> tell);

/// A guard: a kernel is one function, and what it takes to compile one grows faster than its statements.
Decision fitsKernel(size_t ops);

/// What one point of all statements takes, in operations on an element; reading operands apart.
int64_t workOf(const eq::Instance &instance);

/// What computing `ops` at one point takes instead of reading their result: operations, and reads of what they read.
int64_t workAt(llvm::ArrayRef<mlir::Operation *> ops, llvm::function_ref<int64_t(mlir::Operation *)> workOf);

} // namespace kumiko
