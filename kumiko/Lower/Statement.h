//===- Statement.h - one statement, planned and then built -----------------===//
//
// Planning makes no IR: it decides for every target and read how it is reached, which loops are left, and in which
// order. Building then makes views, the generic, and views of the result.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Lower/Access.h"
#include "kumiko/Lower/Invert.h"
#include "kumiko/Lower/Lowering.h"
#include "mlir/IR/AffineMap.h"

namespace kumiko::lower {

/// An operand of the generic: a view of a tensor and the map over the generic's dimensions.
struct MappedOperand {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// What the second of two results is before any point has been seen.
constexpr int64_t nothingYet = std::numeric_limits<int64_t>::min();

class StatementLowering {
public:
  /// `number` is the statement's place in the instance. `required`: see Invert.h.
  StatementLowering(Lowering &lowering, const eq::Statement &statement, unsigned number,
                    llvm::ArrayRef<RequiredIndex> required = {});

  /// The error says why linalg cannot visit the points in the order in which they write. Comes first.
  [[nodiscard]] llvm::Error planTargets();
  [[nodiscard]] llvm::Error run();

private:
  // Planning.
  void planReads(const eq::Expr &expr);
  void planDimensions();

  // Building.
  mlir::Value padValue(const MappedRead &read);
  MappedOperand operandOf(const MappedRead &read);
  mlir::Value initialValue(unsigned target, bool visits);
  bool marksFirst() const;
  mlir::Value withoutMark(mlir::Value tensor);
  bool isCopy(const MappedOperand &operand) const;
  mlir::Location named() const;
  llvm::Error buildGeneric(llvm::SmallVectorImpl<mlir::Value> &results);
  llvm::SmallVector<mlir::Value, 2> buildBody(mlir::OpBuilder &inside, mlir::ValueRange arguments);
  llvm::SmallVector<mlir::Value, 2> pickBest(class Body &body, llvm::ArrayRef<mlir::Value> values, mlir::Value taken,
                                             mlir::ValueRange old);
  mlir::Value rounded(mlir::Value tensor, ExtentList shape, ElementType from, ElementType to);
  llvm::Error finishTarget(unsigned target, mlir::Value computed);
  mlir::Value destination(unsigned target);
  bool tilesWholeTarget() const;

  Extents loopShape(llvm::ArrayRef<unsigned> loops) const;
  ElementType accumulatorType(unsigned target) const;
  ExtentList shapeOfTensor(unsigned tensor) const { return lowering.instance.tensors[tensor].type.shape; }
  bool reduces() const { return statement.combine != eq::Combine::Set; }
  /// `=` over loops that are not on the left (Invert.h): a point whose conditions hold replaces what is there.
  bool overwrites() const { return !reduces() && statement.loops.size() > statement.kept; }

  Lowering &lowering;
  const eq::Statement &statement;
  unsigned number;
  llvm::ArrayRef<RequiredIndex> required;
  Extents extents;
  /// Loops of one point that no map mentions.
  llvm::BitVector dropped;
  /// How many of the statement's targets are computed: the second of two may be of no interest.
  unsigned targets = 1;
  /// Per target, per dimension.
  llvm::SmallVector<llvm::SmallVector<Dimension, 4>, 2> targetDimensions;
  llvm::SmallVector<MappedRead, 4> reads;
  /// Reads that say the same as one of `reads`.
  llvm::SmallVector<std::pair<const eq::Expr *, unsigned>, 4> sameReads;
  /// The generic's dimensions: loops on the left in the order of the target, then reduced ones.
  llvm::SmallVector<unsigned> order;
  unsigned parallel = 0;
  llvm::SmallVector<std::optional<unsigned>> dimensionOf;
  std::string bodyError;
};

} // namespace kumiko::lower
