#include "kumiko/Equation/Known.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

namespace kumiko::eq {
namespace {

using Value = std::optional<Known>;

constexpr int64_t largestDenominator = int64_t(1) << 16, largestFactor = 256;
/// Points of one statement.
constexpr int64_t largestWork = 1 << 14;

Value whole(Extent value) {
  if (value.overflowed())
    return std::nullopt;
  return Known{std::move(value), 1};
}

Value fraction(Extent numerator, int64_t denominator) {
  if (numerator.overflowed() || denominator <= 0)
    return std::nullopt;
  if (numerator.isStatic()) {
    int64_t common = std::gcd(numerator.value(), denominator);
    if (common > 1) {
      numerator = numerator.value() / common;
      denominator /= common;
    }
  }
  if (denominator > largestDenominator)
    return std::nullopt;
  return Known{std::move(numerator), denominator};
}

/// -1, 0 or 1 when a is below, equal to or above b for all symbols.
std::optional<int> order(const Known &a, const Known &b) {
  Extent difference = a.numerator * Extent(b.denominator) - b.numerator * Extent(a.denominator);
  if (difference.overflowed())
    return std::nullopt;
  if (difference.is(0))
    return 0;
  if ((difference - Extent(1)).knownNonNegative())
    return 1;
  if ((difference + Extent(1)).knownNonPositive())
    return -1;
  return std::nullopt;
}

Value truth(bool value) { return Known{Extent(value ? 1 : 0), 1}; }

Value compare(Function function, const Known &a, const Known &b) {
  if (std::optional<int> sign = order(a, b))
    switch (function) {
    case Function::Eq:
      return truth(*sign == 0);
    case Function::Ne:
      return truth(*sign != 0);
    case Function::Lt:
      return truth(*sign < 0);
    case Function::Le:
      return truth(*sign <= 0);
    case Function::Gt:
      return truth(*sign > 0);
    default:
      return truth(*sign >= 0);
    }
  // Not known which, but known enough.
  Extent difference = a.numerator * Extent(b.denominator) - b.numerator * Extent(a.denominator);
  if (function == Function::Ge || function == Function::Lt)
    return difference.knownNonNegative() ? truth(function == Function::Ge) : std::nullopt;
  if (function == Function::Le || function == Function::Gt)
    return difference.knownNonPositive() ? truth(function == Function::Le) : std::nullopt;
  return std::nullopt;
}

/// a / b in whole numbers, rounded towards 0. A divisor that is an expression is taken to be positive: 0 has no answer
/// either way.
Value quotient(const Extent &a, const Extent &b) {
  if (a.isStatic() && b.isStatic()) {
    if (b.is(0) || b.is(-1))
      return b.is(0) ? std::nullopt : whole(-a);
    return whole(a.value() / b.value());
  }
  return a.knownNonNegative() && b.knownNonNegative() ? whole(floorDiv(a, b)) : std::nullopt;
}

Value divide(const Known &a, const Known &b, ElementType type) {
  if (!isFloat(type))
    return quotient(a.numerator, b.numerator);
  // (n/d) / (p/q) = n*q / (d*p)
  if (b.numerator.isStatic() && !b.numerator.is(0)) {
    int64_t divisor, p = b.numerator.value();
    if (llvm::MulOverflow(a.denominator, p, divisor) || divisor == std::numeric_limits<int64_t>::min())
      return std::nullopt;
    return fraction(a.numerator * Extent(divisor < 0 ? -b.denominator : b.denominator), std::abs(divisor));
  }
  if (a.denominator != 1 || b.denominator != 1 || b.numerator.is(0))
    return std::nullopt;
  Extent exact = floorDiv(a.numerator, b.numerator);
  return exact * b.numerator == a.numerator ? whole(exact) : std::nullopt;
}

Value unary(Function function, const Known &x) {
  switch (function) {
  case Function::Neg:
    return fraction(-x.numerator, x.denominator);
  case Function::Not:
    return x.numerator.isStatic() ? truth(x.numerator.is(0)) : std::nullopt;
  case Function::Abs:
    if (x.numerator.knownNonNegative())
      return x;
    return x.numerator.knownNonPositive() ? fraction(-x.numerator, x.denominator) : std::nullopt;
  case Function::Floor:
    return whole(floorDiv(x.numerator, x.denominator));
  case Function::Ceil:
    return whole(ceilDiv(x.numerator, x.denominator));
  case Function::Round:
    return x.denominator == 1 ? Value(x) : std::nullopt;
  default:
    return std::nullopt;
  }
}

Value binary(Function function, const Known &a, const Known &b, ElementType type) {
  bool integers = a.denominator == 1 && b.denominator == 1;
  bool numbers = integers && a.numerator.isStatic() && b.numerator.isStatic();
  switch (function) {
  case Function::Add:
    return fraction(a.numerator * Extent(b.denominator) + b.numerator * Extent(a.denominator),
                    a.denominator * b.denominator);
  case Function::Sub:
    return fraction(a.numerator * Extent(b.denominator) - b.numerator * Extent(a.denominator),
                    a.denominator * b.denominator);
  case Function::Mul:
    return fraction(a.numerator * b.numerator, a.denominator * b.denominator);
  case Function::Div:
    return divide(a, b, type);
  case Function::FloorDiv:
    return integers ? whole(floorDiv(a.numerator, b.numerator)) : std::nullopt;
  case Function::CeilDiv:
    return integers ? whole(ceilDiv(a.numerator, b.numerator)) : std::nullopt;
  case Function::Mod:
  case Function::Rem:
    // With the sign of divisor or dividend; the same where neither is negative.
    if (!integers || b.numerator.is(0) || !a.numerator.knownNonNegative() || !b.numerator.knownNonNegative())
      return std::nullopt;
    return whole(mod(a.numerator, b.numerator));
  case Function::Max:
    return integers ? whole(max(a.numerator, b.numerator)) : std::nullopt;
  case Function::Min:
    return integers ? whole(min(a.numerator, b.numerator)) : std::nullopt;
  case Function::And:
    return numbers ? whole(a.numerator.value() & b.numerator.value()) : std::nullopt;
  case Function::Or:
    return numbers ? whole(a.numerator.value() | b.numerator.value()) : std::nullopt;
  case Function::Xor:
    return numbers ? whole(a.numerator.value() ^ b.numerator.value()) : std::nullopt;
  case Function::Eq:
  case Function::Ne:
  case Function::Lt:
  case Function::Le:
  case Function::Gt:
  case Function::Ge:
    return compare(function, a, b);
  default:
    return std::nullopt;
  }
}

/// Dimensions are taken to fit in i32, and in f32 as exact numbers.
Value convert(const Known &x, ElementType to) {
  if (to == ElementType::B1)
    return compare(Function::Ne, x, Known{0, 1});
  if (isFloat(to))
    return to == ElementType::F32 || to == ElementType::F64 ? Value(x) : std::nullopt;
  Value integer = x;
  if (x.denominator != 1) // towards 0
    integer = quotient(x.numerator, x.denominator);
  if (!integer || to == ElementType::I64 || to == ElementType::Index)
    return integer;
  bool isSmall = integer->numerator.isStatic() && std::abs(integer->numerator.value()) < 128;
  return to == ElementType::I32 || isSmall ? integer : std::nullopt;
}

class Run {
public:
  Run(const Instance &instance, llvm::ArrayRef<const KnownElements *> operands)
      : instance(instance), tensors(instance.tensors.size()) {
    for (auto [tensor, elements] : llvm::zip_equal(instance.tensors, tensors))
      if (tensor.role == Tensor::Role::Operand && tensor.number < operands.size() && operands[tensor.number])
        elements = *operands[tensor.number];
  }

  /// False when nothing can be said about the target.
  bool run(const Statement &current) {
    statement = &current;
    if (current.targets.size() != 1)
      return false;
    int64_t points = 1;
    for (const Loop &loop : current.loops) {
      if (!loop.extent.isStatic())
        return false;
      points *= loop.extent.value();
      if (points > largestWork)
        return false;
    }
    const Target &target = current.targets[0];
    std::optional<int64_t> count = countOf(target.tensor);
    if (!count)
      return false;
    KnownElements &result = tensors[target.tensor];
    if (current.into)
      result = tensors[*current.into];
    else if (!current.continues)
      result.assign(*count, start(current.combine));
    if (int64_t(result.size()) != *count)
      return false;
    position.assign(current.loops.size(), 0);
    for (int64_t point = 0; point < points; ++point) {
      if (!visit(target, result))
        return false;
      advance();
    }
    return true;
  }

  KnownElements take(unsigned tensor) { return std::move(tensors[tensor]); }

private:
  static Value start(Combine combine) {
    switch (combine) {
    case Combine::Set:
    case Combine::Sum:
    case Combine::Or:
      return Known{0, 1};
    case Combine::Product:
    case Combine::And:
      return Known{1, 1};
    default:
      return std::nullopt; // of max and min: marked by `first`
    }
  }

  void advance() {
    for (size_t loop = position.size(); loop-- > 0;) {
      if (++position[loop] < statement->loops[loop].extent.value())
        return;
      position[loop] = 0;
    }
  }

  bool isFirst() const {
    return llvm::all_of(llvm::ArrayRef(position).drop_front(statement->kept), [](int64_t at) { return at == 0; });
  }

  std::optional<int64_t> countOf(unsigned tensor) const {
    Extent count = product(instance.tensors[tensor].type.shape);
    if (!count.isStatic() || count.value() > largestKnown)
      return std::nullopt;
    return count.value();
  }

  /// The row-major place of these indices; -1 outside, nothing when it is not known.
  std::optional<int64_t> place(unsigned tensor, llvm::ArrayRef<const Expr *> indices) {
    int64_t result = 0;
    for (auto [index, extent] : llvm::zip_equal(indices, instance.tensors[tensor].type.shape)) {
      Value at = eval(*index);
      if (!at || !at->numerator.isStatic() || !extent.isStatic())
        return std::nullopt;
      if (at->numerator.value() < 0 || at->numerator.value() >= extent.value())
        return -1;
      result = result * extent.value() + at->numerator.value();
    }
    return result;
  }

  bool visit(const Target &target, KnownElements &result) {
    for (const Expr *condition : statement->conditions) {
      Value holds = eval(*condition);
      if (!holds || !holds->numerator.isStatic())
        return false;
      if (holds->numerator.is(0))
        return true;
    }
    std::optional<int64_t> at = place(target.tensor, target.indices);
    if (!at)
      return false;
    if (*at < 0)
      return true;
    combine(result[*at], eval(*statement->values[0]), statement->values[0]->type);
    return true;
  }

  void combine(Value &old, const Value &value, ElementType type) {
    bool replaces = statement->combine == Combine::Set;
    bool extremum = statement->combine == Combine::Max || statement->combine == Combine::Min;
    if (replaces || (extremum && isFirst() && !statement->into && !statement->continues))
      old = value;
    else if (!old || !value)
      old = std::nullopt;
    else
      old = binary(functionOf(statement->combine), *old, *value, type);
  }

  static Function functionOf(Combine combine) {
    switch (combine) {
    case Combine::Product:
      return Function::Mul;
    case Combine::Max:
      return Function::Max;
    case Combine::Min:
      return Function::Min;
    case Combine::And:
      return Function::And;
    case Combine::Or:
      return Function::Or;
    default:
      return Function::Add;
    }
  }

  Value eval(const Expr &expr) {
    switch (expr.kind) {
    case Expr::Kind::Integer:
      return whole(expr.symbolic ? *expr.symbolic : Extent(expr.integer));
    case Expr::Kind::Real:
      return knownReal(expr.real);
    case Expr::Kind::Loop:
      return whole(position[expr.loop]);
    case Expr::Kind::Read: {
      std::optional<int64_t> at = place(expr.tensor, expr.operands);
      if (at && *at < 0)
        return expr.otherwise ? eval(*expr.otherwise) : std::nullopt;
      const KnownElements &elements = tensors[expr.tensor];
      return at && *at < int64_t(elements.size()) ? elements[*at] : std::nullopt;
    }
    case Expr::Kind::Select: {
      Value condition = eval(*expr.operands[0]), yes = eval(*expr.operands[1]), no = eval(*expr.operands[2]);
      if (condition && condition->numerator.isStatic())
        return condition->numerator.is(0) ? no : yes;
      bool same = yes && no && yes->denominator == no->denominator && yes->numerator == no->numerator;
      return same ? yes : std::nullopt;
    }
    case Expr::Kind::Cast: {
      Value operand = eval(*expr.operands[0]);
      return operand ? convert(*operand, expr.type) : std::nullopt;
    }
    case Expr::Kind::Apply:
      return apply(expr);
    }
    return std::nullopt;
  }

  Value apply(const Expr &expr) {
    Value a = eval(*expr.operands[0]);
    if (expr.operands.size() == 1)
      return a ? unary(expr.function, *a) : std::nullopt;
    Value b = eval(*expr.operands[1]);
    // 0 * anything, false and anything: what is not known does not matter. Only for integers, which have no NaN.
    bool absorbs = expr.function == Function::Mul || expr.function == Function::And;
    if (absorbs && !isFloat(expr.operands[0]->type) && ((a && a->numerator.is(0)) || (b && b->numerator.is(0))))
      return whole(0);
    return a && b ? binary(expr.function, *a, *b, expr.operands[0]->type) : std::nullopt;
  }

  const Instance &instance;
  llvm::SmallVector<KnownElements, 4> tensors;
  const Statement *statement = nullptr;
  llvm::SmallVector<int64_t, 6> position;
};

} // namespace

std::optional<Known> knownReal(double value) {
  if (!(std::abs(value) < 1e15))
    return std::nullopt;
  int64_t denominator = 1;
  while (value != std::floor(value) && denominator < largestDenominator) {
    value *= 2;
    denominator *= 2;
  }
  bool exact = value == std::floor(value) && (denominator == 1 || std::abs(value) <= largestFactor);
  return exact ? fraction(int64_t(value), denominator) : std::nullopt;
}

std::optional<llvm::SmallVector<KnownElements, 2>> evaluateKnown(const Instance &instance,
                                                                 llvm::ArrayRef<const KnownElements *> operands) {
  Run run(instance, operands);
  for (const Statement &statement : instance.statements)
    if (!run.run(statement))
      return std::nullopt;
  llvm::SmallVector<KnownElements, 2> results;
  for (auto [number, tensor] : llvm::enumerate(instance.tensors)) {
    if (tensor.role != Tensor::Role::Result)
      continue;
    if (results.size() <= tensor.number)
      results.resize(tensor.number + 1);
    results[tensor.number] = run.take(number);
  }
  return results;
}

} // namespace kumiko::eq
