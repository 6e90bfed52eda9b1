//===- Grouper.h - puts ops into kernels ------------------------------------===//
//
// Used by Grouping.cpp, which walks over the graph, and GroupingRules.cpp, which says what may join what, alone.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Fuse/Cost.h"
#include "kumiko/Fuse/Grouping.h"
#include "kumiko/Fuse/RowInputs.h"
#include "kumiko/Fuse/RowProducts.h"
#include "kumiko/Nn/Nn.h"

namespace kumiko {

inline Extent elementsOf(mlir::Value value) {
  return product(nn::extentsOf(llvm::cast<mlir::RankedTensorType>(value.getType())));
}

class Grouper {
public:
  explicit Grouper(const Target &target) : target(target) {}
  std::vector<std::unique_ptr<Group>> run(mlir::Block &block);

private:
  Group *groupOf(mlir::Value value) const { return homes.lookup(value.getDefiningOp()); }
  const OpShape &shape(mlir::Operation *op);
  void place(mlir::Operation *op);
  void add(Group &group, mlir::Operation *op);
  /// Joins the heaviest producer that allows it; refusals are remarked.
  Group *follow(mlir::Operation *op);
  /// The kernel of a producer that reduces over the same rows.
  Group *followRows(mlir::Operation *op, const RowShape &rows);
  /// Whether an injective `op` may follow `group`, whose value it reads as operand number `operand`.
  Decision canFollow(const Group &group, mlir::Operation *op, unsigned operand);
  /// Whether all that read `value`, what `group` makes of a product, read a part of it, and go on at the same place:
  /// the gates of a recurrent cell.
  bool readInParts(const Group &group, mlir::Value value);
  /// Whether something is made of `value`: parts that are only put elsewhere are read where they lie.
  bool isComputedWith(mlir::Value value);
  /// Whether the product of `group` has weights that can be packed by parts.
  bool hasConstantWeights(const Group &group);
  bool goesOnInPlace(mlir::OpOperand &use);
  /// Whether `op` reads a part of the product, or what was made of one where it stands; that others may read, too.
  Decision canFollowParts(const Group &group, mlir::Operation *op, unsigned operand);
  /// Whether `op` works on the rows of `group`.
  Decision canJoinRows(const Group &group, mlir::Operation *op);
  /// A kernel with several results comes where its last op stood. A size that becomes known in between may be read from
  /// one of them, which no operand tells.
  Decision isKnownInTime(const Group &group, llvm::function_ref<bool(mlir::Operation *)> joins) const;
  /// Whether `op`, which reads values of `group`, may join it as far as the other ops go, and pays.
  Decision canHold(const Group &group, mlir::Operation *op);
  void tellJoin(const Group &group, mlir::Operation *op, Merge &merge);
  void absorbParts(mlir::Operation *concatenation);
  /// A product that reads the elements of its operand one by one reads them through a shuffle of channels.
  void takeShuffle(mlir::Operation *op);
  void absorbProducers(Group *group, mlir::Operation *op);
  /// All ops of `from` become ops of `to`; the larger list stays where it is.
  Group *merge(Group &to, Group &from);
  /// Whether anything reads a value of `group` that is neither in it nor joins it.
  bool leaks(const Group &group, llvm::function_ref<bool(mlir::Operation *)> joins) const;
  /// Whether the kernel `producer` may be computed on the way by `group`, one op of which reads it as `operand`.
  Decision canPrecede(const Group &producer, const Group &group, mlir::OpOperand &operand);
  /// Whether `producer` and `group`, which reads it, can be one kernel, whatever they do.
  Decision canJoin(const Group &producer, const Group &group);
  void tellPrecede(const Group &producer, const Group &group, mlir::OpOperand &operand, Merge &merge);
  /// Whether whoever computed the operand on the way might compute elements more than once; contractions never do.
  bool readsAgain(mlir::OpOperand &operand);
  /// The points at which `op` reads its operands.
  Extent pointsOf(mlir::Operation *op);
  /// The same with one for a whole innermost loop.
  Extent outerPointsOf(mlir::Operation *op) {
    return product(llvm::ArrayRef(longExtentsOf(op->getResult(0))).drop_back());
  }
  /// Whether an elementwise op reads the operand at one place all along its innermost loop.
  bool isHoisted(mlir::OpOperand &operand);
  /// Whether an elementwise op reads all of the operand again and again, along dimensions of one element; windows read
  /// some elements again.
  bool isSpread(mlir::OpOperand &operand);
  /// Whether what others read of `producer` has the size of what is made of it: then it is written in the same loop.
  bool leaksOnly(const Group &producer, const Group &group, llvm::ArrayRef<Extent> extents) const;
  /// Each reduction of `group` would ask for `producer` again: only what lies in the row at hand is still in the cache.
  Decision canPrecedeRows(const Group &producer, const Group &group, mlir::Operation *op);
  /// Joins a whole elementwise kernel to the heaviest producer whose result it alone reads.
  void followWhole(Group &group);
  /// The pad that `group` ends in: the only reader of what it is around.
  mlir::Operation *borderOf(const Group &group);
  /// Whether all of `consumer`, which reads `value` in several places, may follow the kernel that makes it: x * f(x).
  Decision canFollowWhole(const Group &producer, const Group &consumer, mlir::Value value);
  /// Joins the products in front of rows and behind them. What they read cannot come from what the last one makes, and
  /// nothing else leaves them.
  Group *takeProducts(Group &rows);
  /// Joins what `group`, with these rows, can as well compute where it reads it.
  void takeInputs(Group *group, const RowShape &rows);
  Decision canTakeInputs(const Group &group, const Group &inputs, const RowShape &rows);
  /// A reshape behind which the kernel has nothing is a view of its result, which costs nothing.
  void leaveViewsOutside(Group &group);
  /// `op` did not join whoever made `value`, so far: they may still meet in a third kernel.
  void refuse(mlir::Operation *op, mlir::Value value, const Decision &decision) {
    refusals.push_back({op, value, decision});
  }
  void remarkRefusals() const;

  const Target &target;
  struct Refusal {
    mlir::Operation *op;
    mlir::Value value;
    Decision decision;
  };
  std::vector<Refusal> refusals;
  std::vector<std::unique_ptr<Group>> groups;
  Homes homes;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<OpShape>> shapes;
  mlir::Operation *lastSymbol = nullptr;
  llvm::SmallVector<mlir::Operation *> concatenations;
};

} // namespace kumiko
