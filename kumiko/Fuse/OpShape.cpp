//===- OpShape.cpp - what fusion asks about an op --------------------------===//
#include "kumiko/Fuse/OpShape.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Equation/Class.h"
#include "kumiko/Fuse/Cost.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;

static OpClass classOf(eq::StatementClass kind) {
  switch (kind) {
  case eq::StatementClass::Injective:
  case eq::StatementClass::Gather:
    return OpClass::Injective;
  case eq::StatementClass::Reduction:
  case eq::StatementClass::Scan:
    return OpClass::Reduction;
  case eq::StatementClass::Contraction:
    return OpClass::Contraction;
  case eq::StatementClass::Scatter:
    return OpClass::Scatter;
  }
  llvm_unreachable("all classes are listed");
}

namespace {
/// Loops, in order, that the dimensions of an access or target are; nothing where one is not a bare loop.
std::optional<SmallVector<unsigned>> bareLoops(ArrayRef<std::optional<eq::AffineIndex>> indices) {
  SmallVector<unsigned> loops;
  for (const auto &index : indices) {
    std::optional<unsigned> loop = index ? index->bareLoop() : std::nullopt;
    if (!loop)
      return std::nullopt;
    loops.push_back(*loop);
  }
  return loops;
}

/// i + constant of the loop in the same place.
bool isShifted(ArrayRef<std::optional<eq::AffineIndex>> indices, ArrayRef<unsigned> target) {
  if (indices.size() != target.size())
    return false;
  for (auto [index, loop] : llvm::zip_equal(indices, target)) {
    if (!index || !index->constant.isStatic())
      return false;
    for (auto [number, coefficient] : llvm::enumerate(index->coefficients))
      if (!(coefficient == Extent(number == loop ? 1 : 0)))
        return false;
  }
  return true;
}

/// Moved along the last dimension only.
bool isPart(ArrayRef<std::optional<eq::AffineIndex>> indices) {
  return llvm::all_of(indices.drop_back(), [](const auto &index) { return index->constant.is(0); });
}

ReadKind compare(const eq::Access &access, ArrayRef<unsigned> target) {
  if (access.inIndex || access.dataDependent)
    return ReadKind::Other;
  std::optional<SmallVector<unsigned>> loops = bareLoops(access.indices);
  if (!loops) {
    if (!isShifted(access.indices, target))
      return ReadKind::Other;
    return access.read->otherwise ? ReadKind::Shifted : isPart(access.indices) ? ReadKind::Part : ReadKind::Other;
  }
  if (ArrayRef(*loops) == target)
    return ReadKind::Identity;
  SmallVector<unsigned> sorted(*loops), wanted(target);
  llvm::sort(sorted);
  llvm::sort(wanted);
  return sorted == wanted && loops->back() == target.back() ? ReadKind::Permutation : ReadKind::Other;
}
} // namespace

static OpClass heaviestOf(const eq::Instance &instance) {
  OpClass heaviest = OpClass::Injective;
  for (const eq::Statement &statement : instance.statements)
    heaviest = std::max(heaviest, ::classOf(eq::classify(statement)));
  return heaviest;
}

static ReadKind readKindOf(const eq::Instance &instance, ArrayRef<Value> slots, Value operand) {
  // Temporaries would carry the question on; an elementwise op that has them is read from its last statement only.
  std::optional<ReadKind> worst;
  for (const eq::Statement &statement : instance.statements) {
    SmallVector<std::optional<eq::AffineIndex>> indices;
    for (const eq::Expr *index : statement.targets.front().indices)
      indices.push_back(eq::affineIndex(*index, statement.loops.size()));
    std::optional<SmallVector<unsigned>> target = bareLoops(indices);
    for (const eq::Access &access : eq::accessesOf(statement)) {
      const eq::Tensor &tensor = instance.tensors[access.tensor];
      if (tensor.role == eq::Tensor::Role::Temporary && instance.statements.size() > 1 &&
          (!target || compare(access, *target) != ReadKind::Identity))
        return ReadKind::Other;
      if (tensor.role != eq::Tensor::Role::Operand || slots[tensor.number] != operand)
        continue;
      ReadKind kind = target ? compare(access, *target) : ReadKind::Other;
      worst = worst ? std::max(*worst, kind) : kind;
    }
  }
  return worst.value_or(ReadKind::Other);
}

static Extent pointsOf(const eq::Instance &instance) {
  Extent most = 0;
  for (const eq::Statement &statement : instance.statements) {
    Extent points = 1;
    for (const eq::Loop &loop : statement.loops)
      points *= loop.extent;
    most = max(most, points);
  }
  return most;
}

/// The loop that an index walks along element by element, perhaps from somewhere known on; nothing for other indices.
static std::optional<unsigned> movedLoop(const eq::Expr &index, const eq::Statement &statement) {
  std::optional<eq::AffineIndex> affine = eq::affineIndex(index, statement.loops.size());
  std::optional<unsigned> found;
  for (auto [loop, coefficient] : llvm::enumerate(affine ? ArrayRef(affine->coefficients) : ArrayRef<Extent>())) {
    if (coefficient.is(0))
      continue;
    if (found || !coefficient.is(1))
      return std::nullopt;
    found = loop;
  }
  return found;
}

/// Whether the statement copies a box of an operand to a box of a result, all dimensions in their order.
static bool copiesBox(const eq::Instance &instance, const eq::Statement &statement) {
  const eq::Expr &read = *statement.values[0];
  if (statement.combine != eq::Combine::Set || statement.targets.size() != 1 || statement.into ||
      !statement.conditions.empty() || read.kind != eq::Expr::Kind::Read || read.otherwise ||
      instance.tensors[read.tensor].role != eq::Tensor::Role::Operand ||
      read.operands.size() != statement.loops.size() || statement.targets[0].indices.size() != statement.loops.size())
    return false;
  for (auto [from, to] : llvm::zip_equal(read.operands, statement.targets[0].indices)) {
    std::optional<unsigned> loop = movedLoop(*from, statement);
    if (!loop || loop != movedLoop(*to, statement))
      return false;
  }
  return true;
}

OpShape kumiko::shapeOf(Operation *op) {
  OpShape shape;
  if (isUnitReshape(op)) {
    shape.kind = OpClass::Injective;
    shape.reads = {ReadKind::Identity};
    shape.points = product(nn::extentsOf(cast<RankedTensorType>(op->getResult(0).getType())));
    return shape;
  }
  if (!isa<nn::EquationInterface>(op))
    return shape;
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/true);
  if (!instance) {
    llvm::consumeError(instance.takeError());
    return shape;
  }
  shape.kind = heaviestOf(*instance);
  shape.points = pointsOf(*instance);
  shape.work = workOf(*instance);
  if (op->getNumResults() == 1 &&
      llvm::all_of(instance->statements, [&](const eq::Statement &each) { return copiesBox(*instance, each); })) {
    shape.isBox = shape.kind == OpClass::Injective && op->getNumOperands() == 1;
    shape.joinsBoxes = shape.kind == OpClass::Scatter;
  }
  if (shape.kind == OpClass::Injective) {
    SmallVector<Value, 4> slots = nn::operandSlots(op);
    for (Value operand : op->getOperands())
      shape.reads.push_back(readKindOf(*instance, slots, operand));
  }
  return shape;
}

std::optional<int64_t> kumiko::partStartOf(Operation *op, unsigned operand) {
  ReadKind kind = shapeOf(op).reads[operand];
  if (kind == ReadKind::Identity)
    return 0;
  if (kind != ReadKind::Part)
    return std::nullopt;
  std::optional<int64_t> start;
  eq::Instance instance = llvm::cantFail(nn::instantiate(op, /*onlyUsedResults=*/true));
  SmallVector<Value, 4> slots = nn::operandSlots(op);
  for (const eq::Statement &statement : instance.statements)
    for (const eq::Access &access : eq::accessesOf(statement)) {
      const eq::Tensor &tensor = instance.tensors[access.tensor];
      if (tensor.role != eq::Tensor::Role::Operand || slots[tensor.number] != op->getOperand(operand))
        continue;
      int64_t here = access.indices.back()->constant.value();
      if (start && *start != here)
        return std::nullopt;
      start = here;
    }
  return start;
}

SmallVector<Extent, 4> kumiko::longExtentsOf(Value tensor) {
  SmallVector<Extent, 4> extents;
  for (const Extent &extent : nn::extentsOf(cast<RankedTensorType>(tensor.getType())))
    if (!extent.is(1))
      extents.push_back(extent);
  return extents;
}

bool kumiko::isUnitReshape(Operation *op) {
  return isa<nn::ReshapeOp>(op) && longExtentsOf(op->getOperand(0)) == longExtentsOf(op->getResult(0));
}
