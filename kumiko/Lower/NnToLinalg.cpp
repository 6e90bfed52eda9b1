//===- NnToLinalg.cpp - statements of equations become linalg --------------===//
#include "kumiko/Lower/KnownTensors.h"
#include "kumiko/Lower/Lowering.h"
#include "kumiko/Lower/Passes.h"
#include "kumiko/Lower/Scalar.h"
#include "kumiko/Lower/SignlessTypes.h"
#include "kumiko/Lower/Views.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/KernelSymbols.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace kumiko {
#define GEN_PASS_DEF_NNTOLINALGPASS
#include "kumiko/Lower/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

llvm::Expected<SmallVector<Value, 2>> lower::lowerInstance(OpBuilder &builder, Location loc,
                                                           const eq::Instance &instance, ArrayRef<Value> operands,
                                                           ArrayRef<bool> wanted, bool exact,
                                                           ArrayRef<std::pair<unsigned, Value>> known) {
  Lowering lowering{builder, loc, instance, {}, SmallVector<bool, 2>(wanted), exact};
  lowering.values.resize(instance.tensors.size());
  for (auto [tensor, value] : llvm::zip_equal(instance.tensors, lowering.values)) {
    if (tensor.role == eq::Tensor::Role::Operand && tensor.number < operands.size())
      value = operands[tensor.number];
  }
  for (auto [number, value] : known)
    lowering.values[number] = value;
  auto isKnown = [&](const eq::Target &target) {
    return llvm::is_contained(llvm::make_first_range(known), target.tensor);
  };
  for (auto [number, statement] : llvm::enumerate(instance.statements)) {
    if (llvm::all_of(statement.targets, isKnown))
      continue;
    if (llvm::Error error = lowerStatement(lowering, number))
      return llvm::createStringError("`" + statement.text + "` " + llvm::toString(std::move(error)));
  }
  SmallVector<Value, 2> results(wanted.size());
  for (auto [tensor, value] : llvm::zip_equal(instance.tensors, lowering.values))
    if (tensor.role == eq::Tensor::Role::Result)
      results[tensor.number] = value;
  return results;
}

/// Elements up to which kernels are told what a constant argument is.
constexpr int64_t fewValues = 256;

namespace {

/// An op together with its statements, made while the types still have their signs and extents.
struct Pending {
  Operation *op;
  std::unique_ptr<eq::Instance> instance;
  SmallVector<Extent, 4> from, to; ///< of a reshape
  /// Tensors of the instance that are constants or arguments of the kernel.
  SmallVector<std::pair<unsigned, Value>, 2> known = {};
};

struct NnToLinalg final : kumiko::impl::NnToLinalgPassBase<NnToLinalg> {
  using NnToLinalgPassBase::NnToLinalgPassBase;
  void runOnOperation() override {
    SmallVector<Operation *> bodies;
    for (Operation &op : *getOperation().getBody())
      if (auto function = dyn_cast<FunctionOpInterface>(op); function && !function.isExternal())
        if (isa<nn::KernelOp>(op) || hasEquations(&op))
          bodies.push_back(&op);

    std::vector<Pending> pending;
    bool failed = false;
    for (Operation *body : bodies)
      body->walk([&](Operation *op) { failed |= llvm::failed(collect(op, pending)); });
    if (failed)
      return signalPassFailure();
    lower::makeSignless(getOperation());
    for (Pending &each : pending)
      failed |= llvm::failed(replace(each));
    if (failed)
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (Operation *body : bodies) {
      DominanceInfo dominance(body);
      eliminateCommonSubExpressions(rewriter, dominance, body);
    }
  }

private:
  static bool hasEquations(Operation *body) {
    return body->walk([](nn::EquationInterface) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  static LogicalResult refuse(Operation *op, llvm::Error error) {
    return op->emitError() << "'" << op->getName() << "' is not yet compiled: " << llvm::toString(std::move(error));
  }

  LogicalResult collect(Operation *op, std::vector<Pending> &pending) {
    if (isa<nn::ConstantOp, nn::BitcastOp>(op)) {
      pending.push_back({op, nullptr, {}, {}});
      return success();
    }
    if (auto reshape = dyn_cast<nn::ReshapeOp>(op)) {
      pending.push_back({op, nullptr, nn::extentsOf(reshape.getX().getType()), nn::extentsOf(reshape.getType())});
      return success();
    }
    if (!isa<nn::EquationInterface>(op))
      return success();
    llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/true);
    if (!instance)
      return refuse(op, instance.takeError());
    pending.push_back({op, std::make_unique<eq::Instance>(std::move(*instance)), {}, {}});
    if (!tables)
      return success();
    for (lower::KnownTensor &tensor : lower::knownTensors(op, *pending.back().instance))
      if (Value value = constantFor(op, std::move(tensor.value)))
        pending.back().known.push_back({tensor.number, value});
    return success();
  }

  /// What stands for the tensor in the kernel around `op`: a number where all elements are equal, else an argument that
  /// is the same in every call.
  Value constantFor(Operation *op, Tensor tensor) {
    ElementsAttr value = lower::signless(optimize::attributeOf(&getContext(), std::move(tensor), "known"));
    OpBuilder builder(op);
    if (isa<SplatElementsAttr>(value))
      return arith::ConstantOp::create(builder, op->getLoc(), cast<TypedAttr>(value));
    auto kernel = dyn_cast<nn::KernelOp>(op->getParentOp());
    if (!kernel)
      return Value();
    SmallVector<NamedAttribute> attributes{builder.getNamedAttr("nn.constant", builder.getUnitAttr())};
    if (value.getNumElements() <= fewValues)
      attributes.push_back(builder.getNamedAttr(nn::valuesAttrName, value));
    unsigned number = kernel.getNumArguments();
    if (failed(
            kernel.insertArgument(number, value.getShapedType(), builder.getDictionaryAttr(attributes), op->getLoc())))
      return Value();
    getOperation().walk([&](nn::CallOp call) {
      if (call.getCallee() != kernel.getName())
        return;
      builder.setInsertionPoint(call);
      call.getArgsMutable().append(
          nn::ConstantOp::create(builder, call.getLoc(), value.getShapedType(), value).getResult());
    });
    return kernel.getArgument(number);
  }

  LogicalResult replace(Pending &pending) {
    Operation *op = pending.op;
    OpBuilder builder(op);
    if (pending.instance) {
      SmallVector<bool, 2> wanted;
      for (Value result : op->getResults())
        wanted.push_back(!result.use_empty());
      auto results = lower::lowerInstance(builder, op->getLoc(), *pending.instance, nn::operandSlots(op), wanted, exact,
                                          pending.known);
      if (!results)
        return refuse(op, results.takeError());
      for (auto [old, value] : llvm::zip_equal(op->getResults(), *results))
        if (value)
          old.replaceAllUsesWith(value);
    } else if (auto constant = dyn_cast<nn::ConstantOp>(op)) {
      Value value = arith::ConstantOp::create(builder, op->getLoc(), cast<TypedAttr>(constant.getValue()));
      constant.getResult().replaceAllUsesWith(value);
    } else if (isa<nn::ReshapeOp>(op)) {
      Value value = lower::reshape(builder, op->getLoc(), {op->getOperand(0), pending.from}, pending.to);
      op->getResult(0).replaceAllUsesWith(value);
    } else {
      Value value = op->getOperand(0);
      if (value.getType() != op->getResult(0).getType())
        value = tensor::BitcastOp::create(builder, op->getLoc(), op->getResult(0).getType(), value);
      op->getResult(0).replaceAllUsesWith(value);
    }
    op->erase();
    return success();
  }
};

} // namespace
