//===- Graph.cpp - the ops of a function in order -------------------------------------===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace mlir;
using namespace kumiko;

namespace {

/// A tensor and what keeps its bytes alive: several values may look at the same memory. Without an owner the memory is
/// the caller's or an attribute's.
struct Held {
  std::shared_ptr<const Tensor> owner;
  Tensor tensor;

  static Held own(Tensor tensor) {
    auto owner = std::make_shared<const Tensor>(std::move(tensor));
    return {owner, owner->alias()};
  }
  Held share() const { return {owner, tensor.alias()}; }
};

class GraphRun {
public:
  explicit GraphRun(const GraphOptions &options) : options(options) {}

  /// The operands of the block's terminator.
  llvm::Expected<std::vector<Held>> runBlock(Block &block, std::vector<Held> arguments);

private:
  using Values = llvm::DenseMap<Value, Held>;

  llvm::Expected<std::vector<Held>> runOp(Operation *op, Values &values);
  llvm::Expected<std::vector<Held>> runEquation(Operation *op, llvm::ArrayRef<const Tensor *> operands);
  llvm::Expected<std::vector<Held>> runCall(nn::CallOp call, Values &values);
  llvm::Expected<std::vector<Held>> runBitcast(nn::BitcastOp op, const Held &source);
  llvm::Error tell(Operation *op, Values &values, llvm::ArrayRef<Held> results);

  const GraphOptions &options;
  unsigned depth = 0;
};

} // namespace

static llvm::Error failAt(Operation *op, const llvm::Twine &what) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << op->getName();
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    out << " '" << name.getName().getValue() << "'";
  out << ": " << what;
  return llvm::createStringError(text);
}

static llvm::Expected<std::vector<Held>> only(Held held) {
  std::vector<Held> list;
  list.push_back(std::move(held));
  return list;
}

static llvm::SmallVector<const Tensor *, 4> tensorsOf(llvm::ArrayRef<Value> slots,
                                                      const llvm::DenseMap<Value, Held> &values) {
  llvm::SmallVector<const Tensor *, 4> tensors;
  for (Value slot : slots)
    tensors.push_back(slot ? &values.find(slot)->second.tensor : nullptr);
  return tensors;
}

llvm::Expected<std::vector<Held>> GraphRun::runEquation(Operation *op, llvm::ArrayRef<const Tensor *> operands) {
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/!options.afterOp);
  if (!instance)
    return instance.takeError();
  auto tensors = evaluate(*instance, operands, options.precision, options.limits);
  if (!tensors)
    return tensors.takeError();
  std::vector<Held> results;
  for (Tensor &tensor : *tensors)
    results.push_back(Held::own(std::move(tensor)));
  return results;
}

llvm::Expected<std::vector<Held>> GraphRun::runCall(nn::CallOp call, Values &values) {
  // Verified IR has no recursion between kernels; this is for IR that nobody verified.
  constexpr unsigned deepest = 64;
  auto kernel = SymbolTable::lookupNearestSymbolFrom<nn::KernelOp>(call, call.getCalleeAttr());
  if (!kernel || depth >= deepest)
    return llvm::createStringError("the kernel is missing or calls itself");
  std::vector<Held> arguments;
  for (Value operand : call.getArgs())
    arguments.push_back(values.find(operand)->second.share());
  ++depth;
  auto results = runBlock(kernel.getBody().front(), std::move(arguments));
  --depth;
  return results;
}

/// Bits are those of the declared type, also where the value is held as f64.
llvm::Expected<std::vector<Held>> GraphRun::runBitcast(nn::BitcastOp op, const Held &source) {
  ElementType declared = nn::toEquation(getElementTypeOrSelf(op.getX().getType()));
  Held held = source.share();
  if (held.tensor.element() != declared) {
    llvm::Expected<Tensor> rounded = convert(held.tensor, declared, {}, options.limits.bytes);
    if (!rounded)
      return rounded.takeError();
    held = Held::own(std::move(*rounded));
  }
  llvm::SmallVector<int64_t, 6> shape(held.tensor.shape());
  auto cast = Tensor::reinterpret(std::move(held.tensor), nn::toEquation(getElementTypeOrSelf(op.getType())), shape);
  if (!cast)
    return cast.takeError();
  return only({held.owner, std::move(*cast)});
}

llvm::Expected<std::vector<Held>> GraphRun::runOp(Operation *op, Values &values) {
  if (auto constant = dyn_cast<nn::ConstantOp>(op)) {
    llvm::Expected<Tensor> tensor = constantTensor(constant.getValue(), options.limits.bytes);
    if (!tensor)
      return tensor.takeError();
    return only(tensor->owns() ? Held::own(std::move(*tensor)) : Held{nullptr, std::move(*tensor)});
  }
  if (auto reshape = dyn_cast<nn::ReshapeOp>(op)) {
    Held held = values.find(reshape.getX())->second.share();
    ElementType element = held.tensor.element();
    auto shape = cast<RankedTensorType>(reshape.getType()).getShape();
    auto tensor = Tensor::reinterpret(std::move(held.tensor), element, shape);
    if (!tensor)
      return tensor.takeError();
    return only({held.owner, std::move(*tensor)});
  }
  if (auto bitcast = dyn_cast<nn::BitcastOp>(op))
    return runBitcast(bitcast, values.find(bitcast.getX())->second);
  if (auto call = dyn_cast<nn::CallOp>(op))
    return runCall(call, values);
  return runEquation(op, tensorsOf(nn::operandSlots(op), values));
}

llvm::Error GraphRun::tell(Operation *op, Values &values, llvm::ArrayRef<Held> results) {
  if (!options.afterOp)
    return llvm::Error::success();
  bool hasSlots = isa<nn::EquationInterface>(op);
  llvm::SmallVector<Value, 4> slots = hasSlots ? nn::operandSlots(op) : llvm::SmallVector<Value, 4>(op->getOperands());
  llvm::SmallVector<const Tensor *, 4> tensors;
  for (const Held &result : results)
    tensors.push_back(&result.tensor);
  return options.afterOp(op, tensorsOf(slots, values), tensors);
}

llvm::Expected<std::vector<Held>> GraphRun::runBlock(Block &block, std::vector<Held> arguments) {
  if (block.getNumArguments() != arguments.size())
    return llvm::createStringError("%zu arguments are given, %u expected", arguments.size(), block.getNumArguments());
  Values values;
  llvm::DenseMap<Value, unsigned> remaining;
  auto define = [&](Value value, Held held) {
    unsigned uses = std::distance(value.use_begin(), value.use_end());
    if (!uses)
      return;
    remaining[value] = uses;
    values[value] = std::move(held);
  };
  for (auto [value, held] : llvm::zip(block.getArguments(), arguments))
    define(value, std::move(held));
  for (Operation &op : block) {
    std::vector<Held> ends;
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      for (Value operand : op.getOperands())
        ends.push_back(values.find(operand)->second.share());
      return ends;
    }
    llvm::Expected<std::vector<Held>> results = runOp(&op, values);
    if (!results)
      return failAt(&op, llvm::toString(results.takeError()));
    if (llvm::Error error = tell(&op, values, *results))
      return std::move(error);
    for (Value operand : op.getOperands())
      if (--remaining[operand] == 0)
        values.erase(operand);
    for (auto [value, held] : llvm::zip(op.getResults(), *results))
      define(value, std::move(held));
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
  std::vector<Held> held;
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    Type type = function.getArgument(number).getType();
    if (llvm::Error error = checkArgument(number, type, argument, options.precision))
      return std::move(error);
    held.push_back({nullptr, argument->alias()});
  }
  llvm::Expected<std::vector<Held>> ends = GraphRun(options).runBlock(function.getBody().front(), std::move(held));
  if (!ends)
    return ends.takeError();
  llvm::SmallVector<Tensor, 2> results;
  for (Held &end : *ends) {
    // The result is the caller's own, whoever computed it and whatever it looks at.
    llvm::Expected<Tensor> result =
        convert(end.tensor, storedAs(end.tensor.element(), options.precision), {}, options.limits.bytes);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  return results;
}
