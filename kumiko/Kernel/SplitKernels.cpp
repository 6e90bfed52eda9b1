//===- SplitKernels.cpp - cut kernels that would compute things again ------===//
#include "kumiko/Kernel/SplitKernels.h"
#include "kumiko/Kernel/Functions.h"
#include "kumiko/Kernel/Passes.h"
#include "kumiko/Nn/KernelSymbols.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace kumiko {
#define GEN_PASS_DEF_SPLITKERNELSPASS
#include "kumiko/Kernel/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static bool isReduction(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() != 0;
}

/// Expressions that are not the same may differ more for other sizes than for the typical ones.
static bool isMore(const Extent &points, const Extent &elements) {
  if (points.isStatic() && elements.isStatic())
    return points.value() > elements.value();
  return points != elements && typicalSize(points) >= typicalSize(elements);
}

/// Whether some op after `tensor` would ask for one of its elements more than once.
static bool isAskedAgain(Value tensor, const Extent &elements, KernelExtents &extents) {
  for (Operation *user : tensor.getUsers()) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    if (generic && (isReduction(generic) || isMore(product(extents.loopsOf(generic)), elements)))
      return true;
    if (isa<tensor::ExtractOp>(user)) // read at computed places
      return true;
    for (Value result : user->getResults())
      if (isAskedAgain(result, elements, extents))
        return true;
  }
  return false;
}

/// The last of the elementwise ops that alone read what `tensor` is made into, element by element: whoever reads a sum
/// again and again need not divide it again.
static Value endOfSteps(Value tensor, ValueRange results, KernelExtents &extents) {
  while (tensor.hasOneUse() && !llvm::is_contained(results, tensor)) {
    auto next = dyn_cast<linalg::GenericOp>(*tensor.user_begin());
    if (!next || isReduction(next) || next.getNumResults() != 1 || !next.isDpsInput(&*tensor.use_begin()) ||
        product(extents.loopsOf(next)) != extents.elementsOf(tensor) ||
        llvm::any_of(next.getDpsInputs(), [&](Value input) { return input != tensor && input.getDefiningOp(); }))
      break;
    tensor = next.getResult(0);
  }
  return tensor;
}

/// Products that are worth a register tile.
constexpr int64_t manyProducts = 1 << 15;

bool kumiko::deservesTile(linalg::GenericOp op, KernelExtents &extents) {
  return typicalSize(product(extents.loopsOf(op))) >= manyProducts && isContractionAlone(op, extents);
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

/// Readers of an element from which on a function is better computed once and kept. Functions of f64 take several times
/// as long as a store and a load.
constexpr int64_t manyReaders = 8, manyReadersOfF64 = 2;

/// Whether a function is computed for each element of `tensor`, or for what it is made of.
static bool computesFunction(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || isReduction(op))
    return false;
  return llvm::any_of(*op.getBody(), isFunction) || llvm::any_of(op.getDpsInputs(), computesFunction);
}

/// Whether the reduction `op` would compute functions again and again, as a product of probabilities does.
static bool computesAgain(linalg::GenericOp op, Value operand, KernelExtents &extents) {
  int64_t points = typicalSize(product(extents.loopsOf(op)));
  int64_t many = getElementTypeOrSelf(operand.getType()).isF64() ? manyReadersOfF64 : manyReaders;
  return computesFunction(operand) && points / many >= typicalSize(extents.elementsOf(operand));
}

/// Readers of an element from which on anything of several steps is better kept, and the steps. A division, and what
/// finds a whole number, count as four.
constexpr int64_t veryManyReaders = 256, manySteps = 12, longStep = 4;

/// Steps that lead to an element of `tensor`, as far as nothing is summed up.
static int64_t stepsOf(Value tensor) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || isReduction(op))
    return 0;
  int64_t steps = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    if (!inner.hasTrait<OpTrait::ConstantLike>())
      steps += isa<arith::DivFOp, arith::FPToSIOp, math::FloorOp, math::CeilOp>(inner) ? longStep : 1;
  for (Value input : op.getDpsInputs())
    steps += stepsOf(input);
  return steps;
}

/// Whether `operand` is a table that each row of what `op` sums up would find anew, as the weights of taps are that
/// resize an image.
static bool findsAgain(linalg::GenericOp op, Value operand, KernelExtents &extents) {
  int64_t points = typicalSize(product(extents.loopsOf(op)));
  return points / veryManyReaders >= typicalSize(extents.elementsOf(operand)) && stepsOf(operand) >= manySteps;
}

/// Windows that read an element from which on it is better padded once and kept than looked for by each of them; fewer
/// where rows are so short that each lane does.
constexpr int64_t manyWindows = 4, someWindows = 2, shortRow = 8;

/// Whether `operand` is a pad along the rows of which a reduction of windows looks at each element several times; next
/// to functions that costs nothing.
static bool padsRows(linalg::GenericOp op, Value operand, KernelExtents &extents) {
  auto pad = operand.getDefiningOp<tensor::PadOp>();
  if (!pad || !isa<BlockArgument>(pad.getSource()) || pad.getStaticLow().empty())
    return false;
  bool along = pad.getStaticLow().back() != 0 || pad.getStaticHigh().back() != 0;
  int64_t points = typicalSize(product(extents.loopsOf(op)));
  ArrayRef<Extent> result = extents.of(op->getResult(0));
  bool isShort = result.empty() || typicalSize(result.back()) <= shortRow;
  int64_t windows = isShort ? someWindows : manyWindows;
  return along && points / windows >= typicalSize(extents.elementsOf(operand));
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
    KernelKind kind = shapeOfKernel(body, results, extents).kind;
    if (kind != KernelKind::Points && kind != KernelKind::Contraction)
      return;
    bool hasTile = kind == KernelKind::Contraction;
    SmallVector<Value> cuts = aroundContractions(body, results, extents, hasTile);
    if (cuts.empty() && !hasTile)
      cuts = behindReductions(body, results, extents);
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
  /// The results of large contractions that something follows, and operands of theirs that cost more than a read; of
  /// other reductions, and of one that has its tile already, operands that are functions, asked for many times.
  static SmallVector<Value> aroundContractions(Block &body, ValueRange results, KernelExtents &extents, bool hasTile) {
    llvm::DenseSet<Value> wanted;
    bool functions = llvm::any_of(body.getOps<linalg::GenericOp>(),
                                  [](linalg::GenericOp op) { return llvm::any_of(*op.getBody(), isFunction); });
    for (Operation &op : body) {
      // A scatter will be a kernel of its own, and read each of its points once.
      if (!isReduction(&op) || scatterShapeOf(cast<linalg::GenericOp>(op), extents))
        continue;
      auto generic = cast<linalg::GenericOp>(op);
      bool tiled = !hasTile && deservesTile(generic, extents);
      if (tiled && !llvm::is_contained(results, op.getResult(0)))
        wanted.insert(op.getResult(0));
      for (Value operand : generic.getDpsInputs()) {
        while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(operand.getDefiningOp()))
          operand = operand.getDefiningOp()->getOperand(0);
        bool pads = !hasTile && !functions && padsRows(generic, operand, extents);
        bool again = computesAgain(generic, operand, extents) || (!hasTile && findsAgain(generic, operand, extents));
        if (tiled ? costsMore(operand) : again || pads)
          wanted.insert(operand);
      }
    }
    SmallVector<Value> cuts; // in the order in which they can be computed
    for (Operation &op : body)
      llvm::copy_if(op.getResults(), std::back_inserter(cuts), [&](Value value) { return wanted.contains(value); });
    return cuts;
  }

  /// The reductions whose results are asked for more than once, and scatters with something behind them: alone they go
  /// over their points once, here each element would look at all of them.
  static SmallVector<Value> behindReductions(Block &body, ValueRange results, KernelExtents &extents) {
    SmallVector<Value> cuts;
    for (Operation &op : body) {
      if (!isReduction(&op))
        continue;
      for (Value result : op.getResults())
        if (bool isScatter = bool(scatterShapeOf(cast<linalg::GenericOp>(op), extents));
            isAskedAgain(result, extents.elementsOf(result), extents) ||
            (isScatter && !llvm::is_contained(results, result)))
          cuts.push_back(isScatter ? result : endOfSteps(result, results, extents));
    }
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
    // Two results of one op are computed together.
    for (ArrayRef<Value> rest = cuts; !rest.empty();) {
      Operation *op = rest.front().getDefiningOp();
      ArrayRef<Value> together = rest.take_while([&](Value cut) { return cut.getDefiningOp() == op; });
      nn::CallOp made = part(call, together, known, constants, extents, parts);
      for (auto [cut, result] : llvm::zip_equal(together, made->getResults()))
        known[cut] = result;
      rest = rest.drop_front(together.size());
    }
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
      ArrayRef<Extent> list = extents.of(value);
      bool open = !cast<RankedTensorType>(value.getType()).hasStaticShape();
      bool told = llvm::none_of(list, [](const Extent &extent) { return extent.overflowed(); });
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
