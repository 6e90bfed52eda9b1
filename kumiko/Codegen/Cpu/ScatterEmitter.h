//===- ScatterEmitter.h - points to places that data say, in one pass ------===//
//
//   copy what the result starts as;  for each point: place = ..., if inside: result[place] += value
//
// Where what a scatter changes is larger than a cache, strips of it are changed one after another (Strip.h). Where it
// is so small that points wait for each other, points that do not come in turn (ScatterAbreast.cpp). As many places as
// a vector has lanes are looked at together: whether all exist, or which of them are this chunk's (ScatterPoints.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/OrderedShare.h"

namespace kumiko::cpu {

class ScatterEmitter {
public:
  explicit ScatterEmitter(Kernel &k);

  void emit();

private:
  /// Whether places are few and those of several outer points, and cost more to find than to keep.
  bool hasPlanes() const;
  void planes();
  /// Whether all points go to one short row.
  bool hasOnePlace() const;
  /// The row is a variable, which LLVM keeps in registers: in memory each point would wait for the store of the one
  /// before.
  void onePlace();
  /// Strip by strip.
  void strips();

  //===--- points that wait for each other ---------------------------------------------------------===//

  /// Whether outer points are many, and each has so few elements that points wait for one shortly before.
  bool isAbreast();
  /// A point of each of a few outer points in turn: these do not wait for each other.
  void abreast();
  /// `body` for the point at hand of each outer point at hand.
  void eachAbreast(llvm::function_ref<void()> body);
  /// Whether many points go to so few elements that most of them wait for one shortly before, and what they are
  /// combined by may be done in parts.
  bool hasCopies();
  /// Whether the order in which it combines numbers does not matter.
  bool isExact();
  /// Points go to each of several copies of the result in turn, which are combined in the end.
  void inCopies();
  mlir::Value toSingle(mlir::Value value);

  //===--- the copy --------------------------------------------------------------------------------===//

  /// All of an outer point, as far as it is this chunk's: often one stretch of memory, which is copied as such.
  void copyStart();
  void copyElements(); ///< those at hand
  void copyRows(llvm::ArrayRef<unsigned> others, llvm::ArrayRef<unsigned> elements);

  //===--- the points ------------------------------------------------------------------------------===//

  /// Where a point goes.
  struct Places {
    llvm::SmallVector<mlir::Value, 2> numbers; ///< one per loop that data addresses
    mlir::Value exist;      ///< whether all of them do, and are this chunk's; null where that is certain
    bool mustExist = false; ///< where they do not the run fails
  };
  /// Of the point at hand in the result.
  Form here();
  /// A position over the numbers of all loops, to ask how a place moves with them.
  Position everyLoop() const;
  /// Changes what the points of an outer point go to.
  void eachPoint(mlir::Value buffer, llvm::function_ref<Form()> offset);
  /// Whether many places along `loop` are worth a look before the first of them is used: they lie side by side, and
  /// what each of them changes takes no longer than to look at it.
  bool looksAhead(unsigned loop);
  /// Whether each of a few neighbours goes to a place of its own, and all of them follow each other in memory from
  /// point to point. Then they are looked at as such, as many points as a vector has lanes, and are straight-line code.
  bool hasFewColumns();
  void alongRows(mlir::Value buffer, llvm::function_ref<Form()> offset);
  /// Whether as many points along `loop` as a vector has lanes are looked at for those that come to this chunk.
  bool sieves(unsigned loop) const;
  /// Changes what this chunk's points of a stretch go to. Whose the next one is cannot be foreseen: a branch for each
  /// would be taken wrongly half of the time, but those of a vector are counted off.
  void sieve(OrderedShare::Stretch stretch, mlir::Value buffer, llvm::function_ref<Form()> offset);
  /// Changes what the points of the stretch go to, after a look at as many of them as a vector has lanes where that is
  /// worth it.
  void alongStretch(OrderedShare::Stretch stretch, mlir::Value buffer, llvm::function_ref<Form()> offset);
  void lookAtChecks();
  /// What the point at hand has for a choice.
  mlir::Value chosenFrom();
  /// Whether a look ahead is one for NaNs, too: without them one instruction chooses, else it would be three.
  bool looksForNan();
  void lookAtPoints();
  /// Whether all that is asked about places is whether those of data exist, and that about each of them.
  bool asksOnlyForExistence();
  /// Where the point at hand goes.
  Places placesHere();
  /// Lanes that are changed together: one, of a few, where points wait for each other. An integer that was just stored
  /// is loaded sooner by itself than as one of a pair, and of two halves one is chosen by integers where they are no
  /// lanes.
  int64_t widestChange();
  /// What an element is when the point at hand has changed it.
  mlir::Value changed(mlir::Value before);
  /// Changes the element of `buffer` that the point at hand goes to; `offset` is the place in it.
  void change(const Places &places, mlir::Value buffer, llvm::function_ref<Form()> offset);

  /// So many points that nothing is left to check of are straight-line code.
  static constexpr int64_t together = 4;

  Kernel &k;
  const ScatterShape &shape;
  mlir::linalg::GenericOp op;
  mlir::AffineMap result;
  unsigned innermost;
  /// What the result starts as, and where it goes.
  mlir::Value start, memref;
  OrderedShare share;
  /// The number of the copy that points at hand go to.
  int64_t copy = 0;
  /// Those whose points come in turn; none where there is just one.
  std::vector<Position> outerPoints;
  /// The loops that data addresses, and those over the points.
  llvm::SmallVector<unsigned> rows, points;
};

} // namespace kumiko::cpu
