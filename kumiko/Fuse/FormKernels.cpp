//===- FormKernels.cpp - group the ops of the network into kernels ---------===//
#include "kumiko/Equation/Cost.h"
#include "kumiko/Fuse/Copies.h"
#include "kumiko/Fuse/Grouping.h"
#include "kumiko/Fuse/Order.h"
#include "kumiko/Fuse/Passes.h"
#include "kumiko/Fuse/RepeatCheapOps.h"
#include "kumiko/Nn/KernelSymbols.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Nn/TypicalSize.h"
#include "kumiko/Target/TargetAttr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Remarks.h"
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
    remark(group, outputs, call.getLoc());
    for (auto [old, value] : llvm::zip_equal(outputs, call.getResults()))
      old.replaceUsesWithIf(value, [&](OpOperand &use) { return !inside.contains(use.getOwner()); });
    for (Operation *op : llvm::reverse(group.ops))
      op->erase();
  }

private:
  /// What sharing a kernel saves: values that are neither written nor read back. Open sizes count as typical ones.
  static void remark(const Group &group, ArrayRef<Value> outputs, Location loc) {
    if (group.ops.size() < 2)
      return;
    uint64_t bytes = 0;
    for (Operation *op : group.ops)
      for (Value result : op->getResults())
        if (auto type = cast<RankedTensorType>(result.getType()); !llvm::is_contained(outputs, result)) {
          uint64_t readers = std::distance(result.use_begin(), result.use_end());
          uint64_t once = typicalSize(eq::bytesOf(nn::toEquation(type)));
          bytes = llvm::SaturatingMultiplyAdd<uint64_t>(1 + readers, once, bytes);
        }
    remark::passed(loc, remark::RemarkOpts::name("fusion").category("Fuse"))
        << remark::metric("class", "exact") << remark::metric("saved", group.ops.size() - 1)
        << remark::metric("saved_bytes", bytes);
  }

  /// Constants of one element go along: they are code, not memory. A function of the runtime wants memory.
  static DenseElementsAttr goesAlong(Operation *op, Value operand) {
    return isa<nn::IrregularInterface>(op) ? DenseElementsAttr() : singleElement(operand);
  }

  /// Where ops come from is no part of what makes kernels equal: of equal ones the first has its names in it.
  static void cloneOps(const Group &group, OpBuilder &b, IRMapping &mapping) {
    Location unknown = b.getUnknownLoc();
    for (Operation *op : group.ops) {
      for (Value operand : op->getOperands())
        if (DenseElementsAttr value = goesAlong(op, operand); value && !mapping.contains(operand))
          mapping.map(operand, nn::ConstantOp::create(b, unknown, operand.getType(), value).getResult());
      b.clone(*op, mapping);
    }
  }

  nn::KernelSymbols symbols;
};

struct FormKernels final : kumiko::impl::FormKernelsPassBase<FormKernels> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    target = &targetOf(getOperation());
    KernelBuilder builder(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal())
        form(function.getBody().front(), builder);
  }

  static void buildAlone(Operation *op, KernelBuilder &builder) {
    Group alone;
    alone.ops = {op};
    builder.build(alone);
  }

  void form(Block &block, KernelBuilder &builder) {
    SmallVector<Operation *> nests;
    for (Operation &op : block)
      if (op.getNumRegions() != 0)
        nests.push_back(&op);
    for (Operation *op : nests) {
      copyFirstStates(op);
      for (Region &region : op->getRegions())
        form(region.front(), builder);
    }
    copyBareResults(block);
    repeatCheapOps(block, *target);
    if (fuse)
      for (const auto &group : groupOps(block, *target))
        builder.build(*group);
    else
      for (Operation &op : llvm::make_early_inc_range(block))
        if (isa<nn::EquationInterface, nn::IrregularInterface>(op))
          buildAlone(&op, builder);
    // A call stands where the last op of its group stood; readers of its other results may have stood before that.
    putInOrder(block);
    for (Operation *op : nests)
      if (auto loop = dyn_cast<nn::LoopOp>(op))
        for (Operation *copy : copyLastStates(loop))
          buildAlone(copy, builder);
  }

  const Target *target = nullptr;
};
} // namespace
