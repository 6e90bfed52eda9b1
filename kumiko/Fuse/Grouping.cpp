//===- Grouping.cpp - which ops share a kernel -----------------------------===//
#include "kumiko/Fuse/Grouping.h"
#include "kumiko/Fuse/Cost.h"
#include "kumiko/Fuse/RowInputs.h"
#include "kumiko/Fuse/RowProducts.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Shuffle.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace kumiko;

static eq::Extent elementsOf(Value value) { return product(nn::extentsOf(cast<RankedTensorType>(value.getType()))); }

/// Whether one op alone reads `value`. A result of the block is written whoever else reads it.
static bool hasOneReader(Value value) {
  auto isReader = [](Operation *user) { return !user->hasTrait<OpTrait::IsTerminator>(); };
  // Stops at the second one: a value may have thousands.
  return llvm::hasSingleElement(llvm::make_filter_range(value.getUsers(), isReader));
}

static bool byPlace(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

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

namespace {
class Grouping {
public:
  explicit Grouping(const Machine &machine) : machine(machine) {}

  std::vector<std::unique_ptr<Group>> run(Block &block) {
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

private:
  Group *groupOf(Value value) const { return homes.lookup(value.getDefiningOp()); }

  const OpShape &shape(Operation *op) {
    auto [found, isNew] = shapes.try_emplace(op);
    if (isNew)
      found->second = std::make_unique<OpShape>(shapeOf(op));
    return *found->second;
  }

  void place(Operation *op) {
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

  void add(Group &group, Operation *op) {
    homes[op] = &group;
    group.ops.push_back(op);
    group.first = !group.first || byPlace(op, group.first) ? op : group.first;
    group.last = !group.last || byPlace(group.last, op) ? op : group.last;
  }

  //===--- an op joins a producer -----------------------------------------------------------------===//

  /// Joins the heaviest producer that allows it; refusals are remarked.
  Group *follow(Operation *op) {
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

  /// The kernel of a producer that reduces over the same rows.
  Group *followRows(Operation *op, const RowShape &rows) {
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

  /// Whether an injective `op` may follow `group`, whose value it reads as operand number `operand`.
  Decision canFollow(const Group &group, Operation *op, unsigned operand) {
    Value value = op->getOperand(operand);
    ReadKind kind = shape(op).reads[operand];
    if (group.closed && !(group.takesBorder && kind == ReadKind::Shifted && value.hasOneUse()))
      return Decision::forbid("the producer's kernel ends in a pad or a concatenation");
    if (op->getNumResults() != 1)
      return Decision::forbid("the op has several results");
    if (group.rows)
      if (Decision inRows = canJoinRows(group, op); inRows || kind != ReadKind::Identity || !value.hasOneUse())
        return inRows;
    bool alone =
        kind == ReadKind::Identity && group.kind != OpClass::Reduction ? hasOneReader(value) : value.hasOneUse();
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

  /// Whether all that read `value`, what `group` makes of a product, read a part of it, and go on at the same place:
  /// the gates of a recurrent cell.
  bool readInParts(const Group &group, Value value) {
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

  /// Whether something is made of `value`: parts that are only put elsewhere are read where they lie.
  bool isComputedWith(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return isUnitReshape(user) ? isComputedWith(user->getResult(0)) : !shape(user).joinsBoxes;
    });
  }

  /// Whether the product of `group` has weights that can be packed by parts.
  bool hasConstantWeights(const Group &group) {
    return llvm::any_of(group.ops, [&](Operation *op) {
      return shape(op).kind == OpClass::Contraction &&
             llvm::any_of(op->getOperands(), [](Value operand) { return operand.getDefiningOp<nn::ConstantOp>(); });
    });
  }

  bool goesOnInPlace(OpOperand &use) {
    Operation *op = use.getOwner();
    return shape(op).kind == OpClass::Injective && op->getNumResults() == 1 &&
           shape(op).reads[use.getOperandNumber()] == ReadKind::Identity &&
           longExtentsOf(use.get()) == longExtentsOf(op->getResult(0));
  }

  /// Whether `op` reads a part of the product, or what was made of one where it stands; that others may read, too.
  Decision canFollowParts(const Group &group, Operation *op, unsigned operand) {
    Value value = op->getOperand(operand);
    bool first = !group.whole || value == group.whole;
    if (first ? !readsPart(op, operand, value) : !goesOnInPlace(op->getOpOperand(operand)))
      return Decision::forbid("a part of the product is not read where it is computed");
    return canHold(group, op);
  }

  /// Whether `op` works on the rows of `group`.
  Decision canJoinRows(const Group &group, Operation *op) {
    if (group.closed)
      return Decision::forbid("the producer's kernel ends in a pad or a concatenation");
    if (Decision decision = staysInRows(op, *group.rows, [&](Value each) { return groupOf(each) == &group; });
        !decision)
      return decision;
    return canHold(group, op);
  }

  /// A kernel with several results comes where its last op stood. A size that becomes known in between may be read from
  /// one of them, which no operand tells.
  Decision isKnownInTime(const Group &group, llvm::function_ref<bool(Operation *)> joins) const {
    if (lastSymbol && byPlace(group.first, lastSymbol) && leaks(group, joins))
      return Decision::forbid("a size becomes known between the two");
    return Decision::allow();
  }

  /// Whether `op`, which reads values of `group`, may join it as far as the other ops go, and pays.
  Decision canHold(const Group &group, Operation *op) {
    if (Decision decision = fitsKernel(group.ops.size() + 1); !decision)
      return decision;
    if (Decision decision = pays(machine, [&](Merge &merge) { tellJoin(group, op, merge); }); !decision)
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

  void tellJoin(const Group &group, Operation *op, Merge &merge) {
    eq::Extent points = elementsOf(op->getResult(0));
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
        merge.keepsRows(row, *group.rows, machine);
    if (group.rows && shape(op).kind == OpClass::Injective)
      merge.sharesRows(*group.rows, points, shape(op).work + 1);
    merge.walks(points, group.ops, op);
  }

  //===--- kernels of other operands join ---------------------------------------------------------===//

  void absorbParts(Operation *concatenation) {
    Group *group = homes.lookup(concatenation);
    group->closed = false;
    absorbProducers(group, concatenation);
    homes.lookup(concatenation)->closed = true;
  }

  /// A product that reads the elements of its operand one by one reads them through a shuffle of channels.
  void takeShuffle(Operation *op) {
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

  void absorbProducers(Group *group, Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Group *producer = groupOf(operand.get());
      if (!producer || producer == group)
        continue;
      // What must be written anyway, or would be computed again, is computed by whoever made its elements: x * f(x)
      // behind a product, for an average and for others, or for windows.
      auto isReader = [&](Operation *user) { return homes.lookup(user) == group; };
      if (producer->kind == OpClass::Injective &&
          ((group->rows && leaks(*producer, isReader)) || readsAgain(operand))) {
        followWhole(*producer);
        producer = groupOf(operand.get());
      }
      if (Decision decision = canPrecede(*producer, *group, operand); decision)
        group = merge(*group, *producer);
      else
        refuse(op, operand.get(), decision);
    }
  }

  /// All ops of `from` become ops of `to`; the larger list stays where it is.
  Group *merge(Group &to, Group &from) {
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

  /// Whether anything reads a value of `group` that is neither in it nor joins it.
  bool leaks(const Group &group, llvm::function_ref<bool(Operation *)> joins) const {
    return llvm::any_of(group.ops, [&](Operation *op) {
      return llvm::any_of(op->getUsers(),
                          [&](Operation *user) { return homes.lookup(user) != &group && !joins(user); });
    });
  }

  /// Whether the kernel `producer` may be computed on the way by `group`, one op of which reads it as `operand`.
  Decision canPrecede(const Group &producer, const Group &group, OpOperand &operand) {
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
    return pays(machine, [&](Merge &merge) { tellPrecede(producer, group, operand, merge); });
  }

  /// Whether `producer` and `group`, which reads it, can be one kernel, whatever they do.
  Decision canJoin(const Group &producer, const Group &group) {
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

  void tellPrecede(const Group &producer, const Group &group, OpOperand &operand, Merge &merge) {
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

  /// Whether whoever computed the operand on the way might compute elements more than once; contractions never do.
  bool readsAgain(OpOperand &operand) {
    Operation *op = operand.getOwner();
    return !shape(op).joinsBoxes && shape(op).kind != OpClass::Contraction &&
           !(elementsOf(operand.get()) - pointsOf(op)).knownNonNegative();
  }

  /// The points at which `op` reads its operands.
  eq::Extent pointsOf(Operation *op) {
    return shape(op).kind == OpClass::Reduction ? shape(op).points : elementsOf(op->getResult(0));
  }

  /// The same with one for a whole innermost loop.
  eq::Extent outerPointsOf(Operation *op) { return product(ArrayRef(longExtentsOf(op->getResult(0))).drop_back()); }

  /// Whether an elementwise op reads the operand at one place all along its innermost loop.
  bool isHoisted(OpOperand &operand) {
    SmallVector<eq::Extent, 4> from = nn::extentsOf(cast<RankedTensorType>(operand.get().getType())),
                               to = nn::extentsOf(cast<RankedTensorType>(operand.getOwner()->getResult(0).getType()));
    while (!to.empty() && to.back().is(1)) {
      to.pop_back();
      if (!from.empty())
        from.pop_back();
    }
    return shape(operand.getOwner()).kind == OpClass::Injective && !to.empty() && (from.empty() || from.back().is(1));
  }

  /// Whether an elementwise op reads all of the operand again and again, along dimensions of one element; windows read
  /// some elements again.
  bool isSpread(OpOperand &operand) {
    Operation *op = operand.getOwner();
    if (shape(op).kind != OpClass::Injective)
      return shape(op).kind == OpClass::Reduction;
    SmallVector<eq::Extent, 4> from = nn::extentsOf(cast<RankedTensorType>(operand.get().getType())),
                               to = nn::extentsOf(cast<RankedTensorType>(op->getResult(0).getType()));
    return from.size() <= to.size() && llvm::all_of(llvm::zip(llvm::reverse(from), llvm::reverse(to)), [](auto pair) {
             return std::get<0>(pair).is(1) || std::get<0>(pair) == std::get<1>(pair);
           });
  }

  /// Whether what others read of `producer` has the size of what is made of it: then it is written in the same loop.
  bool leaksOnly(const Group &producer, const Group &group, ArrayRef<eq::Extent> extents) const {
    return llvm::all_of(producer.ops, [&](Operation *op) {
      auto isInside = [&](Operation *user) {
        const Group *home = homes.lookup(user);
        return home == &producer || home == &group;
      };
      return llvm::all_of(op->getUsers(), isInside) ||
             (op->getNumResults() == 1 && ArrayRef(longExtentsOf(op->getResult(0))) == extents);
    });
  }

  /// Each reduction of `group` would ask for `producer` again: only what lies in the row at hand is still in the cache.
  Decision canPrecedeRows(const Group &producer, const Group &group, Operation *op) {
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

  //===--- whole kernels --------------------------------------------------------------------------===//

  /// Joins a whole elementwise kernel to the heaviest producer whose result it alone reads.
  void followWhole(Group &group) {
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

  /// The pad that `group` ends in: the only reader of what it is around.
  Operation *borderOf(const Group &group) {
    Operation *op = group.last;
    return shape(op).kind == OpClass::Injective && shape(op).reads[0] == ReadKind::Shifted &&
                   op->getOperand(0).hasOneUse() && groupOf(op->getOperand(0)) == &group
               ? op
               : nullptr;
  }

  /// Whether all of `consumer`, which reads `value` in several places, may follow the kernel that makes it: x * f(x).
  Decision canFollowWhole(const Group &producer, const Group &consumer, Value value) {
    if (producer.closed || producer.whole || producer.kind > OpClass::Contraction)
      return Decision::forbid("the producer stands alone");
    if (value.getDefiningOp() != producer.last)
      return Decision::forbid("the value is not the producer's last");
    if (llvm::any_of(value.getUsers(), [&](Operation *user) { return homes.lookup(user) != &consumer; }))
      return Decision::forbid("the value has other readers");
    eq::Extent elements = elementsOf(value);
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
    return pays(machine, [&](Merge &merge) {
      merge.saves(value, 1, /*isAlone=*/true);
      merge.walks(elements, producer.ops, consumer.ops);
    });
  }

  /// Joins the products in front of rows and behind them. What they read cannot come from what the last one makes, and
  /// nothing else leaves them.
  Group *takeProducts(Group &rows) {
    std::optional<RowProducts> around = productsAround(rows, homes, machine);
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

  /// Joins what `group`, with these rows, can as well compute where it reads it.
  void takeInputs(Group *group, const RowShape &rows) {
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

  Decision canTakeInputs(const Group &group, const Group &inputs, const RowShape &rows) {
    if (group.closed || leaks(inputs, [&](Operation *user) { return homes.lookup(user) == &group; }))
      return Decision::forbid("the value has other readers");
    if (Decision decision = canComputeInRows(inputs, rows); !decision)
      return decision;
    return canJoin(inputs, group);
  }

  /// A reshape behind which the kernel has nothing is a view of its result, which costs nothing.
  void leaveViewsOutside(Group &group) {
    SmallVector<Operation *> ops(group.ops);
    for (Operation *op : llvm::reverse(ops))
      if (isUnitReshape(op) &&
          llvm::none_of(op->getUsers(), [&](Operation *user) { return homes.lookup(user) == &group; })) {
        llvm::erase(group.ops, op);
        homes.erase(op);
      }
  }

  /// `op` did not join whoever made `value`, so far: they may still meet in a third kernel.
  void refuse(Operation *op, Value value, const Decision &decision) { refusals.push_back({op, value, decision}); }

  void remarkRefusals() const {
    for (const Refusal &refusal : refusals) {
      const Group *home = homes.lookup(refusal.op);
      if (!home || home != groupOf(refusal.value))
        remark::missed(refusal.op->getLoc(), remark::RemarkOpts::name("NotFused").category("Fuse"))
            << remark::reason("{0}", refusal.decision.why().str());
    }
  }

  const Machine &machine;

  struct Refusal {
    Operation *op;
    Value value;
    Decision decision;
  };
  std::vector<Refusal> refusals;

  std::vector<std::unique_ptr<Group>> groups;
  Homes homes;
  llvm::DenseMap<Operation *, std::unique_ptr<OpShape>> shapes;
  Operation *lastSymbol = nullptr;
  SmallVector<Operation *> concatenations;
};
} // namespace

std::vector<std::unique_ptr<Group>> kumiko::groupOps(Block &block, const Machine &machine) {
  return Grouping(machine).run(block);
}
