//===- RowShape.cpp - which rows an op reduces over ------------------------===//
#include "kumiko/Fuse/RowShape.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Fuse/OpShape.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;

Extent RowShape::count() const {
  Extent rows = 1;
  for (auto [extent, isReduced] : llvm::zip_equal(extents, reduced))
    if (!isReduced)
      rows *= extent;
  return rows;
}

std::optional<Loops> kumiko::loopsAlong(const eq::Tensor &tensor, ArrayRef<std::optional<eq::AffineIndex>> indices) {
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

namespace {
/// One statement of an op on rows.
class RowStatement {
public:
  RowStatement(const eq::Instance &instance, const eq::Statement &statement)
      : instance(instance), statement(statement), accesses(eq::accessesOf(statement)) {}

  bool reduces() const { return statement.kept < statement.loops.size(); }

  /// Plain: no condition, nothing to start from, one target that is written along its loops.
  bool isPlain() {
    if (!statement.conditions.empty() || statement.into || statement.continues || statement.computedLeft ||
        statement.targets.size() != 1)
      return false;
    SmallVector<std::optional<eq::AffineIndex>> indices;
    for (const eq::Expr *index : statement.targets[0].indices)
      indices.push_back(eq::affineIndex(*index, statement.loops.size()));
    std::optional<Loops> loops = loopsAlong(instance.tensors[statement.targets[0].tensor], indices);
    if (loops)
      target = *loops;
    return loops.has_value();
  }

  /// The rows of a reduction: the shape of a tensor that all its loops walk along.
  std::optional<RowShape> rows() const {
    std::optional<Loops> order = orderOfAll();
    if (!order)
      return std::nullopt;
    RowShape shape;
    for (unsigned loop : *order) {
      shape.extents.push_back(statement.loops[loop].extent);
      shape.reduced.push_back(loop >= statement.kept);
    }
    return shape;
  }

  /// Whether the loops are those of `rows`, each in its place.
  bool fits(const RowShape &rows) {
    Loops order;
    if (reduces()) {
      if (this->rows() != rows)
        return false;
      order = *orderOfAll();
    } else {
      order = target;
    }
    // Along whole rows, or along what says which row it is.
    bool whole = reduces() || order.size() == rows.extents.size();
    place.assign(statement.loops.size(), -1);
    size_t next = 0;
    for (auto [number, extent] : llvm::enumerate(rows.extents)) {
      if (!whole && rows.reduced[number])
        continue;
      if (next == order.size() || statement.loops[order[next]].extent != extent)
        return false;
      place[order[next++]] = number;
    }
    return next == order.size();
  }

  /// Whether the tensors for which `inside` holds are read at the row at hand, whole or one number of it.
  bool readsInRow(const RowShape &rows, llvm::function_ref<bool(const eq::Tensor &)> inside) const {
    return llvm::all_of(accesses, [&](const eq::Access &access) {
      const eq::Tensor &tensor = instance.tensors[access.tensor];
      if (!inside(tensor))
        return true;
      std::optional<Loops> loops = loopsAlong(tensor, access.indices);
      if (!loops || access.inIndex || access.dataDependent || access.read->otherwise)
        return false;
      bool whole = loops->size() == rows.extents.size();
      size_t next = 0;
      for (size_t number = 0; number < rows.extents.size(); ++number)
        if ((whole || !rows.reduced[number]) && (next == loops->size() || place[(*loops)[next++]] != int(number)))
          return false;
      return next == loops->size();
    });
  }

private:
  /// The long loops in the order of a tensor that all of them walk along.
  std::optional<Loops> orderOfAll() const {
    size_t longLoops = llvm::count_if(statement.loops, [](const eq::Loop &loop) { return !loop.extent.is(1); });
    for (const eq::Access &access : accesses) {
      std::optional<Loops> loops = loopsAlong(instance.tensors[access.tensor], access.indices);
      if (loops && loops->size() == longLoops &&
          llvm::DenseSet<unsigned>(loops->begin(), loops->end()).size() == longLoops)
        return loops;
    }
    return std::nullopt;
  }

  const eq::Instance &instance;
  const eq::Statement &statement;
  SmallVector<eq::Access, 4> accesses;
  Loops target;
  /// Per loop, which dimension of the rows it is; -1 for loops of one point.
  SmallVector<int, 6> place;
};

bool stayInRows(const eq::Instance &instance, const RowShape &rows,
                llvm::function_ref<bool(const eq::Tensor &)> inside) {
  return llvm::all_of(instance.statements, [&](const eq::Statement &each) {
    RowStatement statement(instance, each);
    return statement.isPlain() && statement.fits(rows) && statement.readsInRow(rows, inside);
  });
}
} // namespace

static std::optional<eq::Instance> instanceOf(Operation *op) {
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/true);
  if (instance)
    return std::move(*instance);
  llvm::consumeError(instance.takeError());
  return std::nullopt;
}

std::optional<RowShape> kumiko::rowsOf(Operation *op) {
  std::optional<eq::Instance> instance = instanceOf(op);
  if (!instance)
    return std::nullopt;
  auto isReduction = [](const eq::Statement &each) { return each.kept < each.loops.size(); };
  auto first = llvm::find_if(instance->statements, isReduction);
  if (first == instance->statements.end())
    return std::nullopt;
  std::optional<RowShape> rows = RowStatement(*instance, *first).rows();
  auto isMade = [](const eq::Tensor &tensor) { return tensor.role != eq::Tensor::Role::Operand; };
  if (!rows || llvm::is_contained(rows->extents, Extent::overflow()) || !stayInRows(*instance, *rows, isMade))
    return std::nullopt;
  return rows;
}

Decision kumiko::staysInRows(Operation *op, const RowShape &rows, llvm::function_ref<bool(Value)> inside) {
  if (isUnitReshape(op)) {
    SmallVector<Extent, 4> kept, extents = longExtentsOf(op->getResult(0));
    for (auto [extent, isReduced] : llvm::zip_equal(rows.extents, rows.reduced))
      if (!isReduced)
        kept.push_back(extent);
    return extents == rows.extents || extents == kept ? Decision::allow()
                                                      : Decision::forbid("a reshape leaves the reductions' rows");
  }
  std::optional<eq::Instance> instance = instanceOf(op);
  if (!instance)
    return Decision::forbid("the op has no equation");
  SmallVector<Value, 4> slots = nn::operandSlots(op);
  auto isInside = [&](const eq::Tensor &tensor) {
    return tensor.role != eq::Tensor::Role::Operand || inside(slots[tensor.number]);
  };
  if (!stayInRows(*instance, rows, isInside))
    return Decision::forbid("the op does not work on the reductions' rows");
  return Decision::allow();
}
