//===- Grouping.cpp - which ops share a kernel -----------------------------===//
#include "kumiko/Fuse/Grouping.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace kumiko;

static int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

/// Whether an injective `op` may follow `producer`'s kernel through operand number `operand`.
static Decision canFollow(const Group &group, Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  if (group.closed)
    return Decision::forbid("the producer's kernel ends in a pad");
  if (!value.hasOneUse())
    return Decision::forbid("the value has other readers");
  if (op->getNumResults() != 1)
    return Decision::forbid("the op has several results");
  ReadKind kind = readKindOf(op, operand);
  switch (group.kind) {
  case OpClass::Injective:
    if (elementsOf(value) != elementsOf(op->getResult(0)) && kind != ReadKind::Identity && kind != ReadKind::Shifted)
      return Decision::forbid("elements would be computed more than once");
    return Decision::allow();
  case OpClass::Contraction:
    if (kind == ReadKind::Other)
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
  if (consumer.kind == OpClass::Contraction && op == consumer.ops.front())
    return Decision::forbid("a contraction reads its operands many times");
  int64_t reads = classOf(op) == OpClass::Reduction ? pointsOf(op) : elementsOf(op->getResult(0));
  if (reads <= elementsOf(value))
    return Decision::allow();
  return Decision::forbid("elements would be computed more than once");
}

namespace {
class Grouping {
public:
  std::vector<std::unique_ptr<Group>> run(func::FuncOp function) {
    for (Operation &op : function.getBody().front())
      if (isa<nn::EquationInterface>(op))
        place(&op);
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
      llvm::append_range(group.ops, producer->ops);
      producer->ops.clear();
    }
  }

  void remark(Operation *op, Group *producer, const Decision &decision) {
    remark::missed(op->getLoc(), remark::RemarkOpts::name("NotFused").category("Fuse")) << decision.why();
  }

  std::vector<std::unique_ptr<Group>> groups;
  llvm::DenseMap<Operation *, Group *> home;
};
} // namespace

std::vector<std::unique_ptr<Group>> kumiko::groupOps(func::FuncOp function) { return Grouping().run(function); }
