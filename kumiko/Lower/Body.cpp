//===- Body.cpp - scalar expressions inside a generic ----------------------===//
#include "kumiko/Lower/Body.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Lower/Access.h"
#include "kumiko/Lower/Checked.h"
#include "kumiko/Lower/Range.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;
using eq::Expr;
using eq::Function;

/// True when the integer is known to be at least 0, so that division needs no correction.
static bool isNonNegative(const Expr &expr) {
  auto all = [&] { return llvm::all_of(expr.operands, [](const Expr *operand) { return isNonNegative(*operand); }); };
  switch (expr.kind) {
  case Expr::Kind::Integer:
    return expr.symbolic ? expr.symbolic->knownNonNegative() : expr.integer >= 0;
  case Expr::Kind::Loop:
    return true;
  case Expr::Kind::Cast: {
    ElementType from = expr.operands[0]->type;
    return from == ElementType::B1 || isUnsigned(from) || (isInteger(from) && all());
  }
  case Expr::Kind::Apply:
    switch (expr.function) {
    case Function::Add:
    case Function::Mul:
    case Function::Min:
    case Function::Div:
    case Function::FloorDiv:
      return all();
    case Function::Max:
      return llvm::any_of(expr.operands, [](const Expr *e) { return isNonNegative(*e); });
    case Function::Mod:
      return isNonNegative(*expr.operands[1]);
    default:
      return false;
    }
  default:
    return false;
  }
}

static std::optional<double> constantOf(const Expr &expr) {
  if (expr.kind == Expr::Kind::Real)
    return expr.real;
  if (expr.kind == Expr::Kind::Integer && !expr.symbolic)
    return double(expr.integer);
  return expr.kind == Expr::Kind::Cast ? constantOf(*expr.operands[0]) : std::nullopt;
}

/// A float that min and max with constants keep inside 32 bits, as in min(max(x, -128), 127), unless it is NaN.
static bool fitsInt32(const Expr &expr) {
  double low = -HUGE_VAL, high = HUGE_VAL;
  const Expr *inner = &expr;
  while (inner->kind == Expr::Kind::Apply && (inner->function == Function::Max || inner->function == Function::Min)) {
    std::optional<double> left = constantOf(*inner->operands[0]), right = constantOf(*inner->operands[1]);
    if (!left && !right)
      break;
    double &limit = inner->function == Function::Max ? low : high;
    // An outer bound wins over the ones inside it.
    if (std::isinf(limit))
      limit = right ? *right : *left;
    inner = inner->operands[right ? 0 : 1];
  }
  return low >= -0x1p31 && high < 0x1p31 && low <= high;
}

Value Body::placeholder(ElementType type, const Twine &what) {
  if (error.empty())
    error = what.str();
  return isFloat(type) ? scalar.real(type, 0) : scalar.integer(type, 0);
}

Value Body::loop(unsigned number) {
  if (std::optional<unsigned> dimension = dimensions[number])
    return linalg::IndexOp::create(b, lowering.loc, *dimension);
  return scalar.integer(ElementType::Index, 0);
}

Value Body::emit(const Expr &expr) {
  if (Value value = known.lookup(&expr))
    return value;
  Value value;
  switch (expr.kind) {
  case Expr::Kind::Integer:
    value = expr.symbolic ? indexValue(b, lowering.loc, *expr.symbolic) : scalar.number(expr.type, expr.integer);
    break;
  case Expr::Kind::Real:
    value = scalar.real(expr.type, expr.real);
    break;
  case Expr::Kind::Loop:
    value = loop(expr.loop);
    break;
  case Expr::Kind::Read:
    value = read(expr);
    break;
  case Expr::Kind::Select: {
    Value condition = emit(*expr.operands[0]), yes = branch(*expr.operands[1], condition);
    Value no = branch(*expr.operands[2], mayFail(*expr.operands[2]) ? negated(condition) : condition);
    value = arith::SelectOp::create(b, lowering.loc, condition, yes, no);
    break;
  }
  case Expr::Kind::Cast: {
    const Expr &operand = *expr.operands[0];
    value = scalar.cast(emit(operand), operand.type, expr.type, fitsInt32(operand));
    if (!value)
      value = placeholder(expr.type, "conversion from " + nameOf(operand.type) + " to " + nameOf(expr.type));
    break;
  }
  case Expr::Kind::Apply: {
    SmallVector<Value, 2> operands;
    for (const Expr *operand : expr.operands)
      operands.push_back(emit(*operand));
    bool nonNegative = llvm::all_of(expr.operands, [](const Expr *operand) { return isNonNegative(*operand); });
    ElementType type = expr.operands[0]->type;
    value = scalar.apply(expr.function, type, operands, nonNegative);
    if (!value)
      value = placeholder(expr.type, "function '" + eq::nameOf(expr.function) + "' of " + nameOf(type));
    break;
  }
  }
  return known[&expr] = value;
}

TypedAttr Body::uniformValue(const Lowering &lowering, const Expr &read) {
  DenseElementsAttr dense;
  Value tensor = lowering.values[read.tensor];
  if (read.otherwise || !tensor || !matchPattern(tensor, m_Constant(&dense)) || !dense.isSplat())
    return {};
  return cast<TypedAttr>(dense.getSplatValue<Attribute>());
}

/// Without an `else` and without data in it, the op's verifier has shown it; with an `else`, a linear index can be
/// looked at.
bool Body::staysInside(const Expr &index, const Extent &extent, bool hasElse) const {
  if (llvm::any_of(extents, [](const Extent &each) { return each.is(0); }))
    return true; // nothing is read
  if (!hasElse && !eq::readsTensor(index))
    return true;
  if (extent.isStatic() && rangeOf(index, extents).within(extent.value()))
    return true;
  std::optional<LinearIndex> linear = linearIndex(index, extents);
  return linear && linear->lowest(extents).knownNonNegative() && isAtMost(linear->highest(extents), extent - Extent(1));
}

/// Some read in it is an error when the data is wrong.
bool Body::mayFail(const Expr &expr) {
  auto [entry, fresh] = fails.try_emplace(&expr, false);
  if (!fresh)
    return entry->second;
  bool result = findFailure(expr);
  return fails[&expr] = result;
}

bool Body::findFailure(const Expr &expr) {
  if (expr.kind == Expr::Kind::Read && !expr.otherwise)
    for (auto [index, extent] : llvm::zip(expr.operands, lowering.instance.tensors[expr.tensor].type.shape))
      if (!staysInside(*index, extent, /*hasElse=*/false))
        return true;
  return llvm::any_of(expr.operands, [&](const Expr *operand) { return mayFail(*operand); }) ||
         (expr.otherwise && mayFail(*expr.otherwise));
}

Value Body::negated(Value condition) {
  return arith::XOrIOp::create(b, lowering.loc, condition, scalar.integer(ElementType::B1, 1));
}

/// Both sides of a choice are computed; a read that may fail must do so only on the side that is taken. What was
/// emitted under a condition is forgotten behind it: elsewhere it would not have been looked at.
Value Body::branch(const Expr &expr, Value condition) {
  if (!mayFail(expr))
    return emit(expr);
  Value before = active;
  llvm::DenseMap<const Expr *, Value> outside = known;
  active = active ? Value(arith::AndIOp::create(b, lowering.loc, active, condition)) : condition;
  Value value = emit(expr);
  active = before;
  known = std::move(outside);
  return value;
}

Value Body::harmless(Value index) {
  if (!active)
    return index;
  return arith::SelectOp::create(b, lowering.loc, active, index, scalar.integer(ElementType::Index, 0));
}

Value Body::checked(const Expr &index, const Extent &extent) {
  Location loc = lowering.loc;
  Value truth;
  if (extent.isStatic()) {
    auto type = RankedTensorType::get({extent.value()}, b.getI1Type());
    truth = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, true));
  } else {
    auto type = RankedTensorType::get({ShapedType::kDynamic}, b.getI1Type());
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    truth = tensor::SplatOp::create(b, loc, yes, type, ValueRange(indexValue(b, loc, extent)));
  }
  auto extract = tensor::ExtractOp::create(b, loc, truth, harmless(emit(index)));
  extract->setAttr(checkedAttribute, b.getDenseI64ArrayAttr({0}));
  return extract;
}

/// tensor.extract. With an `else` the index is brought into the tensor first. An index from data is looked at by the
/// kernel, see Checked.h.
Value Body::read(const Expr &expr) {
  Value tensor = lowering.values[expr.tensor];
  if (!tensor)
    return placeholder(expr.type, "read of '" + lowering.instance.tensors[expr.tensor].name + "', which is absent");
  Location loc = lowering.loc;
  SmallVector<Value> indices;
  SmallVector<int64_t> unsure;
  Value inside;
  for (auto [d, index, extent] : llvm::enumerate(expr.operands, lowering.instance.tensors[expr.tensor].type.shape)) {
    indices.push_back(emit(*index));
    if (staysInside(*index, extent, expr.otherwise))
      continue;
    if (!expr.otherwise) {
      indices.back() = harmless(indices.back());
      unsure.push_back(d);
      continue;
    }
    // As an unsigned number a negative index is too large.
    Value zero = scalar.integer(ElementType::Index, 0), end = indexValue(b, loc, extent);
    Value ok = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, indices.back(), end);
    inside = inside ? Value(arith::AndIOp::create(b, loc, inside, ok)) : ok;
    indices.back() = arith::SelectOp::create(b, loc, ok, indices.back(), zero);
  }
  if (TypedAttr number = uniformValue(lowering, expr); number && unsure.empty())
    return arith::ConstantOp::create(b, loc, number);
  auto extract = tensor::ExtractOp::create(b, loc, tensor, indices);
  if (!unsure.empty())
    extract->setAttr(checkedAttribute, b.getDenseI64ArrayAttr(unsure));
  if (!inside)
    return extract;
  extract->setAttr(guardedAttribute, b.getUnitAttr());
  Value other = branch(*expr.otherwise, mayFail(*expr.otherwise) ? negated(inside) : inside);
  return arith::SelectOp::create(b, loc, inside, extract, other);
}
