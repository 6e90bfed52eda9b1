//===- RowDemands.cpp - does everything that a row needs lie in that row? ---===//
#include "kumiko/Kernel/RowDemands.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;

bool kumiko::readsReduction(Value tensor) {
  llvm::SmallSetVector<Value, 8> made;
  made.insert(tensor);
  for (size_t next = 0; next < made.size(); ++next) {
    Operation *op = made[next].getDefiningOp();
    auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
    if (generic && generic.getNumReductionLoops() != 0)
      return true;
    if (op)
      made.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

namespace {
/// Follows demands from a position within a row up to the reductions.
class RowDemands {
public:
  RowDemands(const RowsShape &rows, KernelExtents &extents, Value stored)
      : rows(rows), extents(extents), stored(stored) {}

  bool stayInRow(Value tensor, ArrayRef<AffineExpr> position) {
    Operation *op = tensor.getDefiningOp();
    if (!op || !seen.insert({tensor, AffineMap::get(64, 0, position, tensor.getContext())}).second)
      return true;
    if (tensor == stored)
      return isElementItself(position);
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (generic.getNumReductionLoops() != 0)
        return isRowItself(position);
      SmallVector<AffineExpr> dims(generic.getNumLoops(), getAffineConstantExpr(0, tensor.getContext()));
      AffineMap result = generic.getIndexingMapMatchingResult(cast<OpResult>(tensor));
      for (auto [expr, place] : llvm::zip_equal(result.getResults(), position))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          dims[dim.getPosition()] = place;
      return bodyStaysInRow(generic, dims);
    }
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      if (std::optional<SmallVector<AffineExpr>> source = withoutUnits(op, position))
        return stayInRow(op->getOperand(0), *source);
    return llvm::none_of(op->getOperands(), [](Value operand) { return readsReduction(operand); });
  }

  /// The same for all that a body reads, at these values of its loops.
  bool bodyStaysInRow(linalg::GenericOp op, ArrayRef<AffineExpr> dims) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      SmallVector<AffineExpr> position;
      for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
        position.push_back(expr.replaceDims(dims));
      if (!stayInRow(input->get(), position))
        return false;
    }
    for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
      if (readsReduction(extract.getTensor()))
        return false;
    return true;
  }

private:
  bool isRowItself(ArrayRef<AffineExpr> position) const {
    for (auto [loop, expr, extent] : llvm::enumerate(position, rows.kept))
      if (!extent.is(1) && expr != getAffineDimExpr(loop, expr.getContext()))
        return false;
    return true;
  }

  bool isElementItself(ArrayRef<AffineExpr> position) const {
    return llvm::all_of(llvm::zip_equal(rows.order, position), [](auto pair) {
      auto [loop, expr] = pair;
      return expr == getAffineDimExpr(loop, expr.getContext());
    });
  }

  /// The position in the source of a reshape that only adds or drops dimensions of one element.
  std::optional<SmallVector<AffineExpr>> withoutUnits(Operation *op, ArrayRef<AffineExpr> position) {
    SmallVector<AffineExpr> longer, source;
    for (auto [expr, extent] : llvm::zip_equal(position, extents.of(op->getResult(0))))
      if (!extent.is(1))
        longer.push_back(expr);
    size_t next = 0;
    for (const Extent &extent : extents.of(op->getOperand(0))) {
      if (!extent.is(1) && next == longer.size())
        return std::nullopt;
      source.push_back(extent.is(1) ? getAffineConstantExpr(0, op->getContext()) : longer[next++]);
    }
    return next == longer.size() ? std::optional(source) : std::nullopt;
  }

  const RowsShape &rows;
  KernelExtents &extents;
  Value stored;
  llvm::DenseSet<std::pair<Value, AffineMap>> seen;
};
} // namespace

/// What a result is written from, behind the pads, blocks and reshapes that say where it goes. What is read inside the
/// kernel, too, is written as it is read.
static void findSources(Value result, SmallVectorImpl<Value> &sources, bool readInside = false) {
  Operation *op = result.getDefiningOp();
  readInside |= !result.hasOneUse();
  auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op);
  bool places = isa_and_nonnull<tensor::CollapseShapeOp>(op) || (expand && onlyAddsUnitDimensions(expand)) ||
                (!readInside && isa_and_nonnull<tensor::PadOp, tensor::InsertSliceOp>(op));
  if (!places)
    return sources.push_back(result);
  findSources(op->getOperand(0), sources, readInside);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op); insert && !insert.getDest().getDefiningOp<tensor::EmptyOp>())
    findSources(insert.getDest(), sources, readInside);
}

bool kumiko::demandsStayInRow(ArrayRef<linalg::GenericOp> reductions, ValueRange results, const RowsShape &rows,
                              KernelExtents &extents, Value stored) {
  RowDemands demands(rows, extents, stored);
  MLIRContext *context = linalg::GenericOp(reductions.front()).getContext();
  SmallVector<AffineExpr> loops;
  for (size_t loop = 0; loop < rows.kept.size() + rows.reduced.size(); ++loop)
    loops.push_back(getAffineDimExpr(loop, context));
  for (linalg::GenericOp op : reductions)
    if (!demands.bodyStaysInRow(op, loops))
      return false;
  SmallVector<AffineExpr> row(ArrayRef(loops).take_front(rows.kept.size()));
  SmallVector<AffineExpr> element = llvm::map_to_vector(rows.order, [&](unsigned loop) { return loops[loop]; });
  Extents whole(rows.kept);
  llvm::append_range(whole, rows.reduced);
  whole = llvm::map_to_vector(rows.order, [&](unsigned loop) { return whole[loop]; });
  SmallVector<Value> sources;
  for (Value result : results)
    findSources(result, sources);
  for (Value source : sources) {
    bool isOfRows = extents.of(source) == ArrayRef(rows.kept);
    if (!isOfRows && extents.of(source) != ArrayRef(whole))
      return false;
    if (!demands.stayInRow(source, isOfRows ? row : element))
      return false;
  }
  return true;
}
