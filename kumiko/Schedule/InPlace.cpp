//===- InPlace.cpp - operands that a kernel may overwrite with a result ----===//
#include "kumiko/Schedule/InPlace.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;

namespace {
/// Which arguments are read on the way to some elements: at the place at hand alone, or elsewhere, too.
class ArgumentReads {
public:
  ArgumentReads(KernelKind kind, unsigned arguments) : here(arguments), elsewhere(arguments), kind(kind) {}

  llvm::SmallBitVector here, elsewhere;

  /// `isHere`: the element of `tensor` that is wanted has the number, in row-major order, of the one that is written.
  void visit(Value tensor, bool isHere) {
    if (!seen.insert(llvm::PointerIntPair<Value, 1, bool>(tensor, isHere)).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      (isHere ? here : elsewhere).set(argument.getArgNumber());
      return;
    }
    Operation *op = tensor.getDefiningOp();
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      bool reduces = generic.getNumReductionLoops() != 0;
      // Rows are reduced before anything is written; visitReduction looks at what they read.
      if (reduces && kind == KernelKind::Rows)
        return;
      isHere &= !reduces && generic.getIndexingMapMatchingResult(cast<OpResult>(tensor)).isIdentity();
      return visitOperands(generic, isHere);
    }
    isHere &= isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::BitcastOp, tensor::CastOp>(op);
    for (Value operand : op->getOperands())
      visitAny(operand, isHere);
  }

  /// A reduction of rows like those of a result of this shape.
  void visitReduction(linalg::GenericOp op, KernelExtents &extents, ArrayRef<Extent> shape) {
    visitOperands(op, ArrayRef(extents.loopsOf(op)) == shape);
  }

private:
  void visitOperands(linalg::GenericOp op, bool isHere) {
    for (OpOperand &operand : op->getOpOperands())
      visitAny(operand.get(), isHere && op.isDpsInput(&operand) && op.getMatchingIndexingMap(&operand).isIdentity());
    // What a body reads by index.
    op.getBody()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() != op.getBody())
          visitAny(operand, false);
    });
  }

  /// Scalars may come from elements of tensors.
  void visitAny(Value value, bool isHere) {
    if (isa<RankedTensorType>(value.getType()))
      return visit(value, isHere);
    if (Operation *op = value.getDefiningOp())
      for (Value operand : op->getOperands())
        visitAny(operand, false);
  }

  KernelKind kind;
  llvm::DenseSet<llvm::PointerIntPair<Value, 1, bool>> seen;
};
} // namespace

/// Whether elements of both take the same bytes.
static bool areAsLarge(Type a, Type b) {
  Type first = getElementTypeOrSelf(a), second = getElementTypeOrSelf(b);
  auto bits = [](Type type) { return std::max(8u, type.getIntOrFloatBitWidth()); }; // a truth value takes a byte
  return first == second || (first.isIntOrFloat() && second.isIntOrFloat() && bits(first) == bits(second));
}

SmallVector<int64_t> kumiko::inPlacePairs(const KernelShape &shape, Block &body, ValueRange results,
                                          KernelExtents &extents) {
  if (shape.kind != KernelKind::Contraction && shape.kind != KernelKind::Rows && shape.kind != KernelKind::Points)
    return {};
  auto gathers = [](linalg::GenericOp op) { return !op.getBody()->getOps<tensor::ExtractOp>().empty(); };
  if (shape.kind == KernelKind::Points && llvm::any_of(body.getOps<linalg::GenericOp>(), gathers))
    return {};
  SmallVector<ArgumentReads> reads;
  for (Value result : results) {
    ArgumentReads &own = reads.emplace_back(shape.kind, body.getNumArguments());
    own.visit(result, true);
  }
  // What reductions of rows read, beside a result.
  auto isReducedElsewhere = [&](unsigned argument, Value result) {
    if (shape.kind != KernelKind::Rows)
      return false;
    ArgumentReads reduced(shape.kind, body.getNumArguments());
    for (auto op : body.getOps<linalg::GenericOp>())
      if (op.getNumReductionLoops() != 0)
        reduced.visitReduction(op, extents, extents.of(result));
    return reduced.elsewhere.test(argument);
  };
  SmallVector<int64_t> pairs;
  for (BlockArgument argument : body.getArguments())
    for (auto [number, result] : llvm::enumerate(results)) {
      unsigned a = argument.getArgNumber();
      // Of a row, one result is written after the other.
      auto isDone = [&](size_t other) {
        return shape.kind == KernelKind::Rows && other < number && !reads[other].elsewhere.test(a) &&
               extents.of(results[other]) == extents.of(result);
      };
      bool alone = llvm::all_of(llvm::seq(results.size()), [&](size_t other) {
        return other == number || !(reads[other].here.test(a) || reads[other].elsewhere.test(a)) || isDone(other);
      });
      if (reads[number].here.test(a) && !reads[number].elsewhere.test(a) && alone &&
          areAsLarge(argument.getType(), result.getType()) &&
          extents.elementsOf(argument) == extents.elementsOf(result) && !isReducedElsewhere(a, result))
        llvm::append_values(pairs, int64_t(a), int64_t(number));
    }
  return pairs;
}
