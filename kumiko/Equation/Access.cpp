#include "kumiko/Equation/Access.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kumiko::eq {

std::optional<unsigned> AffineIndex::bareLoop() const {
  if (!constant.is(0))
    return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned loop = 0; loop < coefficients.size(); ++loop) {
    if (coefficients[loop].is(0))
      continue;
    if (found || !coefficients[loop].is(1))
      return std::nullopt;
    found = loop;
  }
  return found;
}

bool AffineIndex::isConstant() const {
  return llvm::all_of(coefficients, [](const Extent &coefficient) { return coefficient.is(0); });
}

/// Adds factor * expr to the form; false when the expression is not affine.
static bool accumulate(const Expr &expr, const Extent &factor, AffineIndex &form) {
  // Index arithmetic may have passed through i64 by a conversion in the text; its values are the same.
  if (expr.type != ElementType::Index && expr.type != ElementType::I64)
    return false;
  switch (expr.kind) {
  case Expr::Kind::Integer:
    form.constant += factor * (expr.symbolic ? *expr.symbolic : Extent(expr.integer));
    return true;
  case Expr::Kind::Loop:
    form.coefficients[expr.loop] += factor;
    return true;
  case Expr::Kind::Cast:
    return accumulate(*expr.operands[0], factor, form);
  case Expr::Kind::Apply:
    break;
  default:
    return false;
  }
  auto isConstant = [](const Expr &e) { return e.kind == Expr::Kind::Integer; };
  auto valueOf = [](const Expr &e) { return e.symbolic ? *e.symbolic : Extent(e.integer); };
  switch (expr.function) {
  case Function::Neg:
    return accumulate(*expr.operands[0], -factor, form);
  case Function::Add:
    return accumulate(*expr.operands[0], factor, form) && accumulate(*expr.operands[1], factor, form);
  case Function::Sub:
    return accumulate(*expr.operands[0], factor, form) && accumulate(*expr.operands[1], -factor, form);
  case Function::Mul:
    if (isConstant(*expr.operands[0]))
      return accumulate(*expr.operands[1], factor * valueOf(*expr.operands[0]), form);
    if (isConstant(*expr.operands[1]))
      return accumulate(*expr.operands[0], factor * valueOf(*expr.operands[1]), form);
    return false;
  default:
    return false;
  }
}

std::optional<AffineIndex> affineIndex(const Expr &index, unsigned loops) {
  AffineIndex form;
  form.coefficients.assign(loops, Extent(0));
  if (!accumulate(index, 1, form))
    return std::nullopt;
  return form;
}

bool Access::isAffine() const {
  return llvm::all_of(indices, [](const auto &index) { return index.has_value(); });
}

void eachExpr(const Statement &statement, llvm::function_ref<void(const Expr &)> visit) {
  llvm::SmallVector<const Expr *, 16> open(statement.values.begin(), statement.values.end());
  open.append(statement.conditions.begin(), statement.conditions.end());
  for (const Target &target : statement.targets)
    open.append(target.indices.begin(), target.indices.end());
  llvm::SmallPtrSet<const Expr *, 16> seen;
  while (!open.empty()) {
    const Expr *expr = open.pop_back_val();
    if (!seen.insert(expr).second)
      continue;
    visit(*expr);
    open.append(expr->operands.begin(), expr->operands.end());
    if (expr->otherwise)
      open.push_back(expr->otherwise);
  }
}

bool readsTensor(const Expr &expr) {
  return expr.kind == Expr::Kind::Read ||
         llvm::any_of(expr.operands, [](const Expr *operand) { return readsTensor(*operand); });
}

namespace {

class Collector {
public:
  Collector(unsigned loops, llvm::SmallVectorImpl<Access> &list) : loops(loops), list(list) {}

  void visit(const Expr &expr, bool inIndex) {
    if (!seen.insert(&expr).second)
      return;
    if (expr.kind == Expr::Kind::Read)
      add(expr, inIndex);
    for (const Expr *operand : expr.operands)
      visit(*operand, inIndex || expr.kind == Expr::Kind::Read);
    if (expr.otherwise)
      visit(*expr.otherwise, inIndex);
  }

private:
  void add(const Expr &read, bool inIndex) {
    Access access;
    access.read = &read;
    access.tensor = read.tensor;
    access.inIndex = inIndex;
    for (const Expr *index : read.operands) {
      access.indices.push_back(affineIndex(*index, loops));
      access.dataDependent |= readsTensor(*index);
    }
    list.push_back(std::move(access));
  }

  unsigned loops;
  llvm::SmallVectorImpl<Access> &list;
  llvm::SmallPtrSet<const Expr *, 16> seen;
};

} // namespace

llvm::SmallVector<Access, 4> accessesOf(const Statement &statement) {
  llvm::SmallVector<Access, 4> list;
  Collector collector(statement.loops.size(), list);
  for (const Expr *value : statement.values)
    collector.visit(*value, false);
  for (const Expr *condition : statement.conditions)
    collector.visit(*condition, false);
  for (const Target &target : statement.targets)
    for (const Expr *index : target.indices)
      collector.visit(*index, true);
  return list;
}

} // namespace kumiko::eq
