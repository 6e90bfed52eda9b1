//===- AttentionShape.cpp - two products around rows -----------------------===//
#include "kumiko/Kernel/AttentionShape.h"
#include "kumiko/Kernel/RowDemands.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;

static AffineMap mapOf(linalg::GenericOp op, ArrayRef<unsigned> batch, ArrayRef<unsigned> rows, unsigned last) {
  SmallVector<AffineExpr> dims;
  for (ArrayRef<unsigned> loops : {batch, rows, ArrayRef(last)})
    for (unsigned loop : loops)
      dims.push_back(getAffineDimExpr(loop, op.getContext()));
  return AffineMap::get(op.getNumLoops(), 0, dims, op.getContext());
}

/// A batch of fewer rows times keys takes less time as sums along the depth than its keys take to be packed.
constexpr int64_t fewestScores = 16;

/// Whether the result of the product has its dimensions in the order batch, rows, columns.
static bool isInOrder(const ContractionShape &shape) {
  linalg::GenericOp op = shape.op;
  return shape.columns.size() == 1 &&
         op.getIndexingMapsArray().back() == mapOf(op, shape.batch, shape.rows, shape.columns[0]);
}

static bool isProduct(linalg::GenericOp op, KernelExtents &extents, ContractionShape &shape, std::string &why) {
  shape.op = op;
  shape.extents = extents.loopsOf(op);
  if (!isSumOfProducts(op) || !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return why = "the first or last reduction is no product", false;
  if (llvm::any_of(op.getDpsInputs(), [](Value input) { return !getElementTypeOrSelf(input.getType()).isF32(); }))
    return why = "a product is not of f32", false;
  if (!assignRoles(shape, why))
    return false;
  return isInOrder(shape) || (why = "a product is permuted", false);
}

static Extents extentsOf(const ContractionShape &shape, ArrayRef<unsigned> loops) {
  return llvm::map_to_vector<6>(loops, [&](unsigned loop) { return shape.extents[loop]; });
}

/// The elementwise bodies between `scores` and `weights`.
static SmallVector<linalg::GenericOp> bodiesBetween(Value scores, Value weights) {
  llvm::SetVector<Value> open;
  open.insert(weights);
  SmallVector<linalg::GenericOp> bodies;
  for (size_t next = 0; next < open.size(); ++next) {
    Operation *op = open[next].getDefiningOp();
    if (!op || open[next] == scores)
      continue;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        open.insert(operand);
    if (auto generic = dyn_cast<linalg::GenericOp>(op);
        generic && generic.getNumReductionLoops() == 0 && !llvm::is_contained(bodies, generic))
      bodies.push_back(generic);
  }
  return bodies;
}

bool kumiko::attentionShapeOf(ArrayRef<linalg::GenericOp> reductions, ValueRange results, KernelExtents &extents,
                              KernelShape &shape) {
  if (reductions.size() < 3)
    return false;
  AttentionShape attention;
  ContractionShape &scores = attention.scores, &values = attention.values;
  RowsShape rows;
  std::string &why = shape.why;
  if (!isProduct(reductions.front(), extents, scores, why) || !isProduct(reductions.back(), extents, values, why))
    return false;
  linalg::GenericOp first = scores.op, last = values.op;
  if (!llvm::all_of(results, [&](Value result) { return followsContraction(result, last); }))
    return why = "a result does not follow the second product point by point", false;
  attention.weights = last->getOperand(values.rowOperand);
  if (values.depth.size() != 1 || last.getMatchingIndexingMap(&last->getOpOperand(values.rowOperand)) !=
                                      mapOf(last, values.batch, values.rows, values.depth[0]))
    return why = "the second product does not run over the rows", false;
  if (extentsOf(scores, scores.batch) != extentsOf(values, values.batch) ||
      extentsOf(scores, scores.rows) != extentsOf(values, values.rows))
    return why = "the products have different rows", false;

  Extent each = scores.extentOf(scores.rows) * scores.extentOf(scores.columns);
  if (each.isStatic() && each.value() < fewestScores)
    return why = "there are too few scores for keys to be packed", false;

  Value stored = first->getResult(0);
  ArrayRef<linalg::GenericOp> between = reductions.drop_front().drop_back();
  if (!findRows(between, bodiesBetween(stored, attention.weights), extents, rows, why))
    return false;
  Extents whole(extents.of(stored));
  bool sameRows = rows.reduced.size() == 1 && rows.lanesInsideRow && rows.reduced[0] == whole.back() &&
                  ArrayRef(rows.kept) == ArrayRef(whole).drop_back() &&
                  llvm::equal(rows.order, llvm::seq<unsigned>(0, whole.size())) &&
                  extents.of(attention.weights) == ArrayRef(whole);
  if (!sameRows)
    return why = "the reductions do not run over the first product's rows", false;
  if (!demandsStayInRow(between, attention.weights, rows, extents, stored))
    return why = "something is read from another row than the one at hand", false;
  shape.attention = std::move(attention);
  shape.rows = std::move(rows);
  return true;
}
