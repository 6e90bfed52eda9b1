//===- KernelShape.cpp - what kind of kernel a body of linalg ops is -------===//
#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Kernel/Arguments.h"
#include "kumiko/Kernel/AttentionShape.h"
#include "kumiko/Kernel/RowDemands.h"
#include "kumiko/Kernel/Selection.h"
#include "kumiko/Lower/Exact.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;

/// The operand that is read and has the most elements; null where nothing is read.
static OpOperand *largestRead(linalg::GenericOp op, KernelExtents &extents) {
  OpOperand *largest = nullptr;
  auto elements = [&](OpOperand *operand) { return typicalSize(extents.elementsOf(operand->get())); };
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getBody()->getArgument(input->getOperandNumber()).use_empty())
      if (!largest || elements(input) > elements(largest))
        largest = input;
  return largest;
}

/// Whether `op` reduces along memory: the last dimension of its largest operand, or of what that is made of element by
/// element, is reduced.
static bool reducesAlongMemory(linalg::GenericOp op, KernelExtents &extents) {
  OpOperand *largest = largestRead(op, extents);
  if (!largest)
    return false;
  AffineMap map = op.getMatchingIndexingMap(largest);
  while (auto before = largest->get().getDefiningOp<linalg::GenericOp>()) {
    AffineMap made = before.getIndexingMapsArray().back();
    OpOperand *source = largestRead(before, extents);
    if (before.getNumReductionLoops() != 0 || before.getNumResults() != 1 || !made.isPermutation() || !source)
      break;
    map = before.getMatchingIndexingMap(source).compose(inversePermutation(made)).compose(map);
    largest = source;
  }
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  // Dimensions of one element do not count: what stands before them is just as contiguous.
  Extents loops = extents.loopsOf(op);
  for (AffineExpr expr : llvm::reverse(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && loops[dim.getPosition()].is(1))
      continue;
    return dim && llvm::is_contained(reduced, dim.getPosition());
  }
  return false;
}

/// Whether lanes along the result's innermost dimension read one operand contiguously and share the others, as in a
/// product of matrices: then they do not need to run inside the reduction, which would gather from that operand.
static bool lanesAlongResult(linalg::GenericOp op, KernelExtents &extents) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto lane = result.getNumResults() ? dyn_cast<AffineDimExpr>(result.getResults().back()) : AffineDimExpr(nullptr);
  if (!lane || extents.loopsOf(op)[lane.getPosition()].is(1))
    return false;
  bool contiguous = false, shared = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (op.getBody()->getArgument(input->getOperandNumber()).use_empty() || map.getNumResults() == 0)
      continue;
    contiguous |= map.getResults().back() == AffineExpr(lane);
    shared |= !map.isFunctionOfDim(lane.getPosition());
  }
  return contiguous && shared;
}

/// Whether most of what is read lies where data say: no lanes along the reduction would read it contiguously, and
/// neighbours of the result can share the places.
static bool reducesChosen(linalg::GenericOp op) {
  return llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), [](tensor::ExtractOp extract) {
    return llvm::any_of(extract.getIndices(), [](Value index) { return !index.getDefiningOp<linalg::IndexOp>(); });
  });
}

bool kumiko::hasSimpleCombiner(linalg::GenericOp op) {
  if (op.getNumResults() != 1)
    return false;
  Operation *combiner = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  return combiner && combiner->getNumOperands() == 2 &&
         llvm::is_contained(combiner->getOperands(), Value(op.getRegionOutputArgs()[0]));
}

bool kumiko::canReduceInParts(linalg::GenericOp op) {
  return (selectionOf(op) || (hasSimpleCombiner(op) && !op->hasAttr(exactAttribute))) &&
         llvm::all_of(op.getDpsInits(), [](Value init) { return init.getDefiningOp<linalg::FillOp>() != nullptr; });
}

/// What a vector of f32 holds on most machines.
constexpr int64_t shortestRow = 8;

static SmallVector<AffineExpr> rowDims(unsigned count, MLIRContext *context) {
  return llvm::map_to_vector(llvm::seq<unsigned>(0, count), [&](unsigned d) { return getAffineDimExpr(d, context); });
}

/// One reduction's rows: kept loops outside, reduced ones inside, result in the order of the kept loops.
static bool rowsOf(linalg::GenericOp op, KernelExtents &extents, RowsShape &rows, std::string &why) {
  for (auto [kind, extent] : llvm::zip_equal(op.getIteratorTypesArray(), extents.loopsOf(op))) {
    bool isReduced = kind == utils::IteratorType::reduction;
    if (!isReduced && !rows.reduced.empty())
      return why = "a reduction's kept loops are not its outer ones", false;
    (isReduced ? rows.reduced : rows.kept).push_back(extent);
  }
  // Each lane starts from the identity; data to start from would be counted once per lane.
  if (llvm::any_of(op.getDpsInits(), [](Value init) { return !init.getDefiningOp<linalg::FillOp>(); }))
    return why = "a reduction starts from data", false;
  if (!hasSimpleCombiner(op) && !selectionOf(op))
    return why = "a reduction does more than combine two values", false;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result != AffineMap::get(op.getNumLoops(), 0, rowDims(rows.kept.size(), op.getContext()), op.getContext()))
    return why = "a reduction's result is permuted", false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isPermutation())
      continue;
    SmallVector<unsigned> order;
    for (AffineExpr expr : map.getResults())
      order.push_back(cast<AffineDimExpr>(expr).getPosition());
    if (!rows.order.empty() && rows.order != order)
      return why = "rows lie differently in two operands", false;
    rows.order = order;
  }
  return true;
}

/// Whether these are some of the extents of `whole`, in their order: a tensor like that, a mask, is spread over rows.
static bool isPartOf(ArrayRef<Extent> part, ArrayRef<Extent> whole) {
  if (part.size() >= whole.size())
    return false;
  for (const Extent &extent : whole)
    if (!part.empty() && part.front() == extent)
      part = part.drop_front();
  return part.empty();
}

bool kumiko::findRows(ArrayRef<linalg::GenericOp> reductions, ArrayRef<linalg::GenericOp> bodies,
                      KernelExtents &extents, RowsShape &rows, std::string &why) {
  for (linalg::GenericOp op : reductions) {
    RowsShape own;
    if (!rowsOf(op, extents, own, why))
      return false;
    if (op != reductions.front() && (own.kept != rows.kept || own.reduced != rows.reduced))
      return why = "reductions run over different rows", false;
    if (!own.order.empty() && !rows.order.empty() && own.order != rows.order)
      return why = "rows lie differently in two operands", false;
    if (rows.order.empty())
      rows.order = own.order;
    rows.kept = own.kept;
    rows.reduced = own.reduced;
  }
  Extents loops(rows.kept);
  llvm::append_range(loops, rows.reduced);
  if (rows.order.empty())
    rows.order = llvm::to_vector(llvm::seq<unsigned>(0, loops.size()));
  Extents whole;
  for (unsigned loop : rows.order)
    whole.push_back(loops[loop]);
  for (linalg::GenericOp op : bodies) {
    ArrayRef<Extent> shape = extents.of(op->getResult(0));
    bool inRows = shape == ArrayRef(whole) || shape == ArrayRef(rows.kept);
    if (op.getNumResults() != 1 || (!inRows && (!isPartOf(shape, whole) || readsReduction(op->getResult(0)))))
      return why = "a body does not work on the reductions' rows", false;
  }
  rows.lanesInsideRow = llvm::any_of(reductions, [&](linalg::GenericOp op) { return reducesAlongMemory(op, extents); });
  // Most lanes along a short row would be empty; across rows they are full, though read one by one. A row is as long as
  // it lies in one piece.
  Extent length = 1, count = product(rows.kept);
  for (unsigned number : llvm::reverse(rows.order)) {
    if (number < rows.kept.size() && !loops[number].is(1))
      break;
    length *= loops[number];
  }
  if (length.isStatic() && length.value() < shortestRow && typicalSize(count) >= shortestRow)
    rows.lanesInsideRow = false;
  return true;
}

/// Rows of at most so many elements are turned in registers, many at a time, to be reduced across: what lanes along a
/// row hold must meet in the end, which is long where a choice is made, and functions of short rows leave lanes empty.
constexpr int64_t longestTurned = 24, longestTurnedFunction = 64, longestTurnedChoice = 128, fewestTurned = 32;

/// Whether rows are worth turning. Only what they are reduced to is written.
static bool turnsRows(ArrayRef<linalg::GenericOp> reductions, ArrayRef<linalg::GenericOp> bodies, ValueRange results,
                      const RowsShape &rows, KernelExtents &extents) {
  auto isReduced = [&](Value result) { return extents.of(result) == ArrayRef(rows.kept); };
  auto isFunction = [](Operation &op) { return op.getDialect()->getNamespace() == "math"; };
  auto hasFunction = [&](linalg::GenericOp op) { return llvm::any_of(*op.getBody(), isFunction); };
  int64_t longest = longestTurned;
  if (llvm::any_of(reductions, hasFunction) || llvm::any_of(bodies, hasFunction))
    longest = longestTurnedFunction;
  if (selectionOf(reductions.front()))
    longest = longestTurnedChoice;
  Extent length = product(rows.reduced);
  return length.isStatic() && length.value() <= longest && typicalSize(product(rows.kept)) >= fewestTurned &&
         llvm::all_of(results, isReduced);
}

TypedAttr kumiko::constantScalar(Value scalar) {
  TypedAttr constant;
  if (scalar && matchPattern(scalar, m_Constant(&constant)))
    return constant;
  auto extract = scalar ? scalar.getDefiningOp<tensor::ExtractOp>() : tensor::ExtractOp();
  SplatElementsAttr splat;
  if (extract && matchPattern(extract.getTensor(), m_Constant(&splat)))
    return cast<TypedAttr>(splat.getSplatValue<Attribute>());
  return TypedAttr();
}

/// The same as followsContraction, without pads.
static bool followsPointwise(Value tensor, linalg::GenericOp contraction) {
  Operation *op = tensor.getDefiningOp();
  if (op == contraction)
    return true;
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    return followsPointwise(collapse.getSrc(), contraction);
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() == 0 &&
         llvm::any_of(generic.getDpsInputOperands(), [&](OpOperand *input) {
           return generic.getMatchingIndexingMap(input).isPermutation() && followsPointwise(input->get(), contraction);
         });
}

bool kumiko::onlyAddsUnitDimensions(tensor::ExpandShapeOp op) {
  auto shape = cast<RankedTensorType>(op.getType()).getShape();
  return llvm::all_of(op.getReassociationIndices(), [&](const ReassociationIndices &group) {
    return llvm::count_if(group, [&](int64_t d) { return shape[d] != 1; }) <= 1;
  });
}

/// What is computed, without what only says where it goes: pads around a result, dimensions of 1.
static Value behindPlacement(Value result) {
  for (Operation *op = result.getDefiningOp(); op; op = result.getDefiningOp()) {
    auto pad = dyn_cast<tensor::PadOp>(op);
    auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
    bool places = (pad && constantScalar(pad.getConstantPaddingValue())) || (expand && onlyAddsUnitDimensions(expand));
    if (!places)
      break;
    result = op->getOperand(0);
  }
  return result;
}

bool kumiko::followsContraction(Value result, linalg::GenericOp contraction) {
  return followsPointwise(behindPlacement(result), contraction);
}

namespace {
/// Follows a contraction's result through a kernel whose results are made of equal parts of its columns.
class PartsOf {
public:
  explicit PartsOf(linalg::GenericOp contraction, KernelExtents &extents)
      : contraction(contraction), extents(extents) {}

  /// What a tensor holds of the contraction's result, element by element.
  enum class Holds { Nothing, Whole, Part, Mixture };

  Holds of(Value tensor) {
    if (tensor == contraction->getResult(0))
      return Holds::Whole;
    if (auto found = known.find(tensor); found != known.end())
      return found->second;
    Holds holds = compute(tensor);
    return known[tensor] = holds;
  }

  /// Columns of a part, once one has been met.
  int64_t columns = 0;

private:
  Holds compute(Value tensor) {
    Operation *op = tensor.getDefiningOp();
    if (!op)
      return Holds::Nothing;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    if (slice && of(slice.getSource()) == Holds::Whole)
      return isPart(slice) ? Holds::Part : Holds::Mixture;
    Holds result = Holds::Nothing;
    for (OpOperand &operand : op->getOpOperands()) {
      Holds holds = isa<TensorType>(operand.get().getType()) ? of(operand.get()) : Holds::Nothing;
      if (holds == Holds::Nothing)
        continue;
      bool inPlace = generic && generic.getNumReductionLoops() == 0 &&
                     generic.getMatchingIndexingMap(&operand).isIdentity() &&
                     generic.getIndexingMapMatchingResult(cast<OpResult>(tensor)).isIdentity();
      if (!inPlace || (result != Holds::Nothing && result != holds))
        return Holds::Mixture;
      result = holds;
    }
    return result;
  }

  bool isPart(tensor::ExtractSliceOp slice) {
    int64_t rank = slice.getSourceType().getRank();
    if (slice.getType().getRank() != rank || rank == 0)
      return false;
    ArrayRef<Extent> from = extents.of(slice.getSource()), to = extents.of(slice.getResult());
    for (int64_t d = 0; d < rank; ++d) {
      bool last = d + 1 == rank;
      if (slice.getStaticStride(d) != 1 || ShapedType::isDynamic(slice.getStaticOffset(d)) ||
          (!last && (slice.getStaticOffset(d) != 0 || from[d] != to[d])))
        return false;
    }
    if (!from.back().isStatic() || !to.back().isStatic() || to.back().value() == 0)
      return false;
    int64_t size = to.back().value();
    if (columns != 0 && columns != size)
      return false;
    columns = size;
    return from.back().value() % size == 0 && slice.getStaticOffset(rank - 1) % size == 0;
  }

  linalg::GenericOp contraction;
  KernelExtents &extents;
  DenseMap<Value, Holds> known;
};
} // namespace

/// The number of parts whose columns all results are made of; 0 where they are not.
static int64_t partsOfColumns(linalg::GenericOp op, ValueRange results, KernelExtents &extents) {
  PartsOf parts(op, extents);
  // The columns are the loop of the last dimension, and the only one that it walks along.
  if (!op.getIndexingMapsArray().back().isProjectedPermutation() ||
      llvm::any_of(results, [&](Value result) { return parts.of(result) != PartsOf::Holds::Part; }))
    return 0;
  return extents.of(op->getResult(0)).back().value() / parts.columns;
}

static bool orderedShape(linalg::GenericOp op, ValueRange results, KernelExtents &extents, KernelShape &shape) {
  if (auto running = runningShapeOf(op, extents);
      running && llvm::all_of(results, [&](Value result) { return followsInPlace(result, op); })) {
    shape.kind = KernelKind::Running;
    shape.running = std::move(*running);
    return true;
  }
  auto scatter = scatterShapeOf(op, extents);
  if (!scatter || results.size() != 1 || results[0] != op->getResult(0))
    return false;
  shape.kind = KernelKind::Scatter;
  shape.scatter = std::move(*scatter);
  return true;
}

/// Whether a body with more than `loops` loops uses `tensor`, or what is made of it by others.
static bool reachesMoreLoops(Value tensor, unsigned loops) {
  llvm::SetVector<Operation *> users(tensor.getUsers().begin(), tensor.getUsers().end());
  for (size_t next = 0; next < users.size(); ++next) {
    auto generic = dyn_cast<linalg::GenericOp>(users[next]);
    if (generic && generic.getNumLoops() > loops)
      return true;
    users.insert(users[next]->user_begin(), users[next]->user_end());
  }
  return false;
}

KernelShape kumiko::shapeOfKernel(Block &body, ValueRange results, KernelExtents &extents) {
  KernelShape shape;
  if (isa<nn::RoutineOp>(body.front())) {
    shape.kind = KernelKind::Routine;
    return shape;
  }
  SmallVector<linalg::GenericOp> reductions, bodies;
  for (Operation &op : body)
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      (generic.getNumReductionLoops() != 0 ? reductions : bodies).push_back(generic);
  auto isEmpty = [&](Value result) { return extents.elementsOf(result).is(0); };
  if (reductions.empty() || llvm::any_of(results, isEmpty))
    return shape;
  if (reductions.size() == 1 && orderedShape(reductions[0], results, extents, shape))
    return shape;
  bool exact = llvm::any_of(reductions, [](linalg::GenericOp op) { return op->hasAttr(exactAttribute); });
  if (exact)
    shape.why = "the order of sums is part of the result";
  bool narrow = reductions.size() == 1 && isSumOfNarrowProducts(reductions[0]); // whose sums have no order
  if (narrow || (!exact && reductions.size() == 1 && isSumOfProducts(reductions[0]))) {
    shape.contraction.op = reductions[0];
    shape.contraction.extents = extents.loopsOf(reductions[0]);
    bool ends = llvm::all_of(results, [&](Value result) { return followsContraction(result, reductions[0]); });
    if (!ends && !narrow)
      shape.contraction.parts = std::max<int64_t>(partsOfColumns(reductions[0], results, extents), 1);
    if (!ends && shape.contraction.parts == 1)
      shape.why = "a result does not follow the contraction point by point";
    else if (assignRoles(shape.contraction, shape.why) && (!narrow || describeFactors(shape.contraction, shape.why))) {
      shape.kind = KernelKind::Contraction;
      return shape;
    }
  }
  if (!exact && attentionShapeOf(reductions, results, extents, shape)) {
    shape.kind = KernelKind::Attention;
    return shape;
  }
  bool broadcastBack = llvm::any_of(
      reductions, [](linalg::GenericOp op) { return reachesMoreLoops(op->getResult(0), op.getNumParallelLoops()); });
  bool along = llvm::any_of(reductions, [&](linalg::GenericOp op) { return reducesAlongMemory(op, extents); });
  if (!broadcastBack && reductions.size() == 1 &&
      (lanesAlongResult(reductions[0], extents) || reducesChosen(reductions[0])))
    along = false;
  // A row is written where its reductions run; a result seen under another shape is for points.
  bool reshaped = llvm::any_of(
      results, [](Value result) { return behindPlacement(result).getDefiningOp<tensor::ExpandShapeOp>() != nullptr; });
  if (reshaped)
    shape.why = "a result is reshaped";
  if (!reshaped && (along || broadcastBack) && findRows(reductions, bodies, extents, shape.rows, shape.why)) {
    if (demandsStayInRow(reductions, results, shape.rows, extents))
      shape.kind = KernelKind::Rows;
    else
      shape.why = "something is read from another row than the one at hand";
  }
  if (shape.kind == KernelKind::Rows && turnsRows(reductions, bodies, results, shape.rows, extents))
    shape.rows.lanesInsideRow = false;
  // Lanes along a row would each have a sum of their own.
  shape.rows.lanesInsideRow &= !exact;
  return shape;
}
