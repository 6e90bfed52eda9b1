//===- PieceEmitter.h - the points of a result ------------------------------===//
//
// Used by the files Points*.cpp alone, which have a part of it each: rows and lanes (Points.cpp), what data choose
// (PointsChosen.cpp), rows in stretches (PointsCut.cpp, and PointsTurn.cpp where data say which), rows of which one
// condition chooses a side (PointsSides.cpp), windows that overlap (PointsWindows.cpp), vectors that are interleaved
// (PointsParts.cpp) and blocks across memory (PointsBlocks.cpp).
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
  PieceEmitter(Kernel &k, llvm::ArrayRef<Target> targets) : k(k), targets(targets) {}

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
  /// Asks ahead for what vectors along memory come to write, if that pays.
  bool asksForResults() const;
  void askForResults();
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
  /// `whole` for the row at hand, or for each of the groups of rows whose numbers the point at hand has.
  void rowsOfGroup(llvm::function_ref<void()> whole, size_t depth = 0);
  /// Few long rows: a chunk has one stretch of them, from somewhere in a row to somewhere in another.
  void emitByLanes(const Extent &outer);
  /// The same share of the vectors of every row, where something is read for all rows; the last chunk also has the
  /// masked rest.
  void emitSharesOfRows(const Extent &outer);
  void emitStrips(const Extent &outer); ///< a few columns of all rows, then the next ones
  bool readsForAllRows() const;         ///< whether something that moves on with the lanes is the same for all rows

  //===--- sides of a choice -----------------------------------------------------------------------===//

  /// What all elements of a row choose by, where they read for one side what they do not for the other; else null.
  mlir::Value conditionOfRows() const;
  /// `emit` for the row at hand, or a stretch of it, once for each side of such a choice: what is read for the other is
  /// left alone.
  void bySides(llvm::function_ref<void()> emit);

  //===--- results past the caches -----------------------------------------------------------------===//

  /// Whether wide elements go by that the second cache does not hold: by half a line each, and without asking for any
  /// ahead, they are a few hundredths faster.
  bool outgrowsCache() const;
  bool storesLines() const; ///< whether a stretch of vectors is worth storing where lines of the cache begin
  void emitLines();
  /// Whether a row is written as plain vectors.
  bool writesVectors() const;
  /// Whether only vectors are written, one behind the other, from places on that may be written past the caches.
  bool isStream() const;
  /// Whether rows, or parts of them, are so long that it does not matter how they begin and end.
  bool hasLongRows(const Extent &outer) const;
  bool isLong(Part part) const;
  /// Then their cache lines go past the caches, and nothing else does.
  bool longRows = false;
  /// Past the caches, but for what is no whole cache line at the ends.
  void longPart(Part part);
  void longPart(Part part, mlir::Value low, mlir::Value high); ///< what a chunk with [low, high) of a row has of it

  //===--- what data choose ------------------------------------------------------------------------===//

  void lookAtAll();
  /// Whether rows that fill no vector are read where data say: a place is found for a row as a whole.
  bool gathersShortRows() const;
  bool checksPlaces() const;
  /// Whether all that is done is to read where data say for each lane, and to write, maybe after a step or two: a
  /// vector would have to be put together first.
  bool movesElements() const;
  bool readsOneByOne() const; ///< as PointsFar.h says
  double missedAlong() const; ///< pages per read that have to be looked for, whatever data say, where that is all
  Pace paceOfMoves(int64_t lanes) const; ///< of what is only moved, by so many lanes at most
  /// Whether to read where data say and to write is all that is done, at checked places; and at places that are
  /// replaced where they do not exist, maybe with a step or two in between.
  bool movesChecked() const;
  bool movesGuarded() const;
  /// Whether the lanes of a vector are better read together than one by one: the machine gathers them, or vectors hold
  /// all that a lane may read, a few places for each or a row for all of them.
  bool readsTogether() const;
  bool canHoldRow() const;
  bool outgrowsSecondCache(const Chosen &chosen) const; ///< what data choose from
  /// Whether the second cache does not hold all of these rows, so that wide vectors lie across two missing lines more
  /// often than it pays, where that matters.
  bool comesFromBeyond() const;
  bool holdsRow() const { return canHoldRow() && !comesFromBeyond(); }
  /// What data choose along `loop`, where that is all that is read; nothing where they choose more.
  std::optional<Chosen> chosenAlong(unsigned loop) const;
  /// What is to be looked at before that.
  Demand::Look lookOf() const { return checksPlaces() ? Demand::Look::Places : Demand::Look::Guards; }
  /// Whether columns that data choose, the same ones of rows that share a set, drive each other out of the cache.
  bool columnsCrowd() const;
  /// Elements read one by one, at places that exist, and written a few at a time.
  void moveEach(llvm::ArrayRef<Position> positions);
  /// The lanes from `form` on, and so many whole rows.
  void moveLanes(const Form &form);
  /// Whether several places of each element are corrected for counting from the end. By lanes that takes so much less
  /// that these are gathered afterwards, even where a machine is slow at it.
  bool correctsSeveral() const;
  /// Whether lanes are gathered for that reason, or because the machine is fast enough at it.
  bool correctsTogether() const;
  void moveRows(const MergedLoop &along, mlir::Value first, int64_t count);
  /// Whether the places of a row follow those of the row before, in memory.
  bool placesFollow(const MergedLoop &along) const;
  /// The lanes, or the loop around short rows, where data say for each number of that loop alone what is read.
  std::optional<MergedLoop> loopOfPlaces(const Extent &outer) const;
  /// `emit` after a look at all of these places.
  void lookAtPlaces(const MergedLoop &places, llvm::function_ref<void()> emit);
  /// Rows whose places are looked at together, where that is worth it; else 0.
  int64_t rowsTogether(const MergedLoop &along) const;
  void lookAtRows(const MergedLoop &along, mlir::Value first, int64_t count);
  /// Rows that vectors go across, as many as fill them, or 0 (PointsAcross.cpp).
  int64_t rowsAcross(const MergedLoop &along) const;
  void gatherAcross(const MergedLoop &along, mlir::Value first, int64_t rows);
  /// The only element that data choose, where it is one of a row that is worth fetching as a whole.
  mlir::tensor::ExtractOp chosenOfRow() const;
  /// A share of the next row as large as that which the lanes at hand are of theirs.
  void fetchNextRow(const Form &form);
  /// A row whose elements are moved one by one after a look at all of their places, or vector by vector where it is
  /// long.
  void movedRow();
  bool restApart(); ///< gathers a row, and a small rest by itself: lanes that are off cost as much as others
  /// Two vectors of half a row or more, which may overlap; or a vector and a rest of fewer lanes.
  void shortRow();
  /// What is left of a row from `first` on, as vectors of ..., 4, 2, 1 lanes.
  void narrowPieces(int64_t first);
  /// Whether a row is better written so: masked vectors would lie across two lines of the cache more often than what
  /// they hold, and the stores of these wait for each other on some machines.
  bool splitsRow() const;
  /// `whole` for each of [low, high) along a loop. Where data say what is read, many places are looked at together
  /// first: nothing is left to be done for each row but to read and write it.
  void rows(const MergedLoop &along, mlir::Value low, mlir::Value high, llvm::function_ref<void()> whole);

  //===--- rows in stretches -----------------------------------------------------------------------===//

  void findCuts();
  llvm::SmallVector<Part> partsOf(llvm::ArrayRef<int64_t> cuts, const MergedLoop &loop) const;
  /// A row stretch by stretch.
  void cutRow();
  /// Two vectors that may overlap, or one by one where it is no more than a few.
  void shortPart(Part part);
  /// A row as stretches of one length, in each of which the same is read somewhere.
  void equalStretches();
  /// The share of a chunk of a row, which starts and ends anywhere.
  void sharedPart(Part part, mlir::Value low, mlir::Value high);

  //===--- rows that are cut where data say --------------------------------------------------------===//

  std::optional<Turn> turnOf(mlir::linalg::GenericOp op, llvm::ArrayRef<Form> dims) const;
  void findTurn();
  bool takeBetween();      ///< takes the lanes, or the last of the loops, as the loop between, if that is worth it
  void gatheredRow();      ///< a row whose elements have a place each, by gathers
  mlir::Value boundHere(); ///< where the loop is cut at the point at hand
  /// As many rows as a vector has lanes from [low, high), each sequence by a vector of its own where it does not end
  /// there; `cut` for those where one does, and for the rest.
  void wovenRows(const MergedLoop &along, mlir::Value low, mlir::Value high,
                 llvm::function_ref<void(mlir::Value, mlir::Value)> cut);
  /// `body` for the numbers of the loop in [low, high) on either side of the cut.
  void bothSides(mlir::Value low, mlir::Value high, llvm::function_ref<void(mlir::Value, mlir::Value)> body);
  /// `whole` where all of [first, past) lies on one side of the cut, else `cut`.
  void onOneSide(mlir::Value first, mlir::Value past, llvm::function_ref<void()> whole, llvm::function_ref<void()> cut);
  /// What is between them exists where these do.
  void lookAtEnds(mlir::Value low, mlir::Value high);
  void eachBetween(llvm::function_ref<void()> body);  ///< for each number of the loop between, or once
  void eachStraight(llvm::function_ref<void()> body); ///< the same, a few of them as straight-line code
  void turnedRows(const MergedLoop &along, mlir::Value low, mlir::Value high, llvm::function_ref<void()> whole);
  void turnedLanes(mlir::Value low, mlir::Value high);

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
  /// Whether a sum at places from memory is worth a look at how far these are from each other, before planes are taken
  /// together.
  bool canLookAtPlaces(mlir::linalg::GenericOp op);
  /// Whether the places of a vector in the middle of the row at hand lie near each other.
  mlir::Value placesLieNear(mlir::linalg::GenericOp op);
  /// Neighbours along the last loop but the lanes are reduced together; those that are left over one by one.
  void emitWindows(mlir::linalg::GenericOp op);
  /// The row, where each lane chooses one of many, in a few vectors at a time; false where that is not so.
  bool choicesOfRow();
  void windowsAt(mlir::linalg::GenericOp op, unsigned loop, const Form &first, int64_t count, const Form &lanes);

  //===--- vectors that are interleaved ------------------------------------------------------------===//

  /// Whether what `op` gives at a point is all that the targets need of it there; `joined`: at a point whose last
  /// dimension is the last two of `op`.
  bool allMadeInPlace(mlir::linalg::GenericOp op, bool joined = false) const;
  /// A sum with few elements per group: lanes run along the groups.
  void takeFewPerGroup();
  /// Functions of rows that would fill no vector: lanes run across the rows.
  void takeShortRows();
  /// The same for planes of a few lines, each of a few elements: lanes run across the planes.
  void takeShortPlanes();
  /// A sum of what lies where the number of the element says, divided, or a choice by what that leaves: lanes lie as
  /// many elements apart, and so many rows are a group where the same is done with their number. What no element of a
  /// phase reads is then left out.
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
  /// A few points that lie side by side would leave a block empty: lanes run along the loop around them, and what they
  /// hold is woven.
  void takeShortLanes();
  /// What lies side by side, if it is less than a block, is taken apart into planes all at once: it is read once.
  void takePlanes();
  void storePlanes();
  /// Lines that are read at a time: as many as elements fill one register; and those before the next lanes.
  int64_t sideOfBlocks() const;
  int64_t linesOfGroup() const;
  bool linesCrowd() const;                        ///< in the result, those of one set of the first cache
  llvm::ArrayRef<MergedLoop> insideLines() const; ///< loops between two lines in the result, if they are short
  /// Chunks share (other loops, groups of lines, blocks of lanes).
  void emitBlocks();
  /// The blocks of one group of lines; the last group has the rest.
  void linesOf(mlir::Value group, const Extent &laneCount);
  void block(mlir::Value firstLine, const Extent &laneCount, const Extent &lineCount);

  Kernel &k;
  llvm::ArrayRef<Target> targets;
  /// Neighbours that are reduced together.
  int64_t together = 1;
  /// Places further apart than so many elements are read plane by plane; 0 where no difference is made.
  int64_t nearPlaces = 0;
  llvm::SmallVector<MergedLoop> loops;
  MergedLoop lane{}, line{};
  std::optional<MergedLoop> pairs; ///< of lines that each number of the line loop has side by side
  /// What is read, over the loops.
  std::optional<Reads> sources;
  /// A loop inside of the lanes, of a few points that lie side by side in the result.
  std::optional<MergedLoop> parts;
  /// A loop outside of the parts and inside of the lanes.
  std::optional<MergedLoop> partLines;
  std::optional<MergedLoop> planes; ///< a loop inside of the lanes, though it is outside of them in the result
  /// Whether it depends on the lane where data say that something is read.
  bool lanesChoose = false;
  /// The loop of rows and the number after the one at hand, where rows are fetched ahead.
  std::optional<std::pair<unsigned, Form>> nextRow;
  /// Where indices along the lanes stop being linear, and along the last loop outside (Cuts.h).
  llvm::SmallVector<int64_t> laneCuts, rowCuts;
  std::optional<Turn> turn;
  /// Elements of a row that read the same at a quotient; 0 where nothing is read so, or lanes lie otherwise.
  int64_t stretch = 0;
  unsigned pause = 0; ///< instructions between two reads that do nothing
  /// Lanes are every so many elements; `leftOver` of a row are no such group any more.
  int64_t phases = 1, leftOver = 0;
  llvm::SmallVector<Group> rowPhases;
  bool joinsParts = false;           ///< phases are the last dimension of `groupSums`
  mlir::linalg::GenericOp groupSums; ///< a reduction whose parts are interleaved
  mlir::linalg::GenericOp alongSums; ///< a reduction that has the lanes
  Position point;
};

} // namespace kumiko::cpu
