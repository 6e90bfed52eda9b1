#include "kumiko/Equation/Cost.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kumiko::eq {
namespace {

/// Every operation once, however often its value is used; indices of reads are not entered.
class Counter {
public:
  int64_t operations = 0;

  void visit(const Expr &expr) {
    if (!seen.insert(&expr).second)
      return;
    if (expr.kind == Expr::Kind::Read) {
      if (expr.otherwise)
        visit(*expr.otherwise);
      return;
    }
    // Arithmetic on indices and attributes is free: it is done once per loop or at compile time.
    bool onValues =
        expr.type != ElementType::Index && (expr.operands.empty() || expr.operands[0]->type != ElementType::Index);
    bool counts = expr.kind == Expr::Kind::Apply || expr.kind == Expr::Kind::Select;
    operations += counts && onValues;
    for (const Expr *operand : expr.operands)
      visit(*operand);
  }

private:
  llvm::SmallPtrSet<const Expr *, 16> seen;
};

void tensorsRead(const Expr &expr, llvm::SmallBitVector &tensors) {
  if (expr.kind == Expr::Kind::Read)
    tensors.set(expr.tensor);
  for (const Expr *operand : expr.operands)
    tensorsRead(*operand, tensors);
  if (expr.otherwise)
    tensorsRead(*expr.otherwise, tensors);
}

} // namespace

int64_t operationsPerPoint(const Statement &statement) {
  Counter counter;
  for (const Expr *value : statement.values)
    counter.visit(*value);
  return counter.operations;
}

Extent pointsOf(const Statement &statement) {
  llvm::SmallVector<Extent, 8> extents;
  for (const Loop &loop : statement.loops)
    extents.push_back(loop.extent);
  return product(extents);
}

Extent flopsOf(const Statement &statement) {
  bool reduces = statement.combine != Combine::Set;
  return pointsOf(statement) * Extent(operationsPerPoint(statement) + reduces);
}

Extent bytesOf(const TensorType &type) { return product(type.shape) * Extent(kumiko::bytesOf(type.element)); }

Cost costOf(const Instance &instance) {
  Cost cost;
  for (const Tensor &tensor : instance.tensors)
    if (tensor.present && tensor.role != Tensor::Role::Temporary)
      cost.bytesFused += bytesOf(tensor.type);
  for (const Statement &statement : instance.statements) {
    cost.flops += flopsOf(statement);
    llvm::SmallBitVector tensors(instance.tensors.size());
    for (const Expr *value : statement.values)
      tensorsRead(*value, tensors);
    for (const Expr *condition : statement.conditions)
      tensorsRead(*condition, tensors);
    for (const Target &target : statement.targets) {
      tensors.set(target.tensor);
      for (const Expr *index : target.indices)
        tensorsRead(*index, tensors);
    }
    if (statement.into)
      tensors.set(*statement.into);
    for (unsigned tensor : tensors.set_bits())
      cost.bytesUnfused += bytesOf(instance.tensors[tensor].type);
  }
  return cost;
}

} // namespace kumiko::eq
