//===- Solver.h - ranks, loops and extents of one statement ----------------===//
#pragma once
#include "kumiko/Equation/Instantiate/OpContext.h"

namespace kumiko::eq {

/// Answer to a condition on attributes.
enum class Truth : uint8_t { Unknown, False, True };

/// Decides conditions that are known without looking at elements. Shared by liveness and solving.
///
/// Only a condition made of attributes alone removes a branch before ranks and ranges are found. In
/// `has_ignore and t(n) == ignore ? ...` the read of t gives n its range whatever has_ignore is; the choice is taken
/// later, when values are built.
class Folding {
public:
  Folding(OpContext &context, const StatementDef &statement)
      : context(context), decisions(statement.selectCount, Undecided) {}

  /// What a condition is, by attributes alone or because one side of `and`, `or` settles it.
  Truth decide(const Node &node);
  /// The node that is left when choices on attributes are taken.
  const Node &resolve(const Node &node);

private:
  static constexpr uint8_t Undecided = 0xff;
  OpContext &context;
  llvm::SmallVector<uint8_t, 8> decisions; ///< by number of the Select: a Truth, or Undecided
};

/// One index position of a read or left side, packs spelled out.
struct Entry {
  const Node *value = nullptr;
  /// Element of the pack; -1 when the item is no pack.
  int element = -1;
  /// The item is a pack name alone: such positions broadcast.
  bool barePack = false;
};
using Layout = llvm::SmallVector<Entry, 4>;

/// A loop while its extent is being found.
struct LoopState {
  unsigned index = 0; ///< StatementDef::indices
  int element = -1;   ///< within its pack
  bool solved = false;
  bool given = false; ///< by `where`
  bool bare = false;  ///< stands somewhere outside tuples
  Extent extent;
  /// Where the extent comes from, for messages.
  llvm::StringRef origin;
};

/// constant + sum of coefficient * loop.
struct Linear {
  Extent constant;
  llvm::SmallVector<std::pair<unsigned, Extent>, 4> terms;
};

class Solver {
public:
  /// `variadicNumbers` are the operands whose reads are solved together: all of them when the statement combines a
  /// variadic operand, one when it writes them to different places.
  Solver(OpContext &context, const StatementDef &statement, llvm::ArrayRef<unsigned> variadicNumbers);

  /// Ranks, loops and extents. False after an error.
  bool solve();

  std::string nameOf(unsigned loop) const;
  /// The loop of an index, made when it is new. `element` counts within a pack.
  unsigned loopOf(const Node &index, int element);
  bool isIndex(const Node &node) const {
    return node.kind == Node::Kind::Name && node.binding == Node::Binding::Index &&
           !statement.indices[node.number].variadicNumber;
  }
  bool isPack(const Node &node) const { return isIndex(node) && statement.indices[node.number].pack; }
  /// The loops of a tuple, outermost first; those that were dropped (see dropUnitLoops) are not among them.
  llvm::SmallVector<unsigned, 4> tupleLoops(const Node &tuple, int element);
  Extent extentProduct(llvm::ArrayRef<unsigned> loopNumbers) const;

  /// The positions of an index list; `at` applied.
  Layout layout(llvm::ArrayRef<Item> items);
  /// Likewise for a tensor of known rank: leading elements of bare packs are left out until it fits.
  Layout aligned(llvm::ArrayRef<Item> items, size_t rank, llvm::StringRef tensor);
  /// Number of positions that an item takes.
  std::optional<unsigned> itemRank(const Item &item);

  /// The tensor that a read refers to; null when it is absent.
  const TensorType *typeOf(const Node &read);
  /// Its number in the instance.
  unsigned tensorNumber(const Node &read);
  /// The shape that `into`, `like` or `: (...)` states for a target.
  const llvm::SmallVector<Extent, 4> *statedShape(unsigned tensor) const;

  /// Calls `visit(read, element, isPosition)` for every read that is left after folding. `element` is that of the pack
  /// item around it; isPosition marks `pos(x(...))`, which reads nothing.
  using ReadVisitor = llvm::function_ref<void(const Node &read, int element, bool isPosition)>;
  void forEachRead(const Node &node, int element, ReadVisitor visit);
  void forEachRead(ReadVisitor visit);

  OpContext &context;
  const StatementDef &statement;
  Folding folding;
  llvm::SmallVector<LoopState, 8> loops;
  /// Loops [0, kept) are on the left.
  unsigned kept = 0;
  llvm::SmallVector<Layout, 2> targetLayouts;

private:
  // Ranks.cpp
  bool solveRanks();
  bool givenRanks();
  void equalInZip(llvm::ArrayRef<Item> items);
  bool rankCandidates(llvm::ArrayRef<Item> items, size_t rank, llvm::SmallVectorImpl<int> &candidates);
  void zippedPacks(const Node &node, llvm::SmallVectorImpl<unsigned> &packs);
  std::optional<unsigned> listLength(const Node &node);
  std::optional<unsigned> positionCount(const Item &item);

  // Loops.cpp
  bool stateShapes();
  bool collectLoops();
  void collectLoops(const Node &node, int element);
  void collectEntry(const Entry &entry, int element);

  // Extents.cpp
  struct Dimension {
    const Node *value;
    int element;
    bool barePack;
    bool mustStayInside;
    Extent extent;
    llvm::StringRef tensor;
  };
  bool solveExtents();
  bool givenExtents();
  void collectDimensions(llvm::SmallVectorImpl<Dimension> &dimensions);
  void meet(unsigned loop, const Dimension &dimension);
  bool splitTuples(llvm::ArrayRef<Dimension> dimensions);
  bool splitTuple(const Dimension &dimension);
  bool fitWindows(llvm::ArrayRef<Dimension> dimensions);
  std::optional<std::pair<unsigned, Extent>> fitWindow(const Dimension &dimension);
  void settle(unsigned loop, const Extent &extent, llvm::StringRef origin);
  void dropUnitLoops();
  void checkEqual(const Extent &a, const Extent &b);

  // Linear.cpp
  std::optional<Linear> linear(const Node &node, int element);

  llvm::ArrayRef<unsigned> variadicNumbers;
  llvm::SmallVector<int, 8> ranks; ///< by index: of packs, -1 while unknown
  /// By index: where its loop numbers begin in `loopNumbers`.
  llvm::SmallVector<unsigned, 8> firstLoop;
  static constexpr int noLoop = -1, droppedLoop = -2;
  llvm::SmallVector<int, 16> loopNumbers;
  llvm::SmallVector<std::pair<unsigned, llvm::SmallVector<Extent, 4>>, 1> statedShapes;
};

} // namespace kumiko::eq
