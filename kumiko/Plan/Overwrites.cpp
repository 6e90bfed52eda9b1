//===- Overwrites.cpp - results in the place of operands that end ----------===//
#include "kumiko/Plan/Overwrites.h"
#include "kumiko/Nn/Views.h"

using namespace mlir;
using namespace kumiko;

/// Once, in the order of what may be: calls come in any.
static void addPair(Layouts &layouts, ArrayRef<int64_t> pair) {
  SmallVector<int64_t> kept;
  auto has = [](ArrayRef<int64_t> pairs, ArrayRef<int64_t> wanted) {
    for (; pairs.size() >= 2; pairs = pairs.drop_front(2))
      if (pairs.take_front(2) == wanted)
        return true;
    return false;
  };
  for (ArrayRef<int64_t> left = layouts.mayOverwrite; left.size() >= 2; left = left.drop_front(2))
    if (left.take_front(2) == pair || has(layouts.inPlace, left.take_front(2)))
      llvm::append_range(kept, left.take_front(2));
  layouts.inPlace = std::move(kept);
}

LogicalResult Overwrites::take(nn::CallOp call, llvm::function_ref<Extent(Value)> bytesOf) {
  auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
  auto [known, isNew] = used.try_emplace(kernel);
  Layouts &layouts = known->second;
  if (isNew) {
    FailureOr<Layouts> own = Layouts::of(kernel);
    if (failed(own))
      return failure();
    layouts = std::move(*own);
    layouts.inPlace.clear();
  }
  for (ArrayRef<int64_t> left = layouts.mayOverwrite; left.size() >= 2; left = left.drop_front(2)) {
    if (left[0] >= call->getNumOperands() || left[1] >= call->getNumResults())
      return kernel.emitError("its may_overwrite names an operand or a result that is not there");
    Value result = call->getResult(left[1]);
    if (places.contains(result) || !endsWith(call, left[0]))
      continue;
    Value old = nn::underViews(call->getOperand(left[0]));
    // The states of a loop have memory of another size.
    if (bytesOf(old) != bytesOf(result) || llvm::any_of(result.getUsers(), llvm::IsaPred<nn::ScanOp, nn::LoopOp>))
      continue;
    places[result] = places.lookup(old);
    addPair(layouts, left.take_front(2));
  }
  return success();
}

/// Whether the value, or a view of it, is read by something behind the call.
static bool isReadBehind(Value value, Operation *call) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    bool isView = isa<nn::ReshapeOp, nn::BitcastOp>(user);
    return user->getBlock() != call->getBlock() ||
           (isView ? isReadBehind(user->getResult(0), call) : call->isBeforeInBlock(user));
  });
}

/// Whether the operand has a slot of its own, and no other operand and nothing behind the call reads it.
bool Overwrites::endsWith(nn::CallOp call, unsigned number) const {
  Value value = nn::underViews(call->getOperand(number));
  if (!value.getDefiningOp<nn::CallOp>() || value.getParentBlock() != call->getBlock() || isTaken(value, call))
    return false;
  if (joins.partOf(value) || llvm::any_of(joins.partsOf(value), [&](Value part) { return isReadBehind(part, call); }))
    return false;
  ValuePlace place = places.lookup(value);
  return place.slot && place.buffer.offset.is(0) && place.buffer.steps.empty() &&
         llvm::none_of(llvm::enumerate(call->getOperands()),
                       [&](auto other) { return other.index() != number && nn::underViews(other.value()) == value; }) &&
         !isReadBehind(value, call);
}

/// Whether a result of the call lies there already.
bool Overwrites::isTaken(Value value, nn::CallOp call) const {
  return llvm::any_of(call->getResults(), [&](Value result) {
    auto found = places.find(result);
    return found != places.end() && found->second.slot && found->second.slot == places.lookup(value).slot;
  });
}

void Overwrites::writeLayouts() {
  for (auto &[kernel, layouts] : used)
    layouts.setOn(kernel);
}
