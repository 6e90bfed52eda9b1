//===- PartReductions.cpp - long reductions to few elements, in parts --------===//
//
//   s = sum over r of x[r]    ->    t[p] = sum over q of x[p * n + q],   s = sum over p of t[p] (and what is left over)
//
// An element of a result belongs to one chunk, so a sum of all there is would run on one thread. Its parts are elements
// of their own. How many there are follows from sizes alone: the bits are the same for any number of threads. So are
// parts searched for the largest element and its number (Selection.h), which is counted from where the part begins.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Kernel/Selection.h"
#include "kumiko/Lower/Exact.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Numerics/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace kumiko {
#define GEN_PASS_DEF_PARTREDUCTIONSPASS
#include "kumiko/Numerics/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// Points that are worth parts, and parts that are enough for most numbers of threads. Of those that are, the one is
/// taken that leaves least over.
constexpr int64_t manyPoints = 1 << 18, fewestParts = 8, mostParts = 16;
/// Chunks that the elements of a result are cut into by themselves, where each chunk has so many bytes of a row that is
/// read: with these there is enough to share.
constexpr int64_t enoughChunks = 4, bytesOfChunk = 2048;

namespace {
/// A reduction of one result by an operation for which the order of terms does not matter, or one that chooses a value
/// and its number, along a loop that every operand has as a dimension of its own, or not at all.
class Parting {
public:
  Parting(linalg::GenericOp op, KernelExtents &extents) : op(op), b(op), loc(op.getLoc()), loops(extents.loopsOf(op)) {}

  bool isWanted() {
    auto isStatic = [](const Extent &extent) { return extent.isStatic(); };
    return llvm::all_of(loops, isStatic) && product(loops).value() >= manyPoints && findCombiner() &&
           !hasEnoughChunks() && findLoop();
  }

  void run() {
    takeInProducers();
    int64_t length = loops[loop].value();
    parts = std::min(mostParts, length);
    for (int64_t number = parts; number >= fewestParts; --number)
      if (length % number < length % parts)
        parts = number;
    int64_t each = length / parts, rest = length % parts;
    SmallVector<Value> sums = combine(partSums(each), each);
    if (rest != 0)
      sums = sumsBehind(parts * each, rest, sums);
    op->replaceAllUsesWith(sums);
    op.erase();
  }

private:
  /// Whether it is known how two parts are combined, and what each of them begins with.
  bool findCombiner() {
    if (op->hasAttr(exactAttribute) || !op.getBody()->getOps<tensor::ExtractOp>().empty() ||
        !op.getIndexingMapsArray().back().isProjectedPermutation())
      return false;
    if (selectionOf(op))
      return llvm::all_of(op.getDpsInits(), [](Value init) { return init.getDefiningOp<linalg::FillOp>(); });
    if (!hasSimpleCombiner(op) || !op.getRegionOutputArgs()[0].hasOneUse())
      return false;
    neutral = arith::getNeutralElement(op.getBody()->getTerminator()->getOperand(0).getDefiningOp());
    return neutral.has_value();
  }

  bool isReduced(unsigned number) { return op.getIteratorTypesArray()[number] == utils::IteratorType::reduction; }

  /// Whether lanes, and with them chunks, are among the elements of the result, or each of these is a chunk.
  bool hasEnoughChunks() {
    int64_t results = 1, bytes = 1;
    for (auto [number, extent] : llvm::enumerate(loops))
      results *= isReduced(number) ? 1 : extent.value();
    bool alongMemory = true;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      Type element = getElementTypeOrSelf(input->get().getType());
      if (map.getNumResults() == 0 || !element.isIntOrFloat())
        continue;
      bytes = std::max<int64_t>(bytes, element.getIntOrFloatBitWidth() / 8);
      auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
      alongMemory &= last && isReduced(last.getPosition());
    }
    return (alongMemory ? results : results * bytes / bytesOfChunk) >= enoughChunks;
  }

  /// The first of the reduced loops, which goes furthest in memory.
  bool findLoop() {
    for (loop = 0; loop < loops.size(); ++loop)
      if (isReduced(loop) && loops[loop].value() > 1)
        break;
    auto isNumber = [&](linalg::IndexOp index) { return index.getDim() == loop; };
    if (loop == loops.size() || (!selectionOf(op) && llvm::any_of(op.getBody()->getOps<linalg::IndexOp>(), isNumber)))
      return false;
    AffineExpr expr = getAffineDimExpr(loop, op.getContext());
    return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      AffineMap map = op.getMatchingIndexingMap(input);
      return llvm::all_of(map.getResults(),
                          [&](AffineExpr each) { return each == expr || !each.isFunctionOfDim(loop); }) &&
             llvm::count(map.getResults(), expr) <= 1;
    });
  }

  /// Elementwise bodies in front become part of the reduction's own, so that they have the loop over parts, too.
  /// Whoever else reads them is in another kernel in the end.
  void takeInProducers() {
    IRRewriter rewriter(op);
    auto isTaken = [&](OpOperand *operand) {
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      if (!producer || producer.getNumReductionLoops() != 0 || !linalg::areElementwiseOpsFusable(operand))
        return false;
      operand->set(rewriter.clone(*producer)->getResult(cast<OpResult>(operand->get()).getResultNumber()));
      FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(fused))
        return false;
      rewriter.replaceOp(
          op, llvm::map_to_vector(op->getResults(), [&](Value result) { return fused->replacements.lookup(result); }));
      op = cast<linalg::GenericOp>(fused->fusedOp);
      return true;
    };
    while (llvm::any_of(op.getDpsInputOperands(), isTaken))
      rewriter.setInsertionPoint(op);
    b.setInsertionPoint(op);
  }

  std::optional<unsigned> dimensionOf(OpOperand *input) {
    return op.getMatchingIndexingMap(input).getResultPosition(getAffineDimExpr(loop, op.getContext()));
  }

  /// `count` elements of `tensor` from `first` on, along dimension `d`.
  Value slice(Value tensor, unsigned d, int64_t first, int64_t count) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.getDimSize(d) == count)
      return tensor;
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), steps(type.getRank(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
    offsets[d] = b.getIndexAttr(first);
    sizes[d] = b.getIndexAttr(count);
    return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes, steps);
  }

  /// The same, as so many parts of `each` elements.
  Value inParts(Value tensor, unsigned d, int64_t each) {
    tensor = slice(tensor, d, 0, parts * each);
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<ReassociationIndices> groups;
    for (int64_t n = 0; n < type.getRank(); ++n)
      groups.push_back(n == d ? ReassociationIndices{n, n + 1} : ReassociationIndices{n + (n > d)});
    shape[d] = parts;
    shape.insert(shape.begin() + d + 1, each);
    return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), tensor, groups);
  }

  /// As `op`, with the loop over parts around its own. Operands have a dimension of parts before that of the loop, and
  /// results have one in front.
  ValueRange partSums(int64_t each) {
    unsigned count = op.getNumLoops();
    AffineExpr part = getAffineDimExpr(0, op.getContext());
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    auto addMap = [&](AffineMap map, std::optional<unsigned> place) {
      SmallVector<AffineExpr> exprs(map.shiftDims(1).getResults());
      if (place)
        exprs.insert(exprs.begin() + *place, part);
      maps.push_back(AffineMap::get(count + 1, 0, exprs, op.getContext()));
    };
    for (OpOperand *input : op.getDpsInputOperands()) {
      std::optional<unsigned> d = dimensionOf(input);
      inputs.push_back(d ? inParts(input->get(), *d, each) : input->get());
      addMap(op.getMatchingIndexingMap(input), d);
    }
    for (auto [result, init] : llvm::zip_equal(op->getResults(), op.getDpsInits())) {
      Value start = neutral ? Value(arith::ConstantOp::create(b, loc, *neutral))
                            : init.getDefiningOp<linalg::FillOp>().getInputs()[0];
      auto type = cast<RankedTensorType>(result.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin(), parts);
      Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
      inits.push_back(linalg::FillOp::create(b, loc, start, empty).getResult(0));
      addMap(op.getIndexingMapsArray().back(), 0);
    }
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    iterators.insert(iterators.begin(), utils::IteratorType::parallel);
    linalg::GenericOp made = generic(inputs, inits, maps, iterators);
    for (auto index : made.getBody()->getOps<linalg::IndexOp>())
      index.setDim(index.getDim() + 1);
    return made.getResults();
  }

  /// A generic with the body of `op`.
  linalg::GenericOp generic(ValueRange inputs, ValueRange inits, ArrayRef<AffineMap> maps,
                            ArrayRef<utils::IteratorType> iterators) {
    auto made = linalg::GenericOp::create(b, loc, inits.getTypes(), inputs, inits, maps, iterators);
    IRMapping mapping;
    op.getRegion().cloneInto(&made.getRegion(), mapping);
    return made;
  }

  /// One part after the other.
  SmallVector<Value> combine(ValueRange partial, int64_t each) {
    unsigned rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    SmallVector<AffineExpr> exprs{getAffineDimExpr(rank, op.getContext())};
    for (unsigned d = 0; d < rank; ++d)
      exprs.push_back(getAffineDimExpr(d, op.getContext()));
    SmallVector<AffineMap> maps(partial.size(), AffineMap::get(rank + 1, 0, exprs, op.getContext()));
    maps.append(partial.size(), AffineMap::get(rank + 1, 0, ArrayRef(exprs).drop_front(), op.getContext()));
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
    auto body = [&](OpBuilder &inside, Location, ValueRange arguments) {
      IRMapping mapping;
      mapping.map(op.getRegionOutputArgs(), arguments.take_back(partial.size()));
      if (std::optional<Selection> selection = selectionOf(op))
        return choose(inside, *selection, mapping, arguments, rank, each);
      Operation *combiner = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
      for (Value operand : combiner->getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand, arguments[0]);
      linalg::YieldOp::create(inside, loc, inside.clone(*combiner, mapping)->getResults());
    };
    return linalg::GenericOp::create(b, loc, op->getResultTypes(), partial, op.getDpsInits(), maps, iterators, body)
        .getResults();
  }

  /// The choice between what was chosen so far and the value and number of part number `index(loop)`.
  void choose(OpBuilder &inside, const Selection &selection, IRMapping &mapping, ValueRange arguments, unsigned loop,
              int64_t each) {
    mapping.map(selection.value, arguments[0]);
    std::function<Value(Value)> copy = [&](Value value) {
      Operation *producer = value.getDefiningOp();
      if (mapping.contains(value) || !producer || producer->getBlock() != op.getBody())
        return mapping.lookupOrDefault(value);
      for (Value operand : producer->getOperands())
        copy(operand);
      inside.clone(*producer, mapping);
      return mapping.lookup(value);
    };
    Value condition = copy(selection.condition), number = arguments[1];
    Value first = arith::MulIOp::create(inside, loc, linalg::IndexOp::create(inside, loc, loop),
                                        arith::ConstantIndexOp::create(inside, loc, each));
    number =
        arith::AddIOp::create(inside, loc, number, arith::IndexCastOp::create(inside, loc, number.getType(), first));
    Value chosen[] = {arith::SelectOp::create(inside, loc, condition, arguments[0], arguments[2]),
                      arith::SelectOp::create(inside, loc, condition, number, arguments[3])};
    linalg::YieldOp::create(inside, loc, chosen);
  }

  /// What goes on from `sums` with `count` points of the loop from `first` on.
  SmallVector<Value> sumsBehind(int64_t first, int64_t count, ValueRange sums) {
    SmallVector<Value> inputs;
    for (OpOperand *input : op.getDpsInputOperands()) {
      std::optional<unsigned> d = dimensionOf(input);
      inputs.push_back(d ? slice(input->get(), *d, first, count) : input->get());
    }
    linalg::GenericOp made = generic(inputs, sums, op.getIndexingMapsArray(), op.getIteratorTypesArray());
    for (auto index : llvm::to_vector(made.getBody()->getOps<linalg::IndexOp>())) {
      if (index.getDim() != loop)
        continue;
      OpBuilder behind(index->getContext());
      behind.setInsertionPointAfter(index);
      auto offset = arith::ConstantIndexOp::create(behind, loc, first);
      auto number = arith::AddIOp::create(behind, loc, index, offset);
      index->getResult(0).replaceAllUsesExcept(number, number);
    }
    return made.getResults();
  }

  linalg::GenericOp op;
  OpBuilder b;
  Location loc;
  Extents loops;
  std::optional<TypedAttr> neutral; ///< where nothing is chosen
  unsigned loop = 0;                ///< the one that is parted
  int64_t parts = 1;
};

struct PartReductions final : kumiko::impl::PartReductionsPassBase<PartReductions> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<nn::KernelOp>())
      run(kernel.getBody().front());
  }

private:
  static void run(Block &body) {
    KernelExtents extents;
    ValueRange results = body.getTerminator()->getOperands();
    KernelKind kind = shapeOfKernel(body, results, extents).kind;
    auto isShort = [&](Value result) { return typicalSize(extents.elementsOf(result)) < manyPoints; };
    if (kind != KernelKind::Rows && (kind != KernelKind::Points || !llvm::all_of(results, isShort)))
      return;
    std::vector<Parting> partings;
    for (auto op : body.getOps<linalg::GenericOp>())
      if (op.getNumReductionLoops() != 0)
        partings.emplace_back(op, extents);
    // One that stays as it is would be computed again for each part of another.
    if (llvm::all_of(partings, [](Parting &parting) { return parting.isWanted(); }))
      for (Parting &parting : partings)
        parting.run();
  }
};
} // namespace
