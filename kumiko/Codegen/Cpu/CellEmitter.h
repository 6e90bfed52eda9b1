//===- CellEmitter.h - cells, and how they are written ----------------------===//
//
// Used by Cells.cpp, which finds out what cells are made of, and CellsEmit.cpp, which writes them (Cells.h).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Cells.h"

namespace kumiko::cpu {

class CellEmitter {
public:
  CellEmitter(Kernel &k, Output &output, mlir::Value memref) : k(k), output(output), memref(memref) {}

  bool find();
  void emit();

private:
  /// Places of a buffer that lie as far apart whatever cell is at hand: they differ by numbers, and these not by much.
  struct Line {
    mlir::Value memref;
    Form place;        ///< without the constant
    int64_t low, high; ///< of the constants, in a group

    int64_t length() const { return high - low + 1; }
    /// Whether the other one moves on as this one does, with no more than `gap` elements between them.
    bool isNear(const Line &other, int64_t gap) const {
      return memref == other.memref && place.terms == other.place.terms && other.low <= high + gap &&
             low <= other.high + gap;
    }
  };

  /// Vectors of the result, each chosen from what is loaded.
  struct Choice {
    unsigned line;
    int64_t start;
  };
  struct Chosen {
    int64_t first; ///< element of the group
    llvm::SmallVector<Choice> loads;
    /// Of each lane: which load and which lane of it; -1 for a constant.
    llvm::SmallVector<std::pair<int, int64_t>> lanes;
  };

  /// Vectors of cells, each made of what lies one element behind that of the one before (CellsTurn.cpp).
  struct Square {
    struct Member {
      int64_t cell, place; ///< in the group, and in the cell
    };
    llvm::SmallVector<Member> members;

    int64_t firstCell() const { return members.front().cell; }
  };

  /// Elements of a cell that lie side by side where they come from.
  struct Run {
    int64_t first, length;
  };

  /// The cells of a stretch of the innermost loop around them, in which their origins are linear.
  struct Stretch {
    Stretch(int64_t start, int64_t end) : start(start), end(end) {}

    int64_t start, end; ///< where there are several
    llvm::SmallVector<Origin> elements;
    llvm::SmallVector<Line> lines;
    std::vector<Chosen> vectors;
    std::vector<Square> squares; ///< where these are all that is picked
    llvm::SmallVector<Run> runs; ///< where they are copied as they are
    bool isApart = false;        ///< cells lie in one piece each, far from each other
    bool isPicked = false;       ///< elements are loaded one by one
  };

  bool isWorthIt();
  bool findCell();
  bool coversCell();
  Extent startOf(const Border &border) const;
  bool skipsLongElements() const;
  void findGroup();
  bool fewWillDo() const;
  bool trace(Stretch &stretch);
  llvm::SmallVector<Run> runsOf(const Stretch &stretch) const;
  bool liesApart(const Stretch &stretch) const;
  /// Whether lines that begin so many elements apart share one or two sets of the first cache.
  bool isApartBySets(const Extent &elements) const;
  bool isApartBySets(const Stretch &stretch) const;
  bool isWorthVectors(const Stretch &stretch) const;
  /// Whether outer numbers go on with what else is in the lines that are read.
  bool readsOnInLines() const;
  bool isWord() const; ///< all of a cell
  /// Whether all lines of a group are of one set of the first cache: it has room for a few, which stay there for the
  /// next outer number.
  bool crowdsSet() const;
  bool canPick(const Stretch &stretch) const;
  bool readsInLines(const Stretch &stretch) const;
  bool isFasterInRuns(const Stretch &stretch) const;
  bool chooseVectors(Stretch &stretch);
  bool chooseVector(Stretch &stretch, int64_t first);
  void findLines(Stretch &stretch) const;
  unsigned lineOf(const Stretch &stretch, const Origin &origin, int64_t place) const;
  /// The place of an element of the group along the constants of its line.
  int64_t placeOf(const Origin &origin, int64_t cell) const;
  const Origin &originOf(const Stretch &stretch, int64_t element) const { return stretch.elements[element % size]; }

  /// Whether the cells of other outer numbers are made of what lies between that of two neighbours.
  bool readsBetween() const;
  /// Then all of them before the next few neighbours, so that what is read is read once.
  void emitTogether(llvm::ArrayRef<MergedLoop> outer, const Extent &total);
  void emitAlong(mlir::Value low, mlir::Value high);
  void emitStretch(const Stretch &stretch, mlir::Value low, mlir::Value high);
  void group(const Stretch &stretch);
  void copies(const Stretch &stretch);
  void copy(const Stretch &stretch, const Run &run, int64_t cell);
  /// Whether vectors, where they lie across two lines that both have to come from afar, take longer than words do.
  bool copiesWords(const Stretch &stretch) const;
  bool takesLongWords(int64_t length) const;          ///< of cells that share sets of the cache
  unsigned pauseBefore(const Stretch &stretch) const; ///< a cell: instructions that do nothing
  /// Elements of a run that are copied at once, and a vector of them on the way.
  int64_t copiedAtOnce(const Stretch &stretch, int64_t length) const;
  mlir::Value asWord(mlir::Value vector);
  /// Whether cells come from beyond the first caches, and asks for those of the group at hand.
  bool comeFromAfar(const Stretch &stretch) const;
  /// From one cell to the next, where these are read; and pages that have to be looked for, for each of them.
  int64_t bytesApart(const Stretch &stretch) const;
  double pagesMissedBy(const Stretch &stretch) const;
  void fetch(const Stretch &stretch);
  void picked(const Stretch &stretch);
  int64_t sideOfSquares() const;
  bool follows(const Stretch &stretch, Square::Member first, Square::Member other, int64_t by) const;
  /// Vectors that would be picked as squares, where most of them are.
  void findSquares(Stretch &stretch) const;
  mlir::Value rowOfSquare(const Stretch &stretch, const Square &square, int64_t lane);
  void turned(const Stretch &stretch);
  /// Cell number `cell` of those from the one at hand on, element by element.
  void single(const Stretch &stretch, int64_t cell);
  /// Where the cell at hand is written.
  Form startOfCell() const;
  mlir::Value load(const Line &line, int64_t start);
  mlir::Value chosen(const Stretch &stretch, const Chosen &vector, llvm::ArrayRef<mlir::Value> loaded);
  /// A place over the loops, at the point at hand.
  Form atPoint(const Form &place) const;
  /// The place of an element of cell number `cell` from the one at hand on.
  Form atCell(const Origin &origin, int64_t cell) const;
  mlir::Type stored() const { return mlir::cast<mlir::MemRefType>(memref.getType()).getElementType(); }
  bool isTruth() const;
  mlir::IntegerType bits() const { return mlir::IntegerType::get(k.b.getContext(), stored().getIntOrFloatBitWidth()); }

  Kernel &k;
  Output &output;
  mlir::Value memref;
  std::optional<Reads> reads;
  /// Elements that lie side by side in memory along the loop around rows.
  int64_t alongMemory = 0;
  /// Dimensions around the cell, and its elements.
  size_t depth = 0;
  int64_t size = 0;
  /// Where the first cell begins.
  Extent base;
  /// Of each element of the cell: the piece it is of and where in there; none in a border.
  std::vector<std::pair<const Piece *, Position>> inCell;
  llvm::SmallVector<MergedLoop> loops;
  std::vector<Stretch> stretches;
  int64_t width = 0, cells = 0; ///< lanes of a vector; of a group
  bool areFew = false;          ///< cells: fewer than whole vectors have
  /// Cells lie so far apart that what is read of them is in lines of one or two sets of the first cache. These drive
  /// each other out: the more of them are waited for at a time, the longer it takes, and vectors that lie across two
  /// lines take longest. So cells are copied two at a time, in words.
  bool shareSets = false;
  Position point;
};

} // namespace kumiko::cpu
