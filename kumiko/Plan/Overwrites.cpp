//===- Overwrites.cpp - results in the place of operands that end ----------===//
#include "kumiko/Plan/Overwrites.h"
#include "kumiko/Nn/Views.h"
#include "kumiko/Schedule/Schedule.h"

using namespace mlir;
using namespace kumiko;

LogicalResult Overwrites::take(nn::CallOp call, llvm::function_ref<Extent(Value)> bytesOf) {
  auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
  FailureOr<Schedule> schedule = Schedule::fromAttribute(kernel->getAttrOfType<DictionaryAttr>("schedule"));
  if (failed(schedule))
    return kernel.emitError("has no usable schedule");
  SmallVector<int64_t> &pairs = used[kernel];
  for (ArrayRef<int64_t> left = schedule->inPlace; left.size() >= 2; left = left.drop_front(2)) {
    if (left[0] >= call->getNumOperands() || left[1] >= call->getNumResults())
      return kernel.emitError("the schedule's in_place names an operand or a result that is not there");
    Value result = call->getResult(left[1]);
    if (places.contains(result) || !endsWith(call, left[0]))
      continue;
    Value old = nn::underViews(call->getOperand(left[0]));
    // The states of a loop have memory of another size.
    if (bytesOf(old) != bytesOf(result) || llvm::any_of(result.getUsers(), llvm::IsaPred<nn::ScanOp, nn::LoopOp>))
      continue;
    places[result] = places.lookup(old);
    llvm::append_range(pairs, left.take_front(2));
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

void Overwrites::narrowSchedules() {
  for (auto &[kernel, pairs] : used) {
    FailureOr<Schedule> schedule = Schedule::fromAttribute(kernel->getAttrOfType<DictionaryAttr>("schedule"));
    if (failed(schedule) || schedule->inPlace.empty())
      continue;
    SmallVector<int64_t> kept;
    for (ArrayRef<int64_t> allowed = schedule->inPlace; allowed.size() >= 2; allowed = allowed.drop_front(2))
      for (ArrayRef<int64_t> each = pairs; each.size() >= 2; each = each.drop_front(2))
        if (allowed.take_front(2) == each.take_front(2)) {
          llvm::append_range(kept, allowed.take_front(2));
          break;
        }
    schedule->inPlace = kept;
    kernel->setAttr("schedule", schedule->toAttribute(kernel->getContext()));
  }
}
