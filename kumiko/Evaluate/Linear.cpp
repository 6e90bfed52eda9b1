//===- Linear.cpp --------------------------------------------------------------===//
#include "kumiko/Evaluate/Linear.h"
#include "llvm/Support/MathExtras.h"

using namespace kumiko;
using namespace kumiko::eval;
using eq::Expr;
using eq::Function;

/// a + b * factor, or nothing on overflow.
static std::optional<Linear> plus(Linear a, const Linear &b, int64_t factor) {
  auto add = [&](int64_t &to, int64_t term) {
    int64_t scaled;
    return !llvm::MulOverflow(term, factor, scaled) && !llvm::AddOverflow(to, scaled, to);
  };
  bool fits = add(a.constant, b.constant);
  for (size_t loop = 0; loop < a.coefficients.size(); ++loop)
    fits &= add(a.coefficients[loop], b.coefficients[loop]);
  return fits ? std::optional(std::move(a)) : std::nullopt;
}

static bool isConstant(const Linear &form) {
  return llvm::all_of(form.coefficients, [](int64_t value) { return value == 0; });
}

static std::optional<Linear> applied(const Expr &expr, unsigned loops) {
  Linear zero;
  zero.coefficients.assign(loops, 0);
  std::optional<Linear> a = linearForm(*expr.operands[0], loops);
  if (a && expr.function == Function::Neg)
    return plus(zero, *a, -1);
  if (!a || expr.operands.size() != 2)
    return std::nullopt;
  std::optional<Linear> b = linearForm(*expr.operands[1], loops);
  if (!b)
    return std::nullopt;
  if (expr.function == Function::Add)
    return plus(*a, *b, 1);
  if (expr.function == Function::Sub)
    return plus(*a, *b, -1);
  if (expr.function == Function::Mul && isConstant(*b))
    return plus(zero, *a, b->constant);
  if (expr.function == Function::Mul && isConstant(*a))
    return plus(zero, *b, a->constant);
  return std::nullopt;
}

std::optional<Linear> eval::linearForm(const Expr &expr, unsigned loops) {
  // Narrower types wrap, so they are not linear.
  if (expr.type != ElementType::Index && expr.type != ElementType::I64)
    return std::nullopt;
  Linear form;
  form.coefficients.assign(loops, 0);
  switch (expr.kind) {
  case Expr::Kind::Integer:
    form.constant = expr.integer;
    return expr.symbolic ? std::nullopt : std::optional(std::move(form));
  case Expr::Kind::Loop:
    form.coefficients[expr.loop] = 1;
    return form;
  case Expr::Kind::Apply:
    return applied(expr, loops);
  case Expr::Kind::Cast:
    return linearForm(*expr.operands[0], loops);
  default:
    return std::nullopt;
  }
}

std::optional<Range> eval::rangeOf(const Linear &form, llvm::ArrayRef<int64_t> extents) {
  Range range{form.constant, form.constant};
  for (size_t loop = 0; loop < extents.size(); ++loop) {
    int64_t reach;
    if (llvm::MulOverflow(form.coefficients[loop], extents[loop] - 1, reach))
      return std::nullopt;
    int64_t &end = reach < 0 ? range.lowest : range.highest;
    if (llvm::AddOverflow(end, reach, end))
      return std::nullopt;
  }
  return range;
}
