//===- GroupingRules.cpp - what may join what -------------------------------===//
#include "kumiko/Fuse/Grouper.h"
#include "kumiko/Nn/Shuffle.h"

using namespace mlir;
using namespace kumiko;

/// Whether one op alone reads `value`. A result of the block is written whoever else reads it.
static bool hasOneReader(Value value) {
  auto isReader = [](Operation *user) { return !user->hasTrait<OpTrait::IsTerminator>(); };
  // Stops at the second one: a value may have thousands.
  return llvm::hasSingleElement(llvm::make_filter_range(value.getUsers(), isReader));
}

/// So many parts share the registers.
constexpr int64_t mostParts = 4;

/// Whether `op` reads `value`, the result of a contraction, in one of some equal parts of each row, as the gates of a
/// recurrent cell do.
static bool readsPart(Operation *op, unsigned operand, Value value) {
  std::optional<int64_t> start = partStartOf(op, operand);
  auto whole = cast<RankedTensorType>(value.getType()), part = cast<RankedTensorType>(op->getResult(0).getType());
  if (!start || whole.getRank() == 0 || whole.getRank() != part.getRank())
    return false;
  int64_t length = whole.getShape().back(), size = part.getShape().back();
  return size > 0 && length > size && length % size == 0 && length / size <= mostParts && *start % size == 0 &&
         elementsOf(value) == elementsOf(op->getResult(0)) * (length / size);
}

Decision Grouper::canFollow(const Group &group, Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  ReadKind kind = shape(op).reads[operand];
  if (group.closed && !(group.takesBorder && kind == ReadKind::Shifted && value.hasOneUse()))
    return Decision::forbid("the producer's kernel ends in a pad or a concatenation");
  if (op->getNumResults() != 1)
    return Decision::forbid("the op has several results");
  if (group.rows)
    if (Decision inRows = canJoinRows(group, op); inRows || kind != ReadKind::Identity || !value.hasOneUse())
      return inRows;
  bool alone = kind == ReadKind::Identity && group.kind != OpClass::Reduction ? hasOneReader(value) : value.hasOneUse();
  switch (group.kind) {
  case OpClass::Injective:
    if (!alone) {
      // A value of the same size that others read too is written while the kernel goes on with it.
      if (kind != ReadKind::Identity || longExtentsOf(value) != longExtentsOf(op->getResult(0)))
        return Decision::forbid("the value has other readers");
    }
    break;
  case OpClass::Contraction:
    if (group.whole || readInParts(group, value)) {
      if (Decision decision = canFollowParts(group, op, operand); !decision)
        return decision;
      break;
    }
    if (!alone)
      return Decision::forbid("the value has other readers");
    if (kind >= ReadKind::Part)
      return Decision::forbid("the result is not read where it is computed");
    break;
  case OpClass::Reduction:
    if (!alone)
      return Decision::forbid("the value has other readers");
    // The border around windows is filled apart.
    if (kind != ReadKind::Identity && (group.rows || kind != ReadKind::Shifted))
      return Decision::forbid("the rows are not read where they are computed");
    break;
  default:
    return Decision::forbid("the producer stands alone");
  }
  return canHold(group, op);
}

bool Grouper::readInParts(const Group &group, Value value) {
  if (value.getDefiningOp() != group.last || hasOneReader(value) || !hasConstantWeights(group))
    return false;
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *part = use.getOwner();
    return shape(part).kind == OpClass::Injective && part->getNumResults() == 1 &&
           readsPart(part, use.getOperandNumber(), value) &&
           llvm::all_of(part->getResult(0).getUses(), [&](OpOperand &next) { return goesOnInPlace(next); }) &&
           isComputedWith(part->getResult(0));
  });
}

bool Grouper::isComputedWith(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isUnitReshape(user) ? isComputedWith(user->getResult(0)) : !shape(user).joinsBoxes;
  });
}

bool Grouper::hasConstantWeights(const Group &group) {
  return llvm::any_of(group.ops, [&](Operation *op) {
    return shape(op).kind == OpClass::Contraction &&
           llvm::any_of(op->getOperands(), [](Value operand) { return operand.getDefiningOp<nn::ConstantOp>(); });
  });
}

bool Grouper::goesOnInPlace(OpOperand &use) {
  Operation *op = use.getOwner();
  return shape(op).kind == OpClass::Injective && op->getNumResults() == 1 &&
         shape(op).reads[use.getOperandNumber()] == ReadKind::Identity &&
         longExtentsOf(use.get()) == longExtentsOf(op->getResult(0));
}

Decision Grouper::canFollowParts(const Group &group, Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  bool first = !group.whole || value == group.whole;
  if (first ? !readsPart(op, operand, value) : !goesOnInPlace(op->getOpOperand(operand)))
    return Decision::forbid("a part of the product is not read where it is computed");
  return canHold(group, op);
}

Decision Grouper::canJoinRows(const Group &group, Operation *op) {
  if (group.closed)
    return Decision::forbid("the producer's kernel ends in a pad or a concatenation");
  if (Decision decision = staysInRows(op, *group.rows, [&](Value each) { return groupOf(each) == &group; }); !decision)
    return decision;
  return canHold(group, op);
}

Decision Grouper::isKnownInTime(const Group &group, llvm::function_ref<bool(Operation *)> joins) const {
  if (lastSymbol && group.first->isBeforeInBlock(lastSymbol) && leaks(group, joins))
    return Decision::forbid("a size becomes known between the two");
  return Decision::allow();
}

Decision Grouper::canHold(const Group &group, Operation *op) {
  if (Decision decision = fitsKernel(group.ops.size() + 1); !decision)
    return decision;
  if (Decision decision = pays(target, [&](Merge &merge) { tellJoin(group, op, merge); }); !decision)
    return decision;
  if (Decision decision = isKnownInTime(group, [&](Operation *user) { return user == op; }); !decision)
    return decision;
  SmallVector<Value> others;
  for (Value operand : op->getOperands())
    if (groupOf(operand) != &group)
      others.push_back(operand);
  if (comeFrom(others, group, nullptr, homes))
    return Decision::forbid("another operand waits for the producer's kernel");
  return Decision::allow();
}

void Grouper::tellJoin(const Group &group, Operation *op, Merge &merge) {
  Extent points = elementsOf(op->getResult(0));
  auto isInside = [&](Operation *user) { return user == op || homes.lookup(user) == &group; };
  // A number per row is there when the reduction is done; a row beside it was there before.
  bool readsNumber = false;
  SmallVector<Value, 2> whole;
  for (Value operand : llvm::SmallSetVector<Value, 4>(op->operand_begin(), op->operand_end())) {
    if (groupOf(operand) != &group)
      continue;
    merge.saves(operand, 1, llvm::all_of(operand.getUsers(), isInside));
    if (group.rows && longExtentsOf(operand).size() == group.rows->extents.size())
      whole.push_back(operand);
    else
      readsNumber = true;
  }
  if (group.rows && readsNumber)
    for (Value row : whole)
      merge.keepsRows(row, *group.rows, target);
  if (group.rows && shape(op).kind == OpClass::Injective)
    merge.sharesRows(*group.rows, points, shape(op).work + 1);
  merge.walks(points, group.ops, op);
}

bool Grouper::leaks(const Group &group, llvm::function_ref<bool(Operation *)> joins) const {
  return llvm::any_of(group.ops, [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) { return homes.lookup(user) != &group && !joins(user); });
  });
}

Decision Grouper::canPrecede(const Group &producer, const Group &group, OpOperand &operand) {
  Operation *op = operand.getOwner();
  Value value = operand.get();
  if (producer.closed || group.closed)
    return Decision::forbid("the producer's kernel ends in a pad or a concatenation");
  bool sameRows = producer.rows && group.rows == producer.rows;
  if (producer.kind != OpClass::Injective && !sameRows)
    return Decision::forbid("the producer is not elementwise");
  bool isBox = llvm::all_of(producer.ops, [&](Operation *each) { return shape(each).isBox || isUnitReshape(each); });
  if (shape(op).kind == OpClass::Contraction && !isBox)
    return Decision::forbid("a contraction reads its operands many times");
  bool leaking = leaks(producer, [&](Operation *user) { return homes.lookup(user) == &group; });
  // Another value of it may be read by a product or a window, which would compute that again and again.
  // (By the readers' operands: a value may have thousands of users.)
  bool readOften = !isBox && llvm::any_of(group.ops, [&](Operation *user) {
    return user != op && shape(user).kind != OpClass::Injective &&
           llvm::any_of(user->getOperands(), [&](Value each) { return groupOf(each) == &producer; });
  });
  if (sameRows || (group.rows && (leaking || readOften || !value.hasOneUse()))) {
    if (Decision decision = canPrecedeRows(producer, group, op); !decision)
      return decision;
  } else {
    if (readOften)
      return Decision::forbid("a product or a window reads another value of the producer");
    bool sideBySide = group.kind == OpClass::Injective && hasOneReader(value);
    if (!value.hasOneUse() && !sideBySide)
      return Decision::forbid("the value has other readers");
    if (leaking && (!sideBySide || !leaksOnly(producer, group, longExtentsOf(op->getResult(0)))))
      return Decision::forbid("the producer has readers of other sizes");
    if (!isBox && readsAgain(operand) && (group.rows || !isSpread(operand)))
      return Decision::forbid("elements would be computed more than once");
  }
  if (Decision decision = canJoin(producer, group); !decision || isBox) // which costs nothing
    return decision;
  return pays(target, [&](Merge &merge) { tellPrecede(producer, group, operand, merge); });
}

Decision Grouper::canJoin(const Group &producer, const Group &group) {
  auto isReader = [&](Operation *user) { return homes.lookup(user) == &group; };
  auto isProducer = [&](Operation *user) { return homes.lookup(user) == &producer; };
  if (Decision decision = isKnownInTime(producer, isReader); !decision)
    return decision;
  if (Decision decision = isKnownInTime(group, isProducer); !decision)
    return decision;
  if (Decision decision = fitsKernel(group.ops.size() + producer.ops.size()); !decision)
    return decision;
  if (comesFrom(group, producer, homes) || comesFrom(producer, group, homes))
    return Decision::forbid("another operand waits for the producer's kernel");
  return Decision::allow();
}

void Grouper::tellPrecede(const Group &producer, const Group &group, OpOperand &operand, Merge &merge) {
  Operation *op = operand.getOwner();
  auto isInside = [&](Operation *user) { return llvm::is_contained({&group, &producer}, homes.lookup(user)); };
  Value value = operand.get();
  merge.saves(value, 1, llvm::all_of(value.getUsers(), isInside));
  int64_t work = workAt(producer.ops, [&](Operation *each) { return shape(each).work; });
  if (shape(op).joinsBoxes) // a loop for each part
    return;
  if (group.rows && !producer.rows)
    merge.sharesRows(*group.rows, elementsOf(value), work + 1);
  else if (!group.rows)
    merge.computesAgain(isHoisted(operand) ? outerPointsOf(op) : pointsOf(op), elementsOf(value), work,
                        isHoisted(operand));
  merge.walks(pointsOf(op), group.ops, producer.ops);
}

bool Grouper::readsAgain(OpOperand &operand) {
  Operation *op = operand.getOwner();
  return !shape(op).joinsBoxes && shape(op).kind != OpClass::Contraction &&
         !(elementsOf(operand.get()) - pointsOf(op)).knownNonNegative();
}

Extent Grouper::pointsOf(Operation *op) {
  return shape(op).kind == OpClass::Reduction ? shape(op).points : elementsOf(op->getResult(0));
}

bool Grouper::isHoisted(OpOperand &operand) {
  SmallVector<Extent, 4> from = nn::extentsOf(cast<RankedTensorType>(operand.get().getType())),
                         to = nn::extentsOf(cast<RankedTensorType>(operand.getOwner()->getResult(0).getType()));
  while (!to.empty() && to.back().is(1)) {
    to.pop_back();
    if (!from.empty())
      from.pop_back();
  }
  return shape(operand.getOwner()).kind == OpClass::Injective && !to.empty() && (from.empty() || from.back().is(1));
}

bool Grouper::isSpread(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (shape(op).kind != OpClass::Injective)
    return shape(op).kind == OpClass::Reduction;
  SmallVector<Extent, 4> from = nn::extentsOf(cast<RankedTensorType>(operand.get().getType())),
                         to = nn::extentsOf(cast<RankedTensorType>(op->getResult(0).getType()));
  return from.size() <= to.size() && llvm::all_of(llvm::zip(llvm::reverse(from), llvm::reverse(to)), [](auto pair) {
           return std::get<0>(pair).is(1) || std::get<0>(pair) == std::get<1>(pair);
         });
}

bool Grouper::leaksOnly(const Group &producer, const Group &group, ArrayRef<Extent> extents) const {
  return llvm::all_of(producer.ops, [&](Operation *op) {
    auto isInside = [&](Operation *user) {
      const Group *home = homes.lookup(user);
      return home == &producer || home == &group;
    };
    return llvm::all_of(op->getUsers(), isInside) ||
           (op->getNumResults() == 1 && ArrayRef(longExtentsOf(op->getResult(0))) == extents);
  });
}

Decision Grouper::canPrecedeRows(const Group &producer, const Group &group, Operation *op) {
  auto inside = [&](Value each) {
    const Group *home = groupOf(each);
    return home == &producer || home == &group;
  };
  if (Decision decision = staysInRows(op, *group.rows, inside); !decision)
    return decision;
  for (Operation *each : producer.ops)
    if (Decision decision = staysInRows(each, *group.rows, inside); !decision)
      return Decision::forbid("the value has other readers, and is not made row by row");
  return Decision::allow();
}

Operation *Grouper::borderOf(const Group &group) {
  Operation *op = group.last;
  return shape(op).kind == OpClass::Injective && shape(op).reads[0] == ReadKind::Shifted &&
                 op->getOperand(0).hasOneUse() && groupOf(op->getOperand(0)) == &group
             ? op
             : nullptr;
}

Decision Grouper::canFollowWhole(const Group &producer, const Group &consumer, Value value) {
  if (producer.closed || producer.whole || producer.kind > OpClass::Contraction)
    return Decision::forbid("the producer stands alone");
  if (value.getDefiningOp() != producer.last)
    return Decision::forbid("the value is not the producer's last");
  if (llvm::any_of(value.getUsers(), [&](Operation *user) { return homes.lookup(user) != &consumer; }))
    return Decision::forbid("the value has other readers");
  Extent elements = elementsOf(value);
  Operation *border = borderOf(consumer);
  for (Operation *op : consumer.ops) {
    if (op == border)
      continue;
    if (shape(op).kind != OpClass::Injective || op->getNumResults() != 1 || elementsOf(op->getResult(0)) != elements)
      return Decision::forbid("the kernels have different sizes");
    for (OpOperand &operand : op->getOpOperands()) {
      bool chained = operand.get() == value || groupOf(operand.get()) == &consumer;
      if (chained && shape(op).reads[operand.getOperandNumber()] != ReadKind::Identity)
        return Decision::forbid("the result is not read where it is computed");
    }
  }
  auto isConsumer = [&](Operation *user) { return homes.lookup(user) == &consumer; };
  if (Decision decision = isKnownInTime(producer, isConsumer); !decision)
    return decision;
  if (comesFrom(consumer, producer, homes))
    return Decision::forbid("another operand waits for the producer's kernel");
  if (Decision decision = fitsKernel(producer.ops.size() + consumer.ops.size()); !decision)
    return decision;
  return pays(target, [&](Merge &merge) {
    merge.saves(value, 1, /*isAlone=*/true);
    merge.walks(elements, producer.ops, consumer.ops);
  });
}

Decision Grouper::canTakeInputs(const Group &group, const Group &inputs, const RowShape &rows) {
  if (group.closed || leaks(inputs, [&](Operation *user) { return homes.lookup(user) == &group; }))
    return Decision::forbid("the value has other readers");
  if (Decision decision = canComputeInRows(inputs, rows); !decision)
    return decision;
  return canJoin(inputs, group);
}
