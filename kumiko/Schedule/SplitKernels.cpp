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

namespace {
class Splitter {
public:
  explicit Splitter(ModuleOp module) : module(module), symbols(module) {}

  void split(nn::KernelOp kernel) {
    Block &body = kernel.getBody().front();
    ValueRange results = body.getTerminator()->getOperands();
    KernelExtents extents;
    if (shapeOfKernel(body, results, extents).kind != KernelKind::Points)
      return;
    SmallVector<Value> cuts;
    for (Operation &op : body)
      if (isReduction(&op))
        for (Value result : op.getResults())
          if (isAskedAgain(result, extents.elementsOf(result), extents) ||
              (!llvm::is_contained(results, result) && deservesTile(op, extents)))
            cuts.push_back(result);
    if (cuts.empty())
      return;
    SmallVector<nn::CallOp> calls;
    module.walk([&](nn::CallOp call) {
      if (call.getCallee() == kernel.getName())
        calls.push_back(call);
    });
    for (nn::CallOp call : calls)
      replace(kernel, call, cuts, extents);
    kernel.erase();
  }

private:
  /// Calls one kernel after the other; what one has written, the next ones read.
  void replace(nn::KernelOp kernel, nn::CallOp call, ArrayRef<Value> cuts, KernelExtents &extents) {
    llvm::MapVector<Value, Value> known; // values of the body that are tensors of the network now
    llvm::DenseSet<Value> constants;
    for (auto [argument, value] : llvm::zip_equal(kernel.getBody().front().getArguments(), call.getArgs())) {
      known[argument] = value;
      if (kernel.getArgAttr(argument.getArgNumber(), "nn.constant"))
        constants.insert(argument);
    }
    for (Value cut : cuts)
      known[cut] = part(call, {cut}, known, constants, extents)->getResult(0);
    SmallVector<Value> results(kernel.getBody().front().getTerminator()->getOperands());
    nn::CallOp last = part(call, results, known, constants, extents);
    call->replaceAllUsesWith(last->getResults());
    call->erase();
  }

  /// A kernel that computes `wanted` from the values known so far, and its call.
  nn::CallOp part(nn::CallOp call, ArrayRef<Value> wanted, const llvm::MapVector<Value, Value> &known,
                  const llvm::DenseSet<Value> &constants, KernelExtents &extents) {
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
