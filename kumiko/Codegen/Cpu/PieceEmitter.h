//===- PieceEmitter.h - the points of a result ------------------------------===//
//
// Used by the files Points*.cpp alone, which have a part of it each: rows and lanes (Points.cpp), rows in stretches
// (PointsCut.cpp), windows that overlap (PointsWindows.cpp), vectors that are interleaved (PointsParts.cpp) and blocks
// across memory (PointsBlocks.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/PieceParts.h"
#include "kumiko/Codegen/Cpu/Sums.h"

namespace kumiko::cpu {

bool hasFunctions(mlir::Block &body); ///< these are worth a vector, however empty
bool readsOnce(mlir::Block &body);    ///< elements are neither summed up nor read where a body says

/// Pieces of one shape, computed together: what two of them need is computed once.
class PieceEmitter {
public:
  PieceEmitter(Kernel &k, llvm::ArrayRef<Written> targets) : k(k), targets(targets) {}

  void emit();

private:
  //===--- rows and lanes --------------------------------------------------------------------------===//

  void emitLoops(const Extent &outer);
  Position loopNumbers() const; ///< a position at the numbers of all loops, slot by slot
  void element(Form form);
  /// Whether lines are as short as a few lanes and lie one behind the other, as pixels of three colours do.
  bool interleaves() const;
  bool laysRowsSideBySide(); ///< rows of a few elements are better worked on many at a time, with lanes across them
  bool isShort() const;
  void askForResults(); ///< ahead, for what vectors along memory come to write

  /// All values before the first store: a buffer may be another's, as far as the compiler knows.
  void storeAll();
  void emitOne(); ///< a single element belongs to the first chunk
  /// Chunks share the outer loops, or the lanes where these are few.
  void emitShares(const Extent &outer);
  void emitByOuter(const Extent &outer);
  /// The rows of a chunk in runs along the last loop, of which the first and last may be shorter than it.
  void emitRuns(mlir::Value low, mlir::Value high, llvm::function_ref<void()> whole);
  llvm::SmallVector<RowEnds> takeRowEnds(); ///< those few enough to be written with their row, while the cache has it
  void fill(llvm::ArrayRef<RowEnds> ends);
  void row();
  /// Few long rows: a chunk has one stretch of them, from somewhere in a row to somewhere in another.
  void emitByLanes(const Extent &outer);
  /// The same share of the vectors of every row, where something is read for all rows; the last chunk also has the
  /// masked rest.
  void emitSharesOfRows(const Extent &outer);
  bool readsForAllRows() const; ///< whether something that moves on with the lanes is the same for all rows

  /// Whether places that the body reads at are looked at first.
  bool checksPlaces() const;
  /// `whole` for each of [low, high) along a loop.
  void rows(const MergedLoop &along, mlir::Value low, mlir::Value high, llvm::function_ref<void()> whole);

  //===--- rows in stretches -----------------------------------------------------------------------===//

  void findCuts();
  llvm::SmallVector<Part> partsOf(llvm::ArrayRef<int64_t> cuts, const MergedLoop &loop) const;
  /// A row stretch by stretch.
  void cutRow();
  /// Two vectors that may overlap, or one by one where it is no more than a few.
  void shortPart(Part part);
  /// The share of a chunk of a row, which starts and ends anywhere.
  void sharedPart(Part part, mlir::Value low, mlir::Value high);

  //===--- windows ---------------------------------------------------------------------------------===//

  /// A long sum of which a few lie side by side: lanes run along it, and what is read is shared among them.
  mlir::linalg::GenericOp shortSums();
  /// The reduction that neighbours along the last loop but the lanes are worth doing together.
  mlir::linalg::GenericOp reducedTogether();
  /// Whether rows of two and more windows are worth a vector.
  bool sumsWindows() const;
  /// Whether lanes hold the sums of a row, of which there may be few.
  bool reducesShortRow() const;
  /// Lanes that hold a row of windows.
  int64_t widthOfRow() const;
  /// Neighbours along the last loop but the lanes are reduced together; those that are left over one by one.
  void emitWindows(mlir::linalg::GenericOp op);
  void windowsAt(mlir::linalg::GenericOp op, unsigned loop, const Form &first, int64_t count, const Form &lanes);

  //===--- vectors that are interleaved ------------------------------------------------------------===//

  /// Whether what `op` gives at a point is all that the targets need of it there.
  bool allMadeInPlace(mlir::linalg::GenericOp op) const;
  /// A sum with few elements per group: lanes run along the groups.
  void takeFewPerGroup();
  /// A few neighbours that read at a quotient of their place, or by what that leaves: lanes lie as many elements apart.
  void takePhases();
  /// Vectors that are stored together.
  int64_t woven() const;
  void partsOfRow();
  std::vector<Position> partsOfPoint(); ///< the point at hand, once for each part
  void storeInterleaved();
  /// What the targets have at these positions, of which the parts of each point follow each other.
  void sumsAt(mlir::linalg::GenericOp op, llvm::ArrayRef<Position> positions);
  void storeParts(llvm::ArrayRef<Position> positions, llvm::ArrayRef<llvm::SmallVector<mlir::Value>> values);

  //===--- blocks ----------------------------------------------------------------------------------===//

  /// The loop along which something lies in memory that lanes would gather, if there is one.
  std::optional<size_t> lineLoop();
  /// Takes two loops as one along which that is so; false where there are none.
  bool takePairs();
  Extent lines() const { return pairs ? line.extent * pairs->extent : line.extent; }
  /// Lines that are read at a time: as many as elements fill one register; and those before the next lanes.
  int64_t sideOfBlocks() const;
  int64_t linesOfGroup() const;
  /// Chunks share (other loops, groups of lines, blocks of lanes).
  void emitBlocks();
  /// The blocks of one group of lines; the last group has the rest.
  void linesOf(mlir::Value group, const Extent &laneCount);
  void block(mlir::Value firstLine, const Extent &laneCount, const Extent &lineCount);

  Kernel &k;
  llvm::ArrayRef<Written> targets;
  /// Neighbours that are reduced together.
  int64_t together = 1;
  llvm::SmallVector<MergedLoop> loops;
  MergedLoop lane{}, line{};
  std::optional<MergedLoop> pairs; ///< of lines that each number of the line loop has side by side
  /// What is read, over the loops.
  std::optional<Reads> sources;
  /// A loop inside of the lanes, of a few points that lie side by side in the result.
  std::optional<MergedLoop> parts;
  /// Where indices along the lanes stop being linear (Cuts.h).
  llvm::SmallVector<int64_t> laneCuts;
  int64_t phases = 1;                ///< lanes are every so many elements
  mlir::linalg::GenericOp groupSums; ///< a reduction whose parts are interleaved
  mlir::linalg::GenericOp alongSums; ///< a reduction that has the lanes
  Position point;
};

} // namespace kumiko::cpu
