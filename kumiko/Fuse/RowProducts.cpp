//===- RowProducts.cpp - products in front of rows and behind them ---------===//
#include "kumiko/Fuse/RowProducts.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Fuse/Cost.h"
#include "kumiko/Fuse/RowInputs.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;

namespace {
/// One sum of products of two tensors, with the loops that each walks along; dimensions of one element left out.
struct Product {
  Loops target, read[2];
  unsigned operand[2] = {0, 0};
  SmallVector<Extent, 6> extents;

  /// The factor that is walked along by `loop`, if one alone is.
  std::optional<unsigned> onlyFactorWith(unsigned loop) const {
    bool first = llvm::is_contained(read[0], loop), second = llvm::is_contained(read[1], loop);
    return first == second ? std::nullopt : std::optional<unsigned>(first ? 0 : 1);
  }

  SmallVector<Extent, 4> extentsAlong(ArrayRef<unsigned> loops) const {
    return llvm::map_to_vector<4>(loops, [&](unsigned loop) { return extents[loop]; });
  }
};
} // namespace

static std::optional<Product> productOf(Operation *op) {
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/true);
  if (!instance) {
    llvm::consumeError(instance.takeError());
    return std::nullopt;
  }
  if (instance->statements.size() != 1)
    return std::nullopt;
  const eq::Statement &statement = instance->statements.front();
  SmallVector<eq::Access, 4> accesses = eq::accessesOf(statement);
  bool plain = statement.combine == eq::Combine::Sum && statement.conditions.empty() && !statement.into &&
               !statement.continues && !statement.computedLeft && statement.targets.size() == 1 && accesses.size() == 2;
  if (!plain)
    return std::nullopt;
  Product product;
  for (const eq::Loop &loop : statement.loops)
    product.extents.push_back(loop.extent);
  SmallVector<std::optional<eq::AffineIndex>> target;
  for (const eq::Expr *index : statement.targets[0].indices)
    target.push_back(eq::affineIndex(*index, statement.loops.size()));
  const eq::Tensor &result = instance->tensors[statement.targets[0].tensor];
  std::optional<Loops> loops = loopsAlong(result, target);
  if (!loops || result.type.element != ElementType::F32)
    return std::nullopt;
  product.target = *loops;
  for (auto [number, access] : llvm::enumerate(accesses)) {
    const eq::Tensor &tensor = instance->tensors[access.tensor];
    loops = loopsAlong(tensor, access.indices);
    if (!loops || access.read->otherwise || tensor.role != eq::Tensor::Role::Operand ||
        tensor.type.element != ElementType::F32)
      return std::nullopt;
    product.read[number] = *loops;
    product.operand[number] = tensor.number;
  }
  return product;
}

/// Splits the target's loops but the last into those that `columns` walks along too, and the others behind them.
static bool splitRows(const Product &product, ArrayRef<unsigned> columns, size_t &batch) {
  auto outer = ArrayRef(product.target).drop_back();
  auto isBatch = [&](unsigned loop) { return llvm::is_contained(columns, loop); };
  batch = llvm::count_if(outer, isBatch);
  return llvm::all_of(outer.take_front(batch), isBatch);
}

/// Whether `op` makes the rows, each from one row of one factor and all of the other one; `batch` of the dimensions say
/// which.
static bool makesRows(const Product &product, const RowShape &rows, size_t &batch) {
  if (product.target.empty() || product.extentsAlong(product.target) != rows.extents)
    return false;
  std::optional<unsigned> columns = product.onlyFactorWith(product.target.back());
  auto isReduced = [&](unsigned loop) { return !llvm::is_contained(product.target, loop); };
  return columns && llvm::any_of(product.read[*columns], isReduced) &&
         splitRows(product, product.read[*columns], batch);
}

/// Whether `op` sums over the rows that it reads as factor number `weights`, with the same split.
static bool sumsRows(const Product &product, unsigned weights, const RowShape &rows, size_t wantedBatch) {
  ArrayRef<unsigned> row = product.read[weights];
  if (row.size() < 1 || product.target.size() != row.size() || product.extentsAlong(row) != rows.extents ||
      ArrayRef(product.target).drop_back() != row.drop_back() || llvm::is_contained(product.target, row.back()))
    return false;
  std::optional<unsigned> columns = product.onlyFactorWith(product.target.back());
  size_t batch = 0;
  return columns && *columns != weights && splitRows(product, product.read[*columns], batch) && batch == wantedBatch &&
         llvm::is_contained(product.read[*columns], row.back());
}

/// Whether all that `group` makes is read by itself and by `reader`, and nobody else.
static bool isReadBy(const Group &group, const Group &reader, const Homes &homes) {
  return llvm::all_of(group.ops, [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      const Group *home = homes.lookup(user);
      return home == &group || home == &reader;
    });
  });
}

static bool isNumber(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  return constant && cast<RankedTensorType>(constant.getType()).getNumElements() == 1;
}

/// Whether `op` moves elements, or scales or shifts them by a number: a product may do that as often as it reads them.
static bool isFree(Operation *op) {
  if (isa<nn::TransposeOp, nn::SliceOp, nn::ExpandOp>(op) || isUnitReshape(op))
    return true;
  return isa<nn::MulOp, nn::AddOp, nn::SubOp>(op) && (isNumber(op->getOperand(0)) || isNumber(op->getOperand(1)));
}

/// Whether what `group` does is free, and for `reader` alone, or for the view that it reads.
static bool isFreeFor(const Group &group, Operation *view, const Group &reader, const Homes &homes) {
  if (group.kind != OpClass::Injective || group.closed || !llvm::all_of(group.ops, isFree))
    return false;
  return llvm::all_of(group.ops, [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      const Group *home = homes.lookup(user);
      return view && user == view ? true : home && (home == &group || home == &reader);
    });
  });
}

/// Whether a view joins dimensions in front of the last two: which matrix it is, and nothing inside of one.
static bool joinsFront(nn::ReshapeOp view) {
  SmallVector<Extent, 4> from = nn::extentsOf(view.getX().getType()), to = nn::extentsOf(view.getType());
  return to.size() >= 2 && from.size() > to.size() && ArrayRef(from).take_back(2) == ArrayRef(to).take_back(2);
}

/// The view behind `value` where elements are repeated behind it, for `value`'s reader alone; otherwise a view costs
/// nothing where it is.
static nn::ReshapeOp viewOfRepeated(Value value, const Homes &homes) {
  auto view = value.getDefiningOp<nn::ReshapeOp>();
  if (!view || homes.lookup(view) || !view->hasOneUse() || !joinsFront(view))
    return nullptr;
  const Group *behind = homes.lookup(view.getX().getDefiningOp());
  return behind && llvm::any_of(behind->ops, llvm::IsaPred<nn::ExpandOp>) ? view : nullptr;
}

/// Adds what is free behind the operands of a product, step by step.
static void addMoves(Operation *product, const Homes &homes, RowProducts &found) {
  SmallVector<std::pair<Value, const Group *>> open;
  auto addReads = [&](Operation *op, const Group *reader) {
    for (Value operand : op->getOperands())
      open.push_back({operand, reader});
  };
  addReads(product, homes.lookup(product));
  while (!open.empty()) {
    auto [value, reader] = open.pop_back_val();
    nn::ReshapeOp view = viewOfRepeated(value, homes);
    Group *moves = view ? homes.lookup(view.getX().getDefiningOp()) : homes.lookup(value.getDefiningOp());
    if (!moves || moves == reader || llvm::is_contained(found.moves, moves) || !isFreeFor(*moves, view, *reader, homes))
      continue;
    if (view)
      found.views.push_back(view);
    found.moves.push_back(moves);
    for (Operation *op : moves->ops)
      addReads(op, moves);
  }
}

/// The product of a kernel that has one.
static Operation *productIn(const Group &group) {
  auto isProduct = [](Operation *op) { return shapeOf(op).kind == OpClass::Contraction; };
  return *llvm::find_if(group.ops, isProduct);
}

/// What of a product's kernel comes in front of the product.
static llvm::DenseSet<Operation *> opsInFront(Operation *product, const Group &group, const Homes &homes) {
  SmallVector<Operation *> open{product};
  llvm::DenseSet<Operation *> front;
  while (!open.empty())
    for (Value operand : open.pop_back_val()->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && homes.lookup(op) == &group && front.insert(op).second)
        open.push_back(op);
  return front;
}

/// What of a product's kernel is not made of the product: masks on their way to the rows, cheap and spread over these.
static llvm::DenseSet<Operation *> masksBehind(Operation *product, const Group &group,
                                               const llvm::DenseSet<Operation *> &front, const RowShape &rows) {
  llvm::DenseSet<Operation *> made{product}, masks;
  SmallVector<Operation *> order(group.ops);
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : order) {
    if (op == product || front.contains(op))
      continue;
    bool isMade =
        llvm::any_of(op->getOperands(), [&](Value operand) { return made.contains(operand.getDefiningOp()); });
    if (!isMade && shapeOf(op).kind == OpClass::Injective && canComputeInRows(op, rows))
      masks.insert(op);
    else
      made.insert(op);
  }
  return masks;
}

/// Weights are packed when compiling, for a product that streams them once; between rows they would be read again for
/// each block of rows, as they lie.
static Decision hasNoWeights(ArrayRef<Operation *> products) {
  for (Operation *product : products)
    if (llvm::any_of(product->getOperands(), [](Value factor) {
          Operation *op = factor.getDefiningOp();
          while (isa_and_nonnull<nn::TransposeOp, nn::SliceOp, nn::ReshapeOp>(op))
            op = op->getOperand(0).getDefiningOp();
          return isa_and_nonnull<nn::ConstantOp>(op);
        }))
      return Decision::forbid("a product with weights is better off on its own");
  return Decision::allow();
}

/// What a vector of f32 holds on most machines.
constexpr int64_t shortestRow = 8;

/// The template has the lanes inside of rows: shorter ones would leave most of them empty.
static Decision fillsVectors(const RowShape &rows) {
  const Extent &length = rows.extents.back();
  if (length.isStatic() && length.value() < shortestRow)
    return Decision::forbid("rows between the products are shorter than a vector");
  return Decision::allow();
}

std::optional<RowProducts> kumiko::productsAround(const Group &rows, const Homes &homes, const Target &target) {
  ArrayRef<bool> reduced = rows.rows->reduced;
  if (rows.closed || reduced.empty() || llvm::count(reduced, true) != 1 || !reduced.back())
    return std::nullopt;
  RowProducts found;
  for (Operation *op : rows.ops) {
    for (Value operand : op->getOperands())
      if (Group *producer = homes.lookup(operand.getDefiningOp());
          producer && producer != &rows && producer->kind == OpClass::Contraction && isReadBy(*producer, rows, homes))
        found.scores = producer;
    for (Operation *user : op->getUsers())
      if (Group *reader = homes.lookup(user);
          reader && reader != &rows && reader->kind == OpClass::Contraction && user == productIn(*reader))
        found.values = reader;
  }
  if (!found.scores || !found.values || found.scores == found.values || !isReadBy(rows, *found.values, homes))
    return std::nullopt;

  // The products themselves, and what follows the first one on its way to the rows.
  Operation *first = productIn(*found.scores), *last = productIn(*found.values);
  std::optional<Product> scores = productOf(first), values = productOf(last);
  size_t batch = 0;
  if (!scores || !values || found.scores->closed || !makesRows(*scores, *rows.rows, batch))
    return std::nullopt;
  llvm::DenseSet<Operation *> front = opsInFront(first, *found.scores, homes);
  llvm::DenseSet<Operation *> masks = masksBehind(first, *found.scores, front, *rows.rows);
  auto inside = [&](Value value) {
    const Group *home = homes.lookup(value.getDefiningOp());
    return (home == &rows || home == found.scores) && !masks.contains(value.getDefiningOp());
  };
  for (const Group *group : {static_cast<const Group *>(found.scores), &rows})
    for (Operation *op : group->ops)
      if (op != first && !front.contains(op) && !masks.contains(op) && !staysInRows(op, *rows.rows, inside))
        return std::nullopt;
  SmallVector<Value, 4> slots = nn::operandSlots(last);
  bool left = inside(slots[values->operand[0]]), right = inside(slots[values->operand[1]]);
  if (left == right || !sumsRows(*values, left ? 0 : 1, *rows.rows, batch))
    return std::nullopt;

  addMoves(first, homes, found);
  addMoves(last, homes, found);
  size_t ops = rows.ops.size() + found.scores->ops.size() + found.values->ops.size();
  for (Group *moves : found.moves)
    ops += moves->ops.size();
  found.decision = fillsVectors(*rows.rows);
  if (found.decision)
    found.decision = hasNoWeights({first, last});
  if (found.decision)
    found.decision = fitsKernel(ops);
  if (found.decision)
    found.decision = pays(target, [&](Merge &merge) {
      merge.startsLess(2 + static_cast<int64_t>(found.moves.size()));
      merge.saves(found.scores->last->getResult(0), 1, /*isAlone=*/true);
      merge.saves(slots[values->operand[left ? 0 : 1]], 1, /*isAlone=*/true);
    });
  return found;
}
