//===- RowInputs.cpp - small kernels that rows may compute as they read ----===//
#include "kumiko/Fuse/RowInputs.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Equation/Cost.h"
#include "kumiko/Nn/Equations.h"

using namespace mlir;
using namespace kumiko;

/// An exponential is worth about so many operations that take a cycle.
constexpr int64_t fewOperations = 16;

/// One instruction, or a few.
static bool isCheap(eq::Function function) {
  using enum eq::Function;
  switch (function) {
  case Neg:
  case Not:
  case BitNot:
  case Abs:
  case Add:
  case Sub:
  case Mul:
  case Max:
  case Min:
  case And:
  case Or:
  case Xor:
  case Eq:
  case Ne:
  case Lt:
  case Le:
  case Gt:
  case Ge:
    return true;
  default:
    return false;
  }
}

static bool isCheap(const eq::Expr &expr) {
  if (expr.kind == eq::Expr::Kind::Apply && expr.type != ElementType::Index && !isCheap(expr.function))
    return false;
  return expr.kind == eq::Expr::Kind::Read ||
         llvm::all_of(expr.operands, [](const eq::Expr *operand) { return isCheap(*operand); });
}

/// Whether each element is made of elements at the same place, or at the only one that a dimension has.
static bool staysInPlace(const eq::Statement &statement) {
  return llvm::all_of(eq::accessesOf(statement), [](const eq::Access &access) {
    return !access.read->otherwise && llvm::all_of(access.indices, [](const std::optional<eq::AffineIndex> &index) {
      return index && (index->bareLoop() || index->isConstant());
    });
  });
}

/// Whether the long dimensions of `part` are some of those of the rows, in their order.
static bool isSpreadOver(ArrayRef<Extent> part, ArrayRef<Extent> rows) {
  for (const Extent &extent : rows)
    if (!part.empty() && part.front() == extent)
      part = part.drop_front();
  return part.empty();
}

Decision kumiko::canComputeInRows(const Group &inputs, const RowShape &rows) {
  if (inputs.kind != OpClass::Injective || inputs.closed)
    return Decision::forbid("the producer is not elementwise");
  return canComputeInRows(inputs.ops, rows);
}

Decision kumiko::canComputeInRows(ArrayRef<Operation *> ops, const RowShape &rows) {
  int64_t operations = 0;
  for (Operation *op : ops) {
    if (op->getNumResults() != 1 || !isSpreadOver(longExtentsOf(op->getResult(0)), rows.extents))
      return Decision::forbid("what is read is not spread over the rows");
    if (isUnitReshape(op))
      continue;
    llvm::Expected<eq::Instance> instance = nn::instantiate(op);
    if (!instance)
      return llvm::consumeError(instance.takeError()), Decision::forbid("the op has no equation");
    for (const eq::Statement &statement : instance->statements) {
      if (!staysInPlace(statement) ||
          !llvm::all_of(statement.values, [](const eq::Expr *value) { return isCheap(*value); }))
        return Decision::forbid("elements would be computed more than once");
      operations += eq::operationsPerPoint(statement);
    }
  }
  return operations <= fewOperations ? Decision::allow()
                                     : Decision::forbid("elements would be computed more than once");
}
