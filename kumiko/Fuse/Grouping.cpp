//===- Grouping.cpp - which ops share a kernel -----------------------------===//
#include "kumiko/Fuse/Grouping.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace kumiko;

static eq::Extent elementsOf(Value value) { return product(nn::extentsOf(cast<RankedTensorType>(value.getType()))); }

/// Whether `op`, should it share a kernel with `producer`, may have to wait for a kernel that waits for theirs: one
/// that reads a side result of the producer and makes another operand of `op`.
static bool mayWaitForItself(const Group &producer, Operation *op, unsigned operand) {
  return producer.sideResults && llvm::any_of(op->getOpOperands(), [&](OpOperand &other) {
           Operation *maker = other.get().getDefiningOp();
           return other.getOperandNumber() != operand && maker && !isa<nn::ConstantOp>(maker);
         });
}

/// Whether one op alone reads `value`. A result of the block is written whoever else reads it.
static bool hasOneReader(Value value) {
  auto isReader = [](Operation *user) { return !user->hasTrait<OpTrait::IsTerminator>(); };
  // Stops at the second one: a value may have thousands.
  return llvm::hasSingleElement(llvm::make_filter_range(value.getUsers(), isReader));
}

/// Whether an injective `op` may follow `producer`'s kernel through operand number `operand`.
static Decision canFollow(const Group &group, Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  if (group.closed)
    return Decision::forbid("the producer's kernel ends in a pad");
  ReadKind kind = readKindOf(op, operand);
  bool alone = kind == ReadKind::Identity && group.kind != OpClass::Reduction ? hasOneReader(value) : value.hasOneUse();
  if (!alone)
    return Decision::forbid("the value has other readers");
  if (op->getNumResults() != 1)
    return Decision::forbid("the op has several results");
  if (mayWaitForItself(group, op, operand))
    return Decision::forbid("another operand may need the producer's other result");
  switch (group.kind) {
  case OpClass::Injective:
    if (elementsOf(value) != elementsOf(op->getResult(0)) && kind != ReadKind::Identity && kind != ReadKind::Shifted)
      return Decision::forbid("elements would be computed more than once");
    return Decision::allow();
  case OpClass::Contraction:
    if (kind >= ReadKind::Part)
      return Decision::forbid("the result is not read where it is computed");
    return Decision::allow();
  case OpClass::Reduction:
    if (kind != ReadKind::Identity)
      return Decision::forbid("the rows are not read where they are computed");
    return Decision::allow();
  default:
    return Decision::forbid("the producer stands alone");
  }
}

/// Whether the injective kernel `producer` may be computed on the way by `op`, which reads its result as `operand`.
static Decision canPrecede(const Group &producer, const Group &consumer, Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  if (producer.kind != OpClass::Injective || producer.closed)
    return Decision::forbid("the producer is not elementwise");
  if (!value.hasOneUse())
    return Decision::forbid("the value has other readers");
  if (mayWaitForItself(producer, op, operand))
    return Decision::forbid("another operand may need the producer's other result");
  if (consumer.kind == OpClass::Contraction && op == consumer.ops.front())
    return Decision::forbid("a contraction reads its operands many times");
  eq::Extent reads = classOf(op) == OpClass::Reduction ? pointsOf(op) : elementsOf(op->getResult(0));
  if ((elementsOf(value) - reads).knownNonNegative())
    return Decision::allow();
  return Decision::forbid("elements would be computed more than once");
}

/// A part of a row is a whole number of vectors, and few parts share the registers. Products with fewer weights are
/// summed in f64 instead of in a register tile.
constexpr int64_t partMultiple = 16, mostParts = 4, fewWeights = 1 << 13;

/// Whether `op` reads `value`, the result of a contraction, in one of some equal parts of each row, as the gates of a
/// recurrent cell do.
static bool readsPart(Operation *op, unsigned operand, Value value) {
  std::optional<int64_t> start = partStartOf(op, operand);
  auto whole = cast<RankedTensorType>(value.getType()), part = cast<RankedTensorType>(op->getResult(0).getType());
  if (!start || whole.getRank() == 0 || whole.getRank() != part.getRank())
    return false;
  int64_t length = whole.getShape().back(), size = part.getShape().back();
  return size > 0 && size % partMultiple == 0 && length > size && length % size == 0 && length / size <= mostParts &&
         *start % size == 0 && elementsOf(value) == elementsOf(op->getResult(0)) * (length / size);
}

/// Whether the product that `group` begins with has weights worth a register tile.
static bool hasManyWeights(const Group &group) {
  Operation *first = *llvm::min_element(group.ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return group.kind == OpClass::Contraction && llvm::any_of(first->getOperands(), [](Value operand) {
           auto constant = operand.getDefiningOp<nn::ConstantOp>();
           return constant && cast<RankedTensorType>(constant.getType()).getNumElements() > fewWeights;
         });
}

/// Whether all of `consumer`, which reads `value` in several places, may follow the kernel that makes it: x * f(x), or
/// the gates of a recurrent cell, each of which is a part of the product's columns.
static Decision canFollowWhole(const Group &producer, const Group &consumer, Value value) {
  DenseSet<Operation *> inside(consumer.ops.begin(), consumer.ops.end());
  if (producer.closed || producer.sideResults || producer.kind > OpClass::Contraction)
    return Decision::forbid("the producer stands alone");
  Operation *maker = value.getDefiningOp();
  if (llvm::any_of(producer.ops, [&](Operation *op) { return maker->isBeforeInBlock(op); }))
    return Decision::forbid("the value is not the producer's last");
  if (llvm::any_of(value.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
    return Decision::forbid("the value has other readers");
  auto reader =
      llvm::find_if(consumer.ops, [&](Operation *op) { return llvm::is_contained(op->getOperands(), value); });
  eq::Extent elements = elementsOf((*reader)->getResult(0));
  bool inParts = elements != elementsOf(value);
  if (inParts && !hasManyWeights(producer))
    return Decision::forbid("the kernels have different sizes");
  for (Operation *op : consumer.ops) {
    if (op->getNumResults() != 1 || elementsOf(op->getResult(0)) != elements)
      return Decision::forbid("the kernels have different sizes");
    for (OpOperand &operand : op->getOpOperands()) {
      bool first = operand.get() == value, chained = inside.contains(operand.get().getDefiningOp());
      if (first && inParts && !readsPart(op, operand.getOperandNumber(), value))
        return Decision::forbid("the result is not read in parts of its rows");
      if ((chained || (first && !inParts)) && readKindOf(op, operand.getOperandNumber()) != ReadKind::Identity)
        return Decision::forbid("the result is not read where it is computed");
    }
  }
  return Decision::allow();
}

namespace {
class Grouping {
public:
  std::vector<std::unique_ptr<Group>> run(Block &block) {
    for (Operation &op : block)
      if (isa<nn::EquationInterface, nn::IrregularInterface>(op))
        place(&op);
    for (auto &group : groups)
      if (group->kind == OpClass::Injective && !group->ops.empty())
        followWhole(*group);
    std::vector<std::unique_ptr<Group>> result;
    for (auto &group : groups)
      if (!group->ops.empty()) {
        llvm::sort(group->ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
        result.push_back(std::move(group));
      }
    llvm::sort(result, [](const auto &a, const auto &b) { return a->ops.back()->isBeforeInBlock(b->ops.back()); });
    return result;
  }

private:
  Group *groupOf(Value value) {
    Operation *op = value.getDefiningOp();
    return op ? home.lookup(op) : nullptr;
  }

  void place(Operation *op) {
    OpClass kind = classOf(op);
    Group *group = kind == OpClass::Injective ? follow(op) : nullptr;
    if (!group) {
      groups.push_back(std::make_unique<Group>());
      group = groups.back().get();
      group->kind = kind;
      group->ops.push_back(op);
    }
    home[op] = group;
    group->sideResults |= op->getNumResults() > 1;
    // What a symbol is read from must be there before whatever is sized by it.
    group->closed |= llvm::any_of(op->getUsers(), llvm::IsaPred<nn::SymbolOp>);
    if (kind == OpClass::Injective || kind == OpClass::Reduction)
      absorbProducers(*group, op);
  }

  /// Joins the heaviest producer that allows it; refusals are remarked.
  Group *follow(Operation *op) {
    Group *best = nullptr;
    unsigned through = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      Group *group = groupOf(operand.get());
      if (!group)
        continue;
      Decision decision = canFollow(*group, op, operand.getOperandNumber());
      if (!decision) {
        remark(op, group, decision);
        continue;
      }
      if (!best || group->kind > best->kind) {
        best = group;
        through = operand.getOperandNumber();
      }
    }
    if (!best)
      return nullptr;
    best->ops.push_back(op);
    if (best->kind != OpClass::Injective && readKindOf(op, through) == ReadKind::Shifted)
      best->closed = true;
    return best;
  }

  void absorbProducers(Group &group, Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Group *producer = groupOf(operand.get());
      if (!producer || producer == &group)
        continue;
      Decision decision = canPrecede(*producer, group, op, operand.getOperandNumber());
      if (!decision) {
        remark(op, producer, decision);
        continue;
      }
      for (Operation *inner : producer->ops)
        home[inner] = &group;
      group.sideResults |= producer->sideResults;
      llvm::append_range(group.ops, producer->ops);
      producer->ops.clear();
    }
  }

  /// Joins a whole elementwise kernel to the heaviest producer whose result it alone reads.
  void followWhole(Group &group) {
    llvm::sort(group.ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
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
    for (Operation *op : group.ops)
      home[op] = best;
    llvm::append_range(best->ops, group.ops);
    group.ops.clear();
  }

  void remark(Operation *op, Group *producer, const Decision &decision) {
    remark::missed(op->getLoc(), remark::RemarkOpts::name("NotFused").category("Fuse"))
        << remark::reason("{0}", decision.why().str());
  }

  std::vector<std::unique_ptr<Group>> groups;
  llvm::DenseMap<Operation *, Group *> home;
};
} // namespace

std::vector<std::unique_ptr<Group>> kumiko::groupOps(Block &block) { return Grouping().run(block); }
