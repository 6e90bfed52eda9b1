//===- DropUnits.cpp - bodies without loops of one point -------------------===//
#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Kernel/Passes.h"
#include "kumiko/Lower/Names.h"
#include "kumiko/Lower/Views.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace kumiko {
#define GEN_PASS_DEF_DROPUNITSPASS
#include "kumiko/Kernel/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static Extents longOnes(ArrayRef<Extent> extents) {
  Extents result;
  llvm::copy_if(extents, std::back_inserter(result), [](const Extent &extent) { return !extent.is(1); });
  return result;
}

namespace {
class UnitDropper {
public:
  explicit UnitDropper(Block &body) : body(body) {}

  /// Whether dimensions of one element stand between bodies, or make loops of reductions that should agree.
  bool isNeeded() {
    unsigned reductions = 0;
    bool between = false, hasUnits = false;
    for (Operation &op : body) {
      if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        reductions += generic.getNumReductionLoops() != 0;
        hasUnits |= llvm::any_of(extents.loopsOf(generic), [](const Extent &extent) { return extent.is(1); });
      }
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        between |= seenThrough(op.getResult(0)).getDefiningOp<linalg::GenericOp>() &&
                   llvm::any_of(op.getUsers(), llvm::IsaPred<linalg::GenericOp>);
    }
    return between || (hasUnits && reductions > 1);
  }

  /// Whoever reads a tensor under another shape and back reads the tensor. (Sizes that are symbols hide that from
  /// folding.)
  void dropDetours() {
    for (Operation &op : body) {
      if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        continue;
      Value result = op.getResult(0), shown = seenThrough(result);
      if (shown != result && shown.getType() == result.getType() && extents.of(shown) == extents.of(result))
        result.replaceAllUsesWith(shown);
    }
    straighten();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  void run() {
    for (auto op : llvm::to_vector(body.getOps<linalg::GenericOp>()))
      drop(op);
  }

private:
  /// Reshapes of reshapes become one where one is enough: a collapse can be followed to its end, a product read and
  /// written through, where dimensions that are cut and joined again would hide both.
  void straighten() {
    auto isReshape = llvm::IsaAndPresentPred<tensor::ExpandShapeOp, tensor::CollapseShapeOp>;
    for (Operation &op : llvm::make_early_inc_range(body)) {
      if (!isReshape(&op) || llvm::all_of(op.getUsers(), isReshape) || !isReshape(op.getOperand(0).getDefiningOp()))
        continue;
      Value result = op.getResult(0), source = op.getOperand(0);
      while (isReshape(source.getDefiningOp()))
        source = source.getDefiningOp()->getOperand(0);
      auto isKnown = [](Value tensor) {
        auto type = cast<RankedTensorType>(tensor.getType());
        return type.hasStaticShape() && type.getNumElements() != 0;
      };
      if (!isKnown(source) || !isKnown(result))
        continue;
      Extents from(extents.of(source)), to(extents.of(result));
      auto [groupsFrom, groupsTo] = nn::commonGroups(from, to);
      if (groupsFrom.size() < from.size() && groupsTo.size() < to.size())
        continue;
      OpBuilder b(&op);
      result.replaceAllUsesWith(lower::reshape(b, op.getLoc(), {source, llvm::to_vector<4>(from)}, to));
    }
  }

  /// What `tensor` shows, behind reshapes that only add or drop dimensions of one element.
  Value seenThrough(Value tensor) {
    while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(tensor.getDefiningOp())) {
      Value source = tensor.getDefiningOp()->getOperand(0);
      if (longOnes(extents.of(source)) != longOnes(extents.of(tensor)))
        break;
      tensor = source;
    }
    return tensor;
  }

  /// The same elements in the long dimensions only; null for what an op starts from, if that is not a plain value.
  Value stripped(OpBuilder &b, Location loc, Value tensor, bool isInit) {
    Extents shape = longOnes(extents.of(tensor));
    Type element = getElementTypeOrSelf(tensor.getType());
    if (isInit) {
      Value empty = lower::emptyTensor(b, loc, shape, element);
      if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
        return linalg::FillOp::create(b, loc, fill.getInputs(), empty).getResult(0);
      return tensor.getDefiningOp<tensor::EmptyOp>() ? empty : Value();
    }
    tensor = seenThrough(tensor);
    Value &known = shorter[tensor]; // bodies are taken in order: what one was given stands before the next
    if (!known)
      known = lower::reshape(b, loc, {tensor, llvm::to_vector<4>(extents.of(tensor))}, shape);
    return known;
  }

  void drop(linalg::GenericOp op) {
    OpBuilder b(op);
    Extents loops = extents.loopsOf(op);
    // A reduction stays one.
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    if (!reduced.empty() && llvm::all_of(reduced, [&](unsigned loop) { return loops[loop].is(1); }))
      return;
    SmallVector<AffineExpr> dims;
    SmallVector<utils::IteratorType> kinds;
    for (auto [extent, kind] : llvm::zip_equal(loops, op.getIteratorTypesArray())) {
      dims.push_back(extent.is(1) ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(kinds.size()));
      if (!extent.is(1))
        kinds.push_back(kind);
    }
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      SmallVector<AffineExpr> places;
      for (auto [expr, extent] :
           llvm::zip_equal(op.getMatchingIndexingMap(&operand).getResults(), extents.of(operand.get()))) {
        AffineExpr place = expr.replaceDims(dims);
        if (!extent.is(1))
          places.push_back(place);
        else if (place != b.getAffineConstantExpr(0))
          return;
      }
      maps.push_back(AffineMap::get(kinds.size(), 0, places, op.getContext()));
      operands.push_back(stripped(b, op.getLoc(), operand.get(), op.isDpsInit(&operand)));
      if (!operands.back())
        return;
    }
    if (kinds.size() == loops.size() && llvm::equal(operands, op->getOperands()))
      return;
    replace(b, op, dims, kinds, maps, operands);
  }

  void replace(OpBuilder &b, linalg::GenericOp op, ArrayRef<AffineExpr> dims, ArrayRef<utils::IteratorType> kinds,
               ArrayRef<AffineMap> maps, ArrayRef<Value> operands) {
    ArrayRef<Value> inputs = operands.take_front(op.getNumDpsInputs()), inits = operands.drop_front(inputs.size());
    Location loc = keepLoops(op.getLoc(), [&](unsigned loop) { return isa<AffineDimExpr>(dims[loop]); });
    auto generic = linalg::GenericOp::create(b, loc, TypeRange(ValueRange(inits)), inputs, inits, maps, kinds,
                                             /*bodyBuild=*/nullptr, llvm::to_vector(op->getDiscardableAttrs()));
    // The old op goes with all that is dead in the end: until then what is known about its result must stay its own.
    IRMapping mapping;
    op.getRegion().cloneInto(&generic.getRegion(), mapping);
    for (auto index : llvm::to_vector(generic.getBody()->getOps<linalg::IndexOp>())) {
      OpBuilder inner(index);
      auto dim = dyn_cast<AffineDimExpr>(dims[index.getDim()]);
      Value value = dim ? linalg::IndexOp::create(inner, index.getLoc(), dim.getPosition()).getResult()
                        : arith::ConstantIndexOp::create(inner, index.getLoc(), 0).getResult();
      index.replaceAllUsesWith(value);
      index.erase();
    }
    for (auto [old, value] : llvm::zip_equal(op->getResults(), generic->getResults())) {
      ArrayRef<Extent> shape = extents.of(old);
      old.replaceAllUsesWith(lower::reshape(b, op.getLoc(), {value, llvm::to_vector<4>(longOnes(shape))}, shape));
    }
  }

  Block &body;
  KernelExtents extents;
  llvm::DenseMap<Value, Value> shorter;
};

struct DropUnits final : kumiko::impl::DropUnitsPassBase<DropUnits> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<nn::KernelOp>()) {
      UnitDropper dropper(kernel.getBody().front());
      if (dropper.isNeeded())
        dropper.run();
      dropper.dropDetours();
    }
  }
};
} // namespace
