//===- Grouping.cpp - which ops share a kernel -----------------------------===//
#include "kumiko/Fuse/Grouper.h"
#include "kumiko/Nn/Shuffle.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace kumiko;

static bool byPlace(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

std::vector<std::unique_ptr<Group>> Grouper::run(Block &block) {
  for (Operation &op : block) {
    if (nn::findsSymbols(&op))
      lastSymbol = &op;
    if (isUnitReshape(&op))
      follow(&op);
    else if (isa<nn::EquationInterface, nn::IrregularInterface>(op))
      place(&op);
  }
  for (auto &group : groups)
    if (group->kind == OpClass::Injective && !group->ops.empty())
      followWhole(*group);
  for (auto &group : groups)
    if (group->rows && !group->ops.empty()) {
      RowShape rows = *group->rows;
      takeInputs(takeProducts(*group), rows);
    }
  // Last, because whatever can follow what it is made of is written there.
  for (Operation *op : concatenations)
    absorbParts(op);
  remarkRefusals();
  std::vector<std::unique_ptr<Group>> result;
  for (auto &group : groups)
    if (!group->ops.empty()) {
      llvm::sort(group->ops, byPlace);
      leaveViewsOutside(*group);
      result.push_back(std::move(group));
    }
  llvm::sort(result, [](const auto &a, const auto &b) { return byPlace(a->ops.back(), b->ops.back()); });
  return result;
}

const OpShape &Grouper::shape(Operation *op) {
  auto [found, isNew] = shapes.try_emplace(op);
  if (isNew)
    found->second = std::make_unique<OpShape>(shapeOf(op));
  return *found->second;
}

void Grouper::place(Operation *op) {
  OpClass kind = shape(op).joinsBoxes ? OpClass::Injective : shape(op).kind;
  std::optional<RowShape> rows = kind == OpClass::Reduction ? rowsOf(op) : std::nullopt;
  bool follows = kind == OpClass::Injective && !shape(op).joinsBoxes;
  Group *group = follows ? follow(op) : rows ? followRows(op, *rows) : nullptr;
  if (!group) {
    groups.push_back(std::make_unique<Group>());
    group = groups.back().get();
    group->kind = kind;
    group->rows = std::move(rows);
    add(*group, op);
  }
  // What a symbol is read from must be there before whatever is sized by it.
  group->closed |= llvm::any_of(op->getUsers(), llvm::IsaPred<nn::SymbolOp>);
  if (shape(op).joinsBoxes) {
    // Each part is a loop of its own; what follows would have to ask at every element which part it is in.
    group->closed = group->takesBorder = true;
    concatenations.push_back(op);
  } else if (kind <= OpClass::Contraction) {
    absorbProducers(group, op);
    takeShuffle(op);
  }
}

void Grouper::add(Group &group, Operation *op) {
  homes[op] = &group;
  group.ops.push_back(op);
  group.first = !group.first || byPlace(op, group.first) ? op : group.first;
  group.last = !group.last || byPlace(group.last, op) ? op : group.last;
}

Group *Grouper::follow(Operation *op) {
  Group *best = nullptr;
  ReadKind through = ReadKind::Other;
  Value from;
  for (OpOperand &operand : op->getOpOperands()) {
    Group *group = groupOf(operand.get());
    if (!group || (best && group->kind <= best->kind))
      continue;
    // What is read more often, or in part, is computed on the way or not at all: absorbProducers.
    ReadKind kind = shape(op).reads[operand.getOperandNumber()];
    if (group->kind == OpClass::Injective && kind != ReadKind::Identity && kind != ReadKind::Shifted &&
        elementsOf(operand.get()) != elementsOf(op->getResult(0)))
      continue;
    if (Decision decision = canFollow(*group, op, operand.getOperandNumber()); !decision) {
      refuse(op, operand.get(), decision);
      continue;
    }
    best = group;
    through = kind;
    from = operand.get();
  }
  if (!best)
    return nullptr;
  if (best->kind == OpClass::Contraction && !best->whole && readInParts(*best, from))
    best->whole = from;
  add(*best, op);
  best->closed |= best->kind != OpClass::Injective && through == ReadKind::Shifted;
  best->takesBorder = false;
  return best;
}

Group *Grouper::followRows(Operation *op, const RowShape &rows) {
  for (Value operand : op->getOperands()) {
    Group *group = groupOf(operand);
    if (!group || group->rows != rows)
      continue;
    Decision decision = canJoinRows(*group, op);
    if (decision) {
      add(*group, op);
      return group;
    }
    refuse(op, operand, decision);
  }
  return nullptr;
}

void Grouper::absorbParts(Operation *concatenation) {
  Group *group = homes.lookup(concatenation);
  group->closed = false;
  absorbProducers(group, concatenation);
  homes.lookup(concatenation)->closed = true;
}

void Grouper::takeShuffle(Operation *op) {
  auto product = dyn_cast<nn::ConvOp>(op);
  if (!product || !nn::readsNumbers(product) || !product.getX().hasOneUse())
    return;
  std::optional<nn::Shuffle> shuffle = nn::shuffleBehind(product.getX());
  Group *group = homes.lookup(op), *moves = shuffle ? groupOf(shuffle->transpose) : nullptr;
  if (!moves || moves->ops.size() != 1 || moves->closed)
    return;
  add(*merge(*group, *moves), shuffle->split);
  add(*homes.lookup(op), product.getX().getDefiningOp());
}

void Grouper::absorbProducers(Group *group, Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Group *producer = groupOf(operand.get());
    if (!producer || producer == group)
      continue;
    // What must be written anyway, or would be computed again, is computed by whoever made its elements: x * f(x)
    // behind a product, for an average and for others, or for windows.
    auto isReader = [&](Operation *user) { return homes.lookup(user) == group; };
    if (producer->kind == OpClass::Injective && ((group->rows && leaks(*producer, isReader)) || readsAgain(operand))) {
      followWhole(*producer);
      producer = groupOf(operand.get());
    }
    if (Decision decision = canPrecede(*producer, *group, operand); decision)
      group = merge(*group, *producer);
    else
      refuse(op, operand.get(), decision);
  }
}

Group *Grouper::merge(Group &to, Group &from) {
  Group &small = to.ops.size() < from.ops.size() ? to : from, &large = &small == &to ? from : to;
  large.kind = to.kind;
  large.closed |= small.closed;
  if (to.rows)
    large.rows = to.rows;
  if (to.whole)
    large.whole = to.whole;
  for (Operation *op : small.ops)
    add(large, op);
  small.ops.clear();
  return &large;
}

void Grouper::followWhole(Group &group) {
  Group *best = nullptr;
  for (Operation *op : group.ops)
    for (Value operand : op->getOperands()) {
      Group *producer = groupOf(operand);
      if (!producer || producer == &group || (best && producer->kind <= best->kind))
        continue;
      if (canFollowWhole(*producer, group, operand))
        best = producer;
    }
  if (!best)
    return;
  bool ends = borderOf(group) != nullptr;
  merge(*best, group)->closed |= ends;
}

Group *Grouper::takeProducts(Group &rows) {
  std::optional<RowProducts> around = productsAround(rows, homes, target);
  if (!around)
    return &rows;
  if (!around->decision) {
    refuse(rows.first, around->scores->last->getResult(0), around->decision);
    return &rows;
  }
  Group *whole = merge(*around->values, *merge(rows, *around->scores));
  for (Group *moves : around->moves)
    whole = merge(*whole, *moves);
  for (Operation *view : around->views)
    add(*whole, view);
  whole->rows.reset(); // it has more than rows now
  return whole;
}

void Grouper::takeInputs(Group *group, const RowShape &rows) {
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t n = 0; n < group->ops.size() && !grows; ++n)
      for (Value operand : group->ops[n]->getOperands())
        if (Group *inputs = groupOf(operand); inputs && inputs != group && canTakeInputs(*group, *inputs, rows)) {
          group = merge(*group, *inputs);
          grows = true;
          break;
        }
  }
}

void Grouper::leaveViewsOutside(Group &group) {
  SmallVector<Operation *> ops(group.ops);
  for (Operation *op : llvm::reverse(ops))
    if (isUnitReshape(op) &&
        llvm::none_of(op->getUsers(), [&](Operation *user) { return homes.lookup(user) == &group; })) {
      llvm::erase(group.ops, op);
      homes.erase(op);
    }
}

void Grouper::remarkRefusals() const {
  for (const Refusal &refusal : refusals) {
    const Group *home = homes.lookup(refusal.op);
    if (!home || home != groupOf(refusal.value))
      remark::missed(refusal.op->getLoc(), remark::RemarkOpts::name("NotFused").category("Fuse"))
          << remark::reason("{0}", refusal.decision.why().str());
  }
}

std::vector<std::unique_ptr<Group>> kumiko::groupOps(Block &block, const Target &target) {
  return Grouper(target).run(block);
}
