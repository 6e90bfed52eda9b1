//===- Op.cpp - one op, by its kind ---------------------------------------------------===//
#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Evaluate/OpRun.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace mlir;
using namespace kumiko;

static llvm::Expected<SharedTensors> only(SharedTensor tensor) {
  SharedTensors list;
  list.push_back(std::move(tensor));
  return list;
}

static llvm::Expected<SharedTensors> runConstant(nn::ConstantOp op, const OpRun &run) {
  llvm::Expected<Tensor> tensor = constantTensor(op.getValue(), run.options.limits.bytes);
  if (!tensor)
    return tensor.takeError();
  return only(tensor->owns() ? SharedTensor::own(std::move(*tensor)) : SharedTensor{nullptr, std::move(*tensor)});
}

static llvm::Expected<SharedTensors> runReshape(nn::ReshapeOp op, const OpRun &run) {
  SharedTensor x = run.operandAt(op.getX()).share();
  ElementType element = x.tensor.element();
  auto shape = cast<RankedTensorType>(op.getType()).getShape();
  auto tensor = Tensor::reinterpret(std::move(x.tensor), element, shape);
  if (!tensor)
    return tensor.takeError();
  return only({x.owner, std::move(*tensor)});
}

/// Bits are those of the declared type, also where the value is held as f64.
static llvm::Expected<SharedTensors> runBitcast(nn::BitcastOp op, const OpRun &run) {
  ElementType declared = nn::toEquation(getElementTypeOrSelf(op.getX().getType()));
  SharedTensor x = run.operandAt(op.getX()).share();
  if (x.tensor.element() != declared) {
    llvm::Expected<Tensor> rounded = convert(x.tensor, declared, {}, run.options.limits.bytes);
    if (!rounded)
      return rounded.takeError();
    x = SharedTensor::own(std::move(*rounded));
  }
  llvm::SmallVector<int64_t, 6> shape(x.tensor.shape());
  auto cast = Tensor::reinterpret(std::move(x.tensor), nn::toEquation(getElementTypeOrSelf(op.getType())), shape);
  if (!cast)
    return cast.takeError();
  return only({x.owner, std::move(*cast)});
}

static llvm::Expected<SharedTensors> runCall(nn::CallOp call, const OpRun &run) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<nn::KernelOp>(call, call.getCalleeAttr());
  if (!kernel)
    return llvm::createStringError("the kernel is missing");
  SharedTensors arguments;
  for (Value operand : call.getArgs())
    arguments.push_back(run.operandAt(operand).share());
  return evaluateBlock(kernel.getBody().front(), std::move(arguments), run.options, run.depth + 1);
}

static llvm::Expected<SharedTensors> runEquation(Operation *op, const OpRun &run) {
  bool all = run.options.unusedResults || run.options.afterOp;
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/!all);
  if (!instance)
    return instance.takeError();
  llvm::SmallVector<const Tensor *, 4> operands;
  for (Value slot : nn::operandSlots(op))
    operands.push_back(slot ? &run.operandAt(slot).tensor : nullptr);
  auto tensors = evaluate(*instance, operands, run.options.precision, run.options.limits);
  if (!tensors)
    return tensors.takeError();
  SharedTensors results;
  for (Tensor &tensor : *tensors)
    results.push_back(SharedTensor::own(std::move(tensor)));
  results.resize(op->getNumResults()); // an instance may leave out what nobody asks for
  return results;
}

static llvm::Expected<SharedTensors> runIrregular(Operation *op, const OpRun &run) {
  llvm::SmallVector<const Tensor *, 4> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&run.operandAt(operand).tensor);
  auto tensors = evaluateIrregular(op, {operands, run.options});
  if (!tensors)
    return tensors.takeError();
  SharedTensors results;
  for (Tensor &tensor : *tensors)
    results.push_back(SharedTensor::own(std::move(tensor)));
  return results;
}

llvm::Expected<SharedTensors> kumiko::evaluateOp(Operation *op, const OpRun &run) {
  if (auto constant = dyn_cast<nn::ConstantOp>(op))
    return runConstant(constant, run);
  if (auto reshape = dyn_cast<nn::ReshapeOp>(op))
    return runReshape(reshape, run);
  if (auto bitcast = dyn_cast<nn::BitcastOp>(op))
    return runBitcast(bitcast, run);
  if (auto call = dyn_cast<nn::CallOp>(op))
    return runCall(call, run);
  if (auto scan = dyn_cast<nn::ScanOp>(op))
    return evaluateScan(scan, run);
  if (auto choice = dyn_cast<nn::IfOp>(op))
    return evaluateIf(choice, run);
  if (auto loop = dyn_cast<nn::LoopOp>(op))
    return evaluateLoop(loop, run);
  if (isa<nn::EquationInterface>(op))
    return runEquation(op, run);
  if (isa<nn::IrregularInterface>(op))
    return runIrregular(op, run);
  return llvm::createStringError("the evaluator does not know this op");
}

llvm::Expected<SharedTensors> kumiko::evaluateOp(Operation *op,
                                                 llvm::function_ref<const SharedTensor &(Value)> operandAt,
                                                 const GraphOptions &options) {
  return evaluateOp(op, OpRun{operandAt, options, 0});
}
