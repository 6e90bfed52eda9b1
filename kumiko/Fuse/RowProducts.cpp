//===- RowProducts.cpp - products in front of rows and behind them ---------===//
#include "kumiko/Fuse/RowProducts.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Fuse/Cost.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;

namespace {
using Loops = SmallVector<unsigned, 4>;

/// One sum of products of two tensors, with the loops that each walks along; dimensions of one element left out.
struct Product {
  Loops target, read[2];
  unsigned operand[2] = {0, 0};
  SmallVector<eq::Extent, 6> extents;

  /// The factor that is walked along by `loop`, if one alone is.
  std::optional<unsigned> onlyFactorWith(unsigned loop) const {
    bool first = llvm::is_contained(read[0], loop), second = llvm::is_contained(read[1], loop);
    return first == second ? std::nullopt : std::optional<unsigned>(first ? 0 : 1);
  }

  SmallVector<eq::Extent, 4> extentsAlong(ArrayRef<unsigned> loops) const {
    return llvm::map_to_vector<4>(loops, [&](unsigned loop) { return extents[loop]; });
  }
};
} // namespace

static std::optional<Loops> longLoops(const eq::Tensor &tensor, ArrayRef<std::optional<eq::AffineIndex>> indices) {
  Loops loops;
  for (const auto &[extent, index] : llvm::zip_equal(tensor.type.shape, indices)) {
    if (extent.is(1))
      continue;
    std::optional<unsigned> loop = index ? index->bareLoop() : std::nullopt;
    if (!loop)
      return std::nullopt;
    loops.push_back(*loop);
  }
  return loops;
}

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
  std::optional<Loops> loops = longLoops(result, target);
  if (!loops || result.type.element != ElementType::F32)
    return std::nullopt;
  product.target = *loops;
  for (auto [number, access] : llvm::enumerate(accesses)) {
    const eq::Tensor &tensor = instance->tensors[access.tensor];
    loops = longLoops(tensor, access.indices);
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
  return columns && splitRows(product, product.read[*columns], batch);
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

/// The kernel behind `value` if it moves elements and does nothing else, for `reader` alone.
static Group *movesBehind(Value value, const Group &reader, const Homes &homes) {
  Group *group = homes.lookup(value.getDefiningOp());
  if (!group || group->kind != OpClass::Injective || group->closed || !isReadBy(*group, reader, homes))
    return nullptr;
  bool moves =
      llvm::all_of(group->ops, [](Operation *op) { return isa<nn::TransposeOp>(op) || isUnitReshape(op); });
  return moves ? group : nullptr;
}

std::optional<RowProducts> kumiko::productsAround(const Group &rows, const Homes &homes) {
  ArrayRef<bool> reduced = rows.rows->reduced;
  if (rows.closed || reduced.empty() || llvm::count(reduced, true) != 1 || !reduced.back())
    return std::nullopt;
  RowProducts found;
  for (Operation *op : rows.ops) {
    for (Value operand : op->getOperands())
      if (Group *producer = homes.lookup(operand.getDefiningOp());
          producer && producer != &rows && producer->kind == OpClass::Contraction &&
          isReadBy(*producer, rows, homes))
        found.scores = producer;
    for (Operation *user : op->getUsers())
      if (Group *reader = homes.lookup(user);
          reader && reader != &rows && reader->kind == OpClass::Contraction && user == reader->first)
        found.values = reader;
  }
  if (!found.scores || !found.values || found.scores == found.values || !isReadBy(rows, *found.values, homes))
    return std::nullopt;

  // The products themselves, and what follows the first one on its way to the rows.
  std::optional<Product> scores = productOf(found.scores->first), values = productOf(found.values->first);
  size_t batch = 0;
  if (!scores || !values || found.scores->closed || !makesRows(*scores, *rows.rows, batch))
    return std::nullopt;
  auto inside = [&](Value value) {
    const Group *home = homes.lookup(value.getDefiningOp());
    return home == &rows || home == found.scores;
  };
  for (const Group *group : {static_cast<const Group *>(found.scores), &rows})
    for (Operation *op : group->ops)
      if (op != found.scores->first && !staysInRows(op, *rows.rows, inside))
        return std::nullopt;
  SmallVector<Value, 4> slots = nn::operandSlots(found.values->first);
  bool first = inside(slots[values->operand[0]]), second = inside(slots[values->operand[1]]);
  if (first == second || !sumsRows(*values, first ? 0 : 1, *rows.rows, batch))
    return std::nullopt;

  for (Group *product : {found.scores, found.values})
    for (Value operand : product->first->getOperands())
      if (Group *moves = movesBehind(operand, *product, homes); moves && !llvm::is_contained(found.moves, moves))
        found.moves.push_back(moves);
  SmallVector<Operation *> more(found.scores->ops);
  llvm::append_range(more, found.values->ops);
  for (Group *moves : found.moves)
    llvm::append_range(more, moves->ops);
  found.decision = fitsKernel(rows.ops, more);
  return found;
}
