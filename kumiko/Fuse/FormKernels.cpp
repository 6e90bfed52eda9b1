//===- FormKernels.cpp - group the ops of the network into kernels ---------===//
#include "kumiko/Fuse/Grouping.h"
#include "kumiko/Fuse/Passes.h"
#include "kumiko/Fuse/RepeatWidenings.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/KernelSymbols.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/SetVector.h"

namespace kumiko {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "kumiko/Fuse/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// A constant of one element as a splat, whatever its storage; null for larger ones.
static DenseElementsAttr singleElement(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  if (!constant || cast<RankedTensorType>(constant.getType()).getNumElements() != 1)
    return DenseElementsAttr();
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return dense;
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return DenseElementsAttr();
  return DenseElementsAttr::getFromRawBuffer(cast<ShapedType>(constant.getType()), blob->getData());
}

namespace {
class KernelBuilder {
public:
  explicit KernelBuilder(ModuleOp module) : symbols(module) {}

  void build(const Group &group) {
    llvm::SmallSetVector<Value, 8> inputs;
    SmallVector<Value> outputs;
    DenseSet<Operation *> inside(group.ops.begin(), group.ops.end());
    for (Operation *op : group.ops) {
      for (Value operand : op->getOperands())
        if (!inside.contains(operand.getDefiningOp()) && !goesAlong(op, operand))
          inputs.insert(operand);
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
          outputs.push_back(result);
    }
    auto isConstant = [](Value value) { return bool(value.getDefiningOp<nn::ConstantOp>()); };
    nn::KernelOp kernel = symbols.make(inputs.getArrayRef(), isConstant, outputs,
                                       [&](OpBuilder &b, IRMapping &mapping) { cloneOps(group, b, mapping); });
    OpBuilder b(group.ops.back());
    SmallVector<Location> sources;
    for (Operation *op : group.ops)
      sources.push_back(op->getLoc());
    auto call = nn::CallOp::create(b, b.getFusedLoc(sources), TypeRange(ValueRange(outputs)),
                                   FlatSymbolRefAttr::get(kernel.getNameAttr()), inputs.getArrayRef());
    for (auto [old, value] : llvm::zip_equal(outputs, call.getResults()))
      old.replaceUsesWithIf(value, [&](OpOperand &use) { return !inside.contains(use.getOwner()); });
    for (Operation *op : llvm::reverse(group.ops))
      op->erase();
  }

private:
  /// Constants of one element go along: they are code, not memory. A function of the runtime wants memory.
  static DenseElementsAttr goesAlong(Operation *op, Value operand) {
    return isa<nn::IrregularInterface>(op) ? DenseElementsAttr() : singleElement(operand);
  }

  static void cloneOps(const Group &group, OpBuilder &b, IRMapping &mapping) {
    Location unknown = b.getUnknownLoc();
    for (Operation *op : group.ops) {
      for (Value operand : op->getOperands())
        if (DenseElementsAttr value = goesAlong(op, operand); value && !mapping.contains(operand))
          mapping.map(operand, nn::ConstantOp::create(b, unknown, operand.getType(), value).getResult());
      b.clone(*op, mapping)->setLoc(unknown);
    }
  }

  nn::KernelSymbols symbols;
};

/// The value whose bytes `value` has.
Value underViews(Value value) {
  while (isa_and_nonnull<nn::ReshapeOp, nn::BitcastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Inputs, constants and values that are returned twice get a copy, so that every result has a writer of its own.
void copyBareResults(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  DenseSet<Value> written;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value bytes = underViews(operand.get());
    if (isa_and_nonnull<nn::EquationInterface, nn::IrregularInterface>(bytes.getDefiningOp()) &&
        written.insert(bytes).second)
      continue;
    OpBuilder b(terminator);
    Attribute shape = nn::numbersAttr(b.getContext(), nn::extentsOf(cast<RankedTensorType>(operand.get().getType())));
    std::string why;
    FailureOr<Operation *> copy =
        nn::buildEquationOp(b, terminator->getLoc(), "expand", {operand.get()}, {b.getNamedAttr("shape", shape)}, why);
    assert(succeeded(copy) && "a tensor expands to its own shape");
    operand.set((*copy)->getResult(0));
  }
}

struct FormKernels final : kumiko::impl::FormKernelsPassBase<FormKernels> {
  void runOnOperation() override {
    KernelBuilder builder(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      copyBareResults(function);
      repeatWidenings(function);
      for (const auto &group : groupOps(function))
        builder.build(*group);
      // A call stands where the last op of its group stood; readers of its other results may have stood before that.
      [[maybe_unused]] bool sorted = sortTopologically(&function.getBody().front());
      assert(sorted && "kernels wait for each other");
    }
  }
};
} // namespace
