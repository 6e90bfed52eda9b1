#include "kumiko/Equation/Instantiate/ExprFactory.h"
#include "kumiko/Equation/Instantiate/Constant.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>

namespace kumiko::eq {

bool isConstant(const Expr &expr) { return expr.kind == Expr::Kind::Integer || expr.kind == Expr::Kind::Real; }

bool isNumber(const Expr &expr, double value) {
  if (expr.kind == Expr::Kind::Real)
    return expr.real == value;
  return expr.kind == Expr::Kind::Integer && !expr.symbolic && static_cast<double>(expr.integer) == value;
}

Extent extentOf(const Expr &expr) { return expr.symbolic ? *expr.symbolic : Extent(expr.integer); }

static bool same(const Expr &a, const Expr &b) {
  bool equalExtents = a.symbolic == b.symbolic || (a.symbolic && b.symbolic && *a.symbolic == *b.symbolic);
  // Reals by their bits: 0 and -0 differ, NaN equals itself.
  return a.kind == b.kind && a.type == b.type && a.function == b.function && a.integer == b.integer &&
         std::memcmp(&a.real, &b.real, sizeof(double)) == 0 && a.loop == b.loop && a.tensor == b.tensor &&
         equalExtents && a.operands == b.operands && a.otherwise == b.otherwise;
}

const Expr *ExprFactory::share(const Expr &expr) {
  // Looking back a little finds nearly all repetitions and stays linear.
  constexpr size_t window = 64;
  for (const Expr *known : llvm::reverse(llvm::ArrayRef(recent).take_back(window)))
    if (same(*known, expr))
      return known;
  Expr *result = new (instance.arena().Allocate<Expr>()) Expr(expr);
  result->operands = result->operands.copy(instance.arena());
  recent.push_back(result);
  return result;
}

static Expr blank(Expr::Kind kind, ElementType type) {
  Expr expr{};
  expr.kind = kind;
  expr.type = type;
  return expr;
}

const Expr *ExprFactory::integer(ElementType type, int64_t value) {
  Expr expr = blank(Expr::Kind::Integer, type);
  expr.integer = value;
  return share(expr);
}

const Expr *ExprFactory::real(ElementType type, double value) {
  Expr expr = blank(Expr::Kind::Real, type);
  expr.real = value;
  return share(expr);
}

const Expr *ExprFactory::extent(const Extent &value) {
  if (value.isStatic())
    return integer(ElementType::Index, value.value());
  Expr expr = blank(Expr::Kind::Integer, ElementType::Index);
  expr.symbolic = instance.own(value);
  return share(expr);
}

const Expr *ExprFactory::loop(unsigned number) {
  Expr expr = blank(Expr::Kind::Loop, ElementType::Index);
  expr.loop = number;
  return share(expr);
}

const Expr *ExprFactory::apply(Function function, ElementType type, llvm::ArrayRef<const Expr *> operands) {
  Expr expr = blank(Expr::Kind::Apply, type);
  expr.function = function;
  expr.operands = operands;
  return share(expr);
}

const Expr *ExprFactory::select(const Expr *condition, const Expr *yes, const Expr *no) {
  if (condition->kind == Expr::Kind::Integer && !condition->symbolic)
    return condition->integer ? yes : no;
  if (yes == no)
    return yes;
  Expr expr = blank(Expr::Kind::Select, yes->type);
  const Expr *operands[] = {condition, yes, no};
  expr.operands = operands;
  return share(expr);
}

static bool isNarrowFloat(ElementType type) {
  return isFloat(type) && type != ElementType::F32 && type != ElementType::F64;
}

/// Whether a small float holds the number without rounding.
static bool isExact(double value, ElementType type) {
  const llvm::fltSemantics *semantics = nullptr;
  switch (type) {
  case ElementType::F16:
    semantics = &llvm::APFloat::IEEEhalf();
    break;
  case ElementType::BF16:
    semantics = &llvm::APFloat::BFloat();
    break;
  default:
    // Zero and one exist in all of them but f8e8m0, which has no zero.
    return value == 1 || (value == 0 && !std::signbit(value) && type != ElementType::F8E8M0);
  }
  bool losesInformation = false;
  llvm::APFloat(value).convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &losesInformation);
  return !losesInformation;
}

const Expr *ExprFactory::cast(const Expr *value, ElementType type) {
  if (value->type == type)
    return value;
  bool widened = value->kind == Expr::Kind::Cast && value->operands[0]->type == type && isNarrowFloat(type) &&
                 value->type == ElementType::F32;
  bool roundTrip = value->kind == Expr::Kind::Cast && value->type == ElementType::I64 && type == ElementType::Index &&
                   value->operands[0]->type == ElementType::Index;
  if (widened || roundTrip)
    return value->operands[0];
  if (value->kind == Expr::Kind::Real && isFloat(type) && (!isNarrowFloat(type) || isExact(value->real, type)))
    return real(type, value->real);
  Expr expr = blank(Expr::Kind::Cast, type);
  expr.operands = value;
  return share(expr);
}

const Expr *ExprFactory::read(unsigned tensor, ElementType type, llvm::ArrayRef<const Expr *> indices,
                              const Expr *otherwise) {
  Expr expr = blank(Expr::Kind::Read, type);
  expr.tensor = tensor;
  expr.operands = indices;
  expr.otherwise = otherwise;
  return share(expr);
}

/// The folded value of two constants; nothing when the function is not one of index arithmetic or symbols stay open.
static std::optional<Extent> foldIndex(Function function, const Extent &a, const Extent &b) {
  switch (function) {
  case Function::Add:
    return a + b;
  case Function::Sub:
    return a - b;
  case Function::Mul:
    return a * b;
  case Function::Div:
    return truncatingDiv(a, b);
  case Function::FloorDiv:
    return floorDiv(a, b);
  case Function::CeilDiv:
    return ceilDiv(a, b);
  case Function::Mod:
    return mod(a, b);
  case Function::Rem:
    return a - truncatingDiv(a, b) * b;
  case Function::Max:
    return max(a, b);
  case Function::Min:
    return min(a, b);
  default:
    return std::nullopt;
  }
}

const Expr *ExprFactory::index(Function function, const Expr *a, const Expr *b) {
  if (isConstant(*a) && isConstant(*b))
    if (auto folded = foldIndex(function, extentOf(*a), extentOf(*b)))
      return extent(*folded);
  bool divides = function == Function::Div || function == Function::FloorDiv || function == Function::CeilDiv;
  if (isNumber(*b, 0) && (function == Function::Add || function == Function::Sub))
    return a;
  if (isNumber(*a, 0) && function == Function::Add)
    return b;
  if (isNumber(*b, 1) && (function == Function::Mul || divides))
    return a;
  if (isNumber(*a, 1) && function == Function::Mul)
    return b;
  if (function == Function::Mul && (isNumber(*a, 0) || isNumber(*b, 0)))
    return integer(ElementType::Index, 0);
  if (function == Function::Mod && isNumber(*b, 1))
    return integer(ElementType::Index, 0);
  return apply(function, ElementType::Index, {a, b});
}

const Expr *ExprFactory::rowMajor(llvm::ArrayRef<const Expr *> parts, llvm::ArrayRef<Extent> extents) {
  const Expr *position = integer(ElementType::Index, 0);
  for (auto [part, size] : llvm::zip_equal(parts, extents)) {
    // An extent of 1 adds nothing but its own index, which is 0.
    if (size.is(1))
      continue;
    position = index(Function::Add, index(Function::Mul, position, extent(size)), part);
  }
  return position;
}

} // namespace kumiko::eq
