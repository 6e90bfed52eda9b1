//===- Body.cpp - scalar expressions inside a generic ----------------------===//
#include "kumiko/Lower/Body.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Lower/Access.h"
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
    return expr.integer >= 0;
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
  if (expr.kind == Expr::Kind::Integer)
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
    value = scalar.number(expr.type, expr.integer);
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
    Value condition = emit(*expr.operands[0]), yes = emit(*expr.operands[1]), no = emit(*expr.operands[2]);
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
bool Body::staysInside(const Expr &index, int64_t extent, bool hasElse) const {
  if (extent == 0)
    return true;
  if (!hasElse)
    return !eq::readsTensor(index);
  std::optional<LinearIndex> linear = linearIndex(index, extents);
  return linear && linear->lowest(extents) >= 0 && linear->highest(extents) < extent;
}

/// tensor.extract. The index is brought into the tensor first where it might be outside: where the text has an `else`,
/// and where it comes from data, which nobody can trust.
Value Body::read(const Expr &expr) {
  Value tensor = lowering.values[expr.tensor];
  if (!tensor)
    return placeholder(expr.type, "read of '" + lowering.instance.tensors[expr.tensor].name + "', which is absent");
  Location loc = lowering.loc;
  if (TypedAttr number = uniformValue(lowering, expr))
    return arith::ConstantOp::create(b, loc, number);
  SmallVector<Value> indices;
  Value inside;
  for (auto [index, extent] : llvm::zip_equal(expr.operands, cast<RankedTensorType>(tensor.getType()).getShape())) {
    Value position = emit(*index);
    if (staysInside(*index, extent, expr.otherwise)) {
      indices.push_back(position);
      continue;
    }
    Value zero = scalar.integer(ElementType::Index, 0), last = scalar.integer(ElementType::Index, extent - 1);
    if (expr.otherwise) {
      // As an unsigned number a negative index is too large.
      Value ok = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, position, last);
      inside = inside ? Value(arith::AndIOp::create(b, loc, inside, ok)) : ok;
    }
    position = arith::MaxSIOp::create(b, loc, position, zero);
    indices.push_back(arith::MinSIOp::create(b, loc, position, last));
  }
  Value element = tensor::ExtractOp::create(b, loc, tensor, indices);
  if (!inside)
    return element;
  return arith::SelectOp::create(b, loc, inside, element, emit(*expr.otherwise));
}
