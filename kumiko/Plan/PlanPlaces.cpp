//===- PlanPlaces.cpp - places and lifetimes of values ----------------------===//
#include "kumiko/Plan/Planner.h"

using namespace mlir;
using namespace kumiko;

constexpr uint64_t arenaAlignment = 64;

ValuePlace Planner::newSlot(Extent bytes, Block &block) {
  lifetimes.push_back({bytes.isStatic() ? uint64_t(bytes.value()) : 0, step, step});
  sizes.push_back(std::move(bytes));
  slotScopes.push_back(scopeOf(block));
  return {{Space::Arena, 0, 0}, lifetimes.size() - 1};
}

void Planner::define(Value result) {
  if (!places.contains(result) && !definePart(result))
    places[result] = newSlot(bytesOf(result), *result.getDefiningOp()->getBlock());
}

bool Planner::definePart(Value result) {
  const JoinedPart *part = joins.partOf(result);
  if (!part)
    return false;
  define(part->whole);
  places[result] = places.lookup(part->whole).moved(part->offset * elementBytesOf(result));
  use(result, step);
  return true;
}

int64_t Planner::elementBytesOf(Value value) {
  return kumiko::bytesOf(nn::toEquation(getElementTypeOrSelf(value.getType())));
}

void Planner::use(Value value, uint64_t until) {
  if (auto found = places.find(nn::underViews(value)); found != places.end() && found->second.slot) {
    uint64_t &last = lifetimes[*found->second.slot].last;
    last = std::max(last, until);
  }
}

LogicalResult Planner::collect(Block &block, uint32_t loops) {
  for (Operation &op : block) {
    if (auto call = dyn_cast<nn::CallOp>(op)) {
      for (Value operand : call->getOperands())
        use(operand, step);
      // Parts have their places, whatever ends with the call.
      llvm::for_each(call->getResults(), [&](Value result) { definePart(result); });
      if (!isRun(call))
        continue;
      if (failed(overwrites.take(call, [&](Value value) { return bytesOf(value); })))
        return failure();
      llvm::for_each(call->getResults(), [&](Value result) { define(result); });
      ++step;
    } else if (op.getNumRegions() != 0) {
      if (failed(collectNest(&op, loops)))
        return failure();
    }
  }
  return success();
}

LogicalResult Planner::collectNest(Operation *op, uint32_t loops) {
  for (Value operand : op->getOperands())
    use(operand, step);
  LogicalResult known = success();
  if (auto scan = dyn_cast<nn::ScanOp>(op))
    known = enter(scan, loops);
  else if (auto loop = dyn_cast<nn::LoopOp>(op))
    known = enter(loop, loops);
  else
    known = enter(cast<nn::IfOp>(op));
  ++step;
  bool repeats = !isa<nn::IfOp>(op);
  for (Region &region : op->getRegions())
    if (failed(known) || failed(collect(region.front(), loops + repeats)))
      return failure();
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      use(value, step);
  if (isa<nn::LoopOp>(op))
    use(op->getRegion(0).getArgument(0), step);
  ++step;
  return success();
}

Extent Planner::strideOf(const Extent &bytes) {
  return ceilDiv(bytes, int64_t(arenaAlignment)) * int64_t(arenaAlignment);
}

Extent Planner::mostBytesOf(nn::LoopOp loop, Value result) {
  Extent bytes = bytesOf(result);
  StringAttr turns = nn::turnsOf(loop);
  if (!turns || bytes.overflowed())
    return bytes;
  Extent most = *nn::extentOf(loop.getMostAttr());
  return max(nn::withSymbol(bytes, turns, 0), nn::withSymbol(bytes, turns, most));
}

LogicalResult Planner::alternate(Operation *op, Value first, const Extent &stride, Value argument, Value yielded,
                                 uint32_t loops) {
  ValuePlace place = places.lookup(first);
  if (!place.slot || !first.hasOneUse() || !first.getDefiningOp<nn::CallOp>())
    return op->emitError("the first value of a state has no memory of its own");
  sizes[*place.slot] = 2 * stride;
  lifetimes[*place.slot].bytes = sizes[*place.slot].isStatic() ? sizes[*place.slot].value() : 0;
  if (argument)
    places[argument] = place.stepping({loops, LoopStep::Kind::Odd, stride});
  places[nn::underViews(yielded)] = place.stepping({loops, LoopStep::Kind::Even, stride});
  return success();
}

LogicalResult Planner::enter(nn::ScanOp scan, uint32_t loops) {
  Block &body = scan.getBody().front();
  Operation *yield = body.getTerminator();
  Extent steps = stepsOf(scan);
  bool backwards = scan.getReverse();
  size_t states = scan.getStates().size();
  auto sliceOf = [&](const ValuePlace &whole, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    Extent bytes = product(ArrayRef(extentsOf(value)).drop_front()) *
                   int64_t(kumiko::bytesOf(nn::toEquation(type.getElementType())));
    return whole.moved(backwards ? max(0, steps - 1) * bytes : 0)
        .stepping({loops, backwards ? LoopStep::Kind::Backward : LoopStep::Kind::Forward, bytes});
  };
  for (auto [number, first] : llvm::enumerate(scan.getStates())) {
    if (failed(alternate(scan, first, strideOf(first), body.getArgument(number), yield->getOperand(number), loops)))
      return failure();
    places[scan.getResult(number)] = places.lookup(first).moved(mod(steps, 2) * strideOf(first));
  }
  for (auto [number, sequence] : llvm::enumerate(scan.getSequences())) {
    FailureOr<ValuePlace> whole = placeOf(sequence, nullptr);
    if (failed(whole))
      return failure();
    places[body.getArgument(states + number)] = sliceOf(*whole, sequence);
  }
  for (auto [number, result] : llvm::enumerate(scan.getValues().drop_front(states))) {
    define(result);
    places[nn::underViews(yield->getOperand(states + number))] = sliceOf(places.lookup(result), result);
  }
  return share(scan.getShared(), body.getArguments().take_back(scan.getShared().size()));
}

LogicalResult Planner::enter(nn::LoopOp loop, uint32_t loops) {
  Block &body = loop.getBody().front();
  Operation *yield = body.getTerminator();
  if (failed(alternate(loop, loop.getCondition(), strideOf(loop.getCondition()), Value(), yield->getOperand(0), loops)))
    return failure();
  places[body.getArgument(0)] = newSlot(int64_t(sizeof(int64_t)), *loop->getBlock());
  for (auto [number, first] : llvm::enumerate(loop.getStates())) {
    Extent stride = strideOf(mostBytesOf(loop, loop.getResult(number)));
    if (failed(alternate(loop, first, stride, body.getArgument(1 + number), yield->getOperand(1 + number), loops)))
      return failure();
    // Read where the last turn has left it.
    places[loop.getResult(number)] = places.lookup(first).stepping({loops, LoopStep::Kind::Odd, stride});
  }
  size_t states = loop.getStates().size();
  for (auto [number, result] : llvm::enumerate(loop.getValues().drop_front(states))) {
    ValuePlace whole = places[result] = newSlot(mostBytesOf(loop, result), *loop->getBlock());
    Value slice = yield->getOperand(1 + states + number);
    places[nn::underViews(slice)] = whole.stepping({loops, LoopStep::Kind::Forward, bytesOf(slice)});
  }
  return share(loop.getShared(), body.getArguments().take_back(loop.getShared().size()));
}

LogicalResult Planner::enter(nn::IfOp choice) {
  llvm::for_each(choice.getValues(), [&](Value result) { define(result); });
  for (Region *region : {&choice.getYes(), &choice.getNo()}) {
    for (auto [result, yielded] : llvm::zip_equal(choice.getValues(), region->front().getTerminator()->getOperands()))
      places[nn::underViews(yielded)] = places.lookup(result);
    if (failed(share(choice.getShared(), region->getArguments())))
      return failure();
  }
  return success();
}

LogicalResult Planner::share(ValueRange outside, ValueRange inside) {
  for (auto [value, argument] : llvm::zip_equal(outside, inside)) {
    FailureOr<ValuePlace> place = placeOf(value, nullptr);
    if (failed(place))
      return failure();
    places[argument] = *place;
  }
  return success();
}

LogicalResult Planner::assignArena(func::FuncOp main) {
  std::vector<uint64_t> workspace(kumiko_plan_workspace_bytes(lifetimes.size()) / sizeof(uint64_t) + 1);
  uint64_t workspaceBytes = workspace.size() * sizeof(uint64_t);
  offsets.resize(lifetimes.size());
  if (kumiko_plan_assign(lifetimes.data(), lifetimes.size(), arenaAlignment, offsets.data(), &program.arenaBytes,
                         workspace.data(), workspaceBytes) != 0 ||
      kumiko_plan_lower_bound(lifetimes.data(), lifetimes.size(), arenaAlignment, &program.arenaLowerBound,
                              workspace.data(), workspaceBytes) != 0)
    return main.emitError("the network's intermediate results do not fit one address space");
  return success();
}

LogicalResult Planner::planLater(func::FuncOp main) {
  numbers.resize(sizes.size());
  for (uint32_t level = 0; level <= program.levels.size(); ++level)
    for (auto [slot, bytes] : llvm::enumerate(sizes)) {
      if (bytes.overflowed())
        return main.emitError("the size of an intermediate result is not known");
      if (program.levelOf(bytes, slotScopes[slot]) != level)
        continue;
      numbers[slot] = program.planned.size();
      program.planned.push_back({bytes, lifetimes[slot].first, lifetimes[slot].last, level});
    }
  return success();
}

FailureOr<ValuePlace> Planner::placeOf(Value value, const Packing *packing) {
  value = nn::underViews(value);
  if (auto constant = value.getDefiningOp<nn::ConstantOp>()) {
    FailureOr<uint64_t> offset = weights.place(constant, packing);
    if (failed(offset))
      return failure();
    return ValuePlace{{Space::Weights, 0, int64_t(*offset)}};
  }
  return places.lookup(value);
}

BufferRef Planner::resolved(const ValuePlace &place) const {
  if (!place.slot)
    return place.buffer;
  if (program.isStatic())
    return place.moved(int64_t(offsets[*place.slot])).buffer;
  BufferRef buffer = place.buffer;
  buffer.space = Space::Planned;
  buffer.number = numbers[*place.slot];
  return buffer;
}
