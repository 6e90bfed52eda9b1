//===- Graph.cpp - the ops of a function in order -------------------------------------===//
#include "kumiko/Evaluate/OpRun.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/StepAction.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace mlir;
using namespace kumiko;

static llvm::Error failAt(Operation *op, const llvm::Twine &what) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << op->getName();
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    out << " '" << name.getName().getValue() << "'";
  out << ": " << what;
  return llvm::createStringError(text);
}

/// Values by name of the block that is being computed, each as long as somebody still needs it.
using Values = llvm::DenseMap<Value, SharedTensor>;

static llvm::Error tell(Operation *op, const Values &values, llvm::ArrayRef<SharedTensor> results,
                        const GraphOptions &options) {
  if (!options.afterOp)
    return llvm::Error::success();
  bool hasSlots = isa<nn::EquationInterface>(op);
  llvm::SmallVector<Value, 4> slots = hasSlots ? nn::operandSlots(op) : llvm::SmallVector<Value, 4>(op->getOperands());
  llvm::SmallVector<const Tensor *, 4> operands, tensors;
  for (Value slot : slots)
    operands.push_back(slot ? &values.find(slot)->second.tensor : nullptr);
  for (const SharedTensor &result : results)
    tensors.push_back(&result.tensor);
  return options.afterOp(op, operands, tensors);
}

llvm::Expected<SharedTensors> kumiko::evaluateBlock(Block &block, SharedTensors arguments, const GraphOptions &options,
                                                    unsigned depth) {
  // Verified IR has no recursion between kernels; this is for IR that nobody verified.
  constexpr unsigned deepest = 64;
  if (depth > deepest)
    return llvm::createStringError("kernels call each other more than %u deep", deepest);
  if (block.getNumArguments() != arguments.size())
    return llvm::createStringError("%zu arguments are given, %u expected", arguments.size(), block.getNumArguments());
  Values values;
  llvm::DenseMap<Value, unsigned> remaining;
  auto define = [&](Value value, SharedTensor tensor) {
    unsigned uses = std::distance(value.use_begin(), value.use_end());
    if (!uses)
      return;
    remaining[value] = uses;
    values[value] = std::move(tensor);
  };
  auto operandAt = [&](Value value) -> const SharedTensor & { return values.find(value)->second; };
  for (auto [value, tensor] : llvm::zip(block.getArguments(), arguments))
    define(value, std::move(tensor));
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      SharedTensors ends;
      for (Value operand : op.getOperands())
        ends.push_back(operandAt(operand).share());
      return ends;
    }
    if (!nn::mayGoOn(*op.getContext()))
      return llvm::createStringError("stopped, as the caller asked for");
    llvm::Expected<SharedTensors> results = evaluateOp(&op, OpRun{operandAt, options, depth});
    if (!results)
      return failAt(&op, llvm::toString(results.takeError()));
    if (llvm::Error error = tell(&op, values, *results, options))
      return std::move(error);
    for (Value operand : op.getOperands())
      if (--remaining[operand] == 0)
        values.erase(operand);
    for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
      define(value, std::move(tensor));
  }
  return llvm::createStringError("the block has no terminator");
}

/// An argument must be what the function declares, or f64 where all floats are.
static llvm::Error checkArgument(unsigned number, Type declared, const Tensor *given, Precision precision) {
  auto type = dyn_cast<RankedTensorType>(declared);
  if (!type || !type.hasStaticShape())
    return llvm::createStringError("argument %u has no static shape", number);
  if (!given)
    return llvm::createStringError("argument %u is not given", number);
  ElementType element = nn::toEquation(type.getElementType());
  bool typeFits = given->element() == element || given->element() == storedAs(element, precision);
  if (typeFits && given->shape() == type.getShape())
    return llvm::Error::success();
  return llvm::createStringError("argument " + llvm::Twine(number) + " is " +
                                 describe(given->element(), given->shape()) + ", expected " +
                                 describe(element, type.getShape()));
}

llvm::Expected<llvm::SmallVector<Tensor, 2>>
kumiko::evaluateGraph(func::FuncOp function, llvm::ArrayRef<const Tensor *> arguments, const GraphOptions &options) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return llvm::createStringError("the function has no body of one block");
  if (arguments.size() != function.getNumArguments())
    return llvm::createStringError("%zu arguments are given, %u expected", arguments.size(),
                                   function.getNumArguments());
  SharedTensors given;
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    Type type = function.getArgument(number).getType();
    if (llvm::Error error = checkArgument(number, type, argument, options.precision))
      return std::move(error);
    given.push_back(SharedTensor::borrow(*argument));
  }
  llvm::Expected<SharedTensors> ends = evaluateBlock(function.getBody().front(), std::move(given), options);
  if (!ends)
    return ends.takeError();
  llvm::SmallVector<Tensor, 2> results;
  for (SharedTensor &end : *ends) {
    // The result is the caller's own, whoever computed it and whatever it looks at.
    llvm::Expected<Tensor> result =
        convert(end.tensor, storedAs(end.tensor.element(), options.precision), {}, options.limits.bytes);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  return results;
}
