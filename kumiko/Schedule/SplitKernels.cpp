//===- SplitKernels.cpp - cut kernels that would compute things again ------===//
#include "kumiko/Nn/KernelSymbols.h"
#include "kumiko/Schedule/KernelShape.h"
#include "kumiko/Schedule/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace kumiko {
#define GEN_PASS_DEF_SPLITKERNELSPASS
#include "kumiko/Schedule/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static bool isReduction(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() != 0;
}

/// Expressions that are not the same may differ more for other sizes than for the typical ones.
static bool isMore(const eq::Extent &points, const eq::Extent &elements) {
  if (points.isStatic() && elements.isStatic())
    return points.value() > elements.value();
  return points != elements && typicalSize(points) >= typicalSize(elements);
}

/// Whether some op after `tensor` would ask for one of its elements more than once.
static bool isAskedAgain(Value tensor, const eq::Extent &elements, KernelExtents &extents) {
  for (Operation *user : tensor.getUsers()) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    if (generic && (isReduction(generic) || isMore(eq::product(extents.loopsOf(generic)), elements)))
      return true;
    if (isa<tensor::ExtractOp>(user)) // read at computed places
      return true;
    for (Value result : user->getResults())
      if (isAskedAgain(result, elements, extents))
        return true;
  }
  return false;
}

/// Products that are worth a register tile, and thereby a kernel of their own.
constexpr int64_t manyProducts = 1 << 15;

static bool deservesTile(Operation &op, KernelExtents &extents) {
  auto generic = cast<linalg::GenericOp>(op);
  bool many = typicalSize(eq::product(extents.loopsOf(generic))) >= manyProducts;
  return many && isContractionAlone(generic, extents);
}

/// Whether something in front of `tensor` is summed up, divided or an elementary function: a contraction asks for each
/// element of its operands many times.
static bool costsMore(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return false;
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    auto isCostly = [](Operation &inner) {
      return inner.getDialect()->getNamespace() == "math" || isa<arith::DivFOp>(inner);
    };
    if (isReduction(generic) || llvm::any_of(*generic.getBody(), isCostly))
      return true;
  }
  return llvm::any_of(op->getOperands(), costsMore);
}

namespace {
class Splitter {
public:
  explicit Splitter(ModuleOp module) : module(module), symbols(module) {}

  /// Cuts the kernel, and then what is left of it.
  void split(nn::KernelOp kernel) {
    Block &body = kernel.getBody().front();
    ValueRange results = body.getTerminator()->getOperands();
    KernelExtents extents;
    if (shapeOfKernel(body, results, extents).kind != KernelKind::Points)
      return;
    SmallVector<Value> cuts = aroundContractions(body, results, extents);
    if (cuts.empty())
      cuts = behindReductions(body, extents);
    if (cuts.empty())
      return;
    SmallVector<nn::CallOp> calls;
    module.walk([&](nn::CallOp call) {
      if (call.getCallee() == kernel.getName())
        calls.push_back(call);
    });
    llvm::SetVector<Operation *> parts;
    for (nn::CallOp call : calls)
      replace(kernel, call, cuts, extents, parts);
    symbols.erase(kernel);
    for (Operation *part : parts)
      split(cast<nn::KernelOp>(part));
  }

private:
  /// The results of large contractions that something follows, and operands of theirs that cost more than a read.
  static SmallVector<Value> aroundContractions(Block &body, ValueRange results, KernelExtents &extents) {
    llvm::DenseSet<Value> wanted;
    for (Operation &op : body) {
      if (!isReduction(&op) || !deservesTile(op, extents))
        continue;
      if (!llvm::is_contained(results, op.getResult(0)))
        wanted.insert(op.getResult(0));
      for (Value operand : cast<linalg::GenericOp>(op).getDpsInputs()) {
        while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(operand.getDefiningOp()))
          operand = operand.getDefiningOp()->getOperand(0);
        if (costsMore(operand))
          wanted.insert(operand);
      }
    }
    SmallVector<Value> cuts; // in the order in which they can be computed
    for (Operation &op : body)
      llvm::copy_if(op.getResults(), std::back_inserter(cuts), [&](Value value) { return wanted.contains(value); });
    return cuts;
  }

  /// The reductions whose results are asked for more than once.
  static SmallVector<Value> behindReductions(Block &body, KernelExtents &extents) {
    SmallVector<Value> cuts;
    for (Operation &op : body)
      if (isReduction(&op))
        for (Value result : op.getResults())
          if (isAskedAgain(result, extents.elementsOf(result), extents))
            cuts.push_back(result);
    return cuts;
  }

  /// Calls one kernel after the other; what one has written, the next ones read.
  void replace(nn::KernelOp kernel, nn::CallOp call, ArrayRef<Value> cuts, KernelExtents &extents,
               llvm::SetVector<Operation *> &parts) {
    llvm::MapVector<Value, Value> known; // values of the body that are tensors of the network now
    llvm::DenseSet<Value> constants;
    for (auto [argument, value] : llvm::zip_equal(kernel.getBody().front().getArguments(), call.getArgs())) {
      known[argument] = value;
      if (kernel.getArgAttr(argument.getArgNumber(), "nn.constant"))
        constants.insert(argument);
    }
    for (Value cut : cuts)
      known[cut] = part(call, {cut}, known, constants, extents, parts)->getResult(0);
    SmallVector<Value> results(kernel.getBody().front().getTerminator()->getOperands());
    nn::CallOp last = part(call, results, known, constants, extents, parts);
    call->replaceAllUsesWith(last->getResults());
    call->erase();
  }

  /// A kernel that computes `wanted` from the values known so far, and its call.
  nn::CallOp part(nn::CallOp call, ArrayRef<Value> wanted, const llvm::MapVector<Value, Value> &known,
                  const llvm::DenseSet<Value> &constants, KernelExtents &extents, llvm::SetVector<Operation *> &parts) {
    llvm::SetVector<Operation *> ops;
    llvm::SmallSetVector<Value, 8> inputs;
    std::function<void(Value)> visit = [&](Value value) {
      if (known.contains(value)) {
        inputs.insert(value);
        return;
      }
      Operation *op = value.getDefiningOp();
      if (!op || ops.contains(op))
        return;
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
            visit(operand);
      });
      ops.insert(op);
    };
    for (Value value : wanted)
      visit(value);

    auto isConstant = [&](Value value) { return constants.contains(value); };
    auto extentsOf = [&](Value value) {
      ArrayRef<eq::Extent> list = extents.of(value);
      bool open = !cast<RankedTensorType>(value.getType()).hasStaticShape();
      bool told = llvm::none_of(list, [](const eq::Extent &extent) { return extent.overflowed(); });
      return open && told ? nn::ExtentsAttr::get(value.getContext(), list) : nn::ExtentsAttr();
    };
    auto fill = [&](OpBuilder &b, IRMapping &mapping) {
      for (Operation *op : ops)
        b.clone(*op, mapping);
    };
    nn::KernelOp kernel = symbols.make(inputs.getArrayRef(), isConstant, wanted, fill, extentsOf);
    parts.insert(kernel);
    auto arguments = llvm::map_to_vector(inputs, [&](Value input) { return known.lookup(input); });
    OpBuilder b(call);
    auto part = nn::CallOp::create(b, call.getLoc(), TypeRange(ValueRange(wanted)),
                                   FlatSymbolRefAttr::get(kernel.getNameAttr()), arguments);
    auto lists = llvm::map_to_vector(wanted, [&](Value value) -> Attribute {
      nn::ExtentsAttr list = extentsOf(value);
      return list ? Attribute(list) : b.getUnitAttr();
    });
    if (llvm::any_of(lists, llvm::IsaPred<nn::ExtentsAttr>))
      part->setAttr(nn::extentsAttrName, b.getArrayAttr(lists));
    return part;
  }

  ModuleOp module;
  nn::KernelSymbols symbols;
};

struct SplitKernels final : kumiko::impl::SplitKernelsPassBase<SplitKernels> {
  void runOnOperation() override {
    Splitter splitter(getOperation());
    for (auto kernel : llvm::to_vector(getOperation().getOps<nn::KernelOp>()))
      splitter.split(kernel);
  }
};
} // namespace
