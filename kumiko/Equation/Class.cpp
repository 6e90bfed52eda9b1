#include "kumiko/Equation/Class.h"
#include "kumiko/Equation/Access.h"
#include "llvm/ADT/SmallBitVector.h"

namespace kumiko::eq {
namespace {

/// The loops that decide which element a read takes, also through indices that are read themselves.
void loopsOf(const Expr &expr, llvm::SmallBitVector &loops) {
  if (expr.kind == Expr::Kind::Loop)
    loops.set(expr.loop);
  for (const Expr *operand : expr.operands)
    loopsOf(*operand, loops);
}

void readsOf(const Expr &expr, llvm::SmallVectorImpl<const Expr *> &reads) {
  if (expr.kind == Expr::Kind::Read) {
    reads.push_back(&expr);
    return; // reads inside its index do not multiply anything
  }
  for (const Expr *operand : expr.operands)
    readsOf(*operand, reads);
}

/// Two reads of a product share a reduced loop and differ in a kept one: each element is used many times.
bool reuses(const Statement &statement, const Expr &a, const Expr &b) {
  unsigned count = statement.loops.size();
  llvm::SmallBitVector inA(count), inB(count);
  loopsOf(a, inA);
  loopsOf(b, inB);
  bool shared = false, differ = false;
  for (unsigned loop = 0; loop < count; ++loop) {
    if (loop >= statement.kept)
      shared |= inA[loop] && inB[loop];
    else
      differ |= inA[loop] != inB[loop];
  }
  return shared && differ;
}

bool hasContraction(const Statement &statement, const Expr &expr) {
  if (expr.kind == Expr::Kind::Apply && expr.function == Function::Mul) {
    llvm::SmallVector<const Expr *, 4> left, right;
    readsOf(*expr.operands[0], left);
    readsOf(*expr.operands[1], right);
    for (const Expr *a : left)
      for (const Expr *b : right)
        if (reuses(statement, *a, *b))
          return true;
  }
  if (expr.kind == Expr::Kind::Read)
    return false;
  return llvm::any_of(expr.operands, [&](const Expr *operand) { return hasContraction(statement, *operand); });
}

} // namespace

llvm::StringRef nameOf(StatementClass kind) {
  static constexpr llvm::StringLiteral names[] = {"injective", "gather", "reduction", "contraction", "scan", "scatter"};
  return names[static_cast<size_t>(kind)];
}

StatementClass classify(const Statement &statement) {
  if (statement.computedLeft || statement.into)
    return StatementClass::Scatter;
  if (statement.combine == Combine::Set) {
    bool gathers = llvm::any_of(accessesOf(statement), [](const Access &access) { return access.dataDependent; });
    return gathers ? StatementClass::Gather : StatementClass::Injective;
  }
  if (statement.combine == Combine::Sum && statement.values.size() == 1 &&
      hasContraction(statement, *statement.values[0]))
    return StatementClass::Contraction;
  return statement.conditions.empty() ? StatementClass::Reduction : StatementClass::Scan;
}

} // namespace kumiko::eq
