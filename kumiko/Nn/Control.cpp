//===- Control.cpp - choices and loops that data decide --------------------===//
#include "kumiko/Nn/Turns.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::nn;

static LogicalResult checkCondition(Operation *op, Value condition) {
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  if (type && type.hasStaticShape() && type.getNumElements() == 1)
    return success();
  return op->emitOpError() << "its condition is " << condition.getType() << ", expected one element";
}

/// The types on both sides; `what` says which they are.
static LogicalResult compareTypes(Operation *op, StringRef what, TypeRange found, TypeRange expected) {
  if (found.size() != expected.size())
    return op->emitOpError() << "number of " << what << "s: " << found.size() << " vs " << expected.size();
  for (auto [number, pair] : llvm::enumerate(llvm::zip(found, expected)))
    if (std::get<0>(pair) != std::get<1>(pair))
      return op->emitOpError() << what << " " << number << ": " << std::get<0>(pair) << " vs " << std::get<1>(pair);
  return success();
}

static FailureOr<YieldOp> yieldOf(Operation *op, Region &region) {
  if (auto yield = dyn_cast<YieldOp>(region.front().getTerminator()))
    return yield;
  return op->emitOpError() << "a body does not end in nn.yield";
}

LogicalResult IfOp::verify() { return checkCondition(*this, getCondition()); } // if_c1

LogicalResult IfOp::verifyRegions() {
  for (Region *region : {&getYes(), &getNo()}) {
    FailureOr<YieldOp> yield = yieldOf(*this, *region);
    if (failed(yield) ||
        failed(compareTypes(*this, "argument", region->getArgumentTypes(), getShared().getTypes())) || // if_c2
        failed(compareTypes(*this, "yielded value", yield->getValues().getTypes(), getResultTypes()))) // if_c3
      return failure();
  }
  return success();
}

LogicalResult LoopOp::verify() {
  if (auto most = dyn_cast<IntegerAttr>(getMostAttr()); most && most.getInt() < 0) // loop_c1
    return emitOpError() << "most is " << most.getInt();
  return checkCondition(*this, getCondition()); // loop_c1
}

/// The type of a state after some turns; where types have lost their extents, as it is.
static Type afterTurns(Type type, std::optional<StringRef> symbol, const kumiko::Extent &turns) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !symbol)
    return type;
  auto extents = extentsOf(tensor);
  if (llvm::any_of(extents, std::mem_fn(&kumiko::Extent::overflowed)))
    return type;
  for (kumiko::Extent &extent : extents)
    extent = withSymbol(extent, *symbol, turns);
  return tensorOf(extents, tensor.getElementType());
}

/// Whether a type has `?` that nothing explains, so that it cannot be compared.
static bool isOpen(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::any_of(extentsOf(tensor), std::mem_fn(&kumiko::Extent::overflowed));
}

LogicalResult LoopOp::verifyRegions() {
  std::optional<StringRef> symbol;
  if (StringAttr name = turnsOf(*this))
    symbol = name.getValue();
  auto after = [&](const kumiko::Extent &turns) {
    return llvm::map_to_vector(TypeRange(getResultTypes()).take_front(getStates().size()),
                               [&](Type type) { return afterTurns(type, symbol, turns); });
  };
  FailureOr<YieldOp> yield = yieldOf(*this, getBody());
  size_t states = getStates().size();
  if (failed(yield) || getNumResults() < states || yield->getNumOperands() < 1 + states)
    return failed(yield) ? failure() : emitOpError() << "has fewer results or yielded values than states";
  TypeRange results = getResultTypes(), yielded = yield->getValues().getTypes();
  SmallVector<Type> arguments{RankedTensorType::get({}, IntegerType::get(getContext(), 64))};
  llvm::append_range(arguments, results.take_front(states));
  llvm::append_range(arguments, getShared().getTypes());
  kumiko::Extent turns = symbol ? kumiko::Extent::symbol(*symbol) : kumiko::Extent(0);
  bool open = symbol && (llvm::any_of(results, isOpen) || llvm::any_of(yielded, isOpen));
  if (failed(compareTypes(*this, "argument", getBody().getArgumentTypes(), arguments)) || // loop_c2
      failed(compareTypes(*this, "yielded value", yielded.take_front(1), getCondition().getType())) ||
      (!open && failed(compareTypes(*this, "yielded value", yielded.slice(1, states), after(turns + 1)))) || // loop_c3
      (!open && failed(compareTypes(*this, "state", getStates().getTypes(), after(0)))))
    return failure();
  SmallVector<Type> stacks;
  for (Type slice : symbol ? yielded.drop_front(1 + states) : TypeRange())
    stacks.push_back(isa<RankedTensorType>(slice) ? Type(ScanOp::stackOf(turns, slice)) : slice);
  if (open)
    return success();
  if (!symbol && yielded.size() > 1 + states)
    return emitOpError() << "yields " << yielded.size() << " values, expected " << 1 + states;
  return compareTypes(*this, "stacked result", results.drop_front(states), stacks); // loop_c4
}
