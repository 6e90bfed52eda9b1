#include "kumiko/Lower/Range.h"
#include "llvm/Support/MathExtras.h"

using namespace kumiko;
using namespace kumiko::lower;
using eq::Expr;
using eq::Function;

static Range join(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

/// Arithmetic wraps around, so an end that does not fit leaves nothing known.
static Range sum(Range a, Range b) {
  Range result;
  if (llvm::AddOverflow(a.low, b.low, result.low) || llvm::AddOverflow(a.high, b.high, result.high))
    return {};
  return result;
}

static Range difference(Range a, Range b) {
  Range result;
  if (llvm::SubOverflow(a.low, b.high, result.low) || llvm::SubOverflow(a.high, b.low, result.high))
    return {};
  return result;
}

static Range product(Range a, Range b) {
  int64_t ends[4];
  if (llvm::MulOverflow(a.low, b.low, ends[0]) || llvm::MulOverflow(a.low, b.high, ends[1]) ||
      llvm::MulOverflow(a.high, b.low, ends[2]) || llvm::MulOverflow(a.high, b.high, ends[3]))
    return {};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

static Range magnitude(Range a) {
  if (a.low >= 0)
    return a;
  if (a.low == std::numeric_limits<int64_t>::min())
    return {};
  return {a.high < 0 ? -a.high : 0, std::max(-a.low, a.high)};
}

static Range applied(const Expr &expr, llvm::ArrayRef<Extent> extents) {
  llvm::SmallVector<Range, 2> of;
  for (const Expr *operand : expr.operands)
    of.push_back(rangeOf(*operand, extents));
  switch (expr.function) {
  case Function::Add:
    return sum(of[0], of[1]);
  case Function::Sub:
    return difference(of[0], of[1]);
  case Function::Mul:
    return product(of[0], of[1]);
  case Function::Min:
    return {std::min(of[0].low, of[1].low), std::min(of[0].high, of[1].high)};
  case Function::Max:
    return {std::max(of[0].low, of[1].low), std::max(of[0].high, of[1].high)};
  case Function::Abs:
    return magnitude(of[0]);
  case Function::Mod: // has the sign of the divisor
    return of[1].low > 0 ? Range{0, of[1].high - 1} : Range{};
  default:
    return {};
  }
}

Range lower::rangeOf(const Expr &expr, llvm::ArrayRef<Extent> extents) {
  bool wide = expr.type == ElementType::Index || expr.type == ElementType::I64;
  switch (expr.kind) {
  case Expr::Kind::Integer:
    if (expr.symbolic)
      return Range{};
    return {expr.integer, expr.integer};
  case Expr::Kind::Loop:
    if (!extents[expr.loop].isStatic())
      return {0, std::numeric_limits<int64_t>::max()};
    return {0, extents[expr.loop].value() - 1};
  case Expr::Kind::Select:
    return join(rangeOf(*expr.operands[1], extents), rangeOf(*expr.operands[2], extents));
  case Expr::Kind::Cast: {
    ElementType from = expr.operands[0]->type;
    return wide && (from == ElementType::Index || from == ElementType::I64) ? rangeOf(*expr.operands[0], extents)
                                                                            : Range{};
  }
  case Expr::Kind::Apply:
    return wide ? applied(expr, extents) : Range{};
  default:
    return {};
  }
}
