//===- Form.cpp - linear positions over loop variables ---------------------===//
#include "kumiko/Codegen/Cpu/Form.h"

using namespace mlir;
using namespace kumiko::cpu;

Form Form::ofSlot(unsigned slot, int64_t coefficient) {
  Form form;
  if (coefficient != 0)
    form.terms.push_back({slot, coefficient});
  return form;
}

int64_t Form::coefficientOf(unsigned slot) const {
  for (auto [number, coefficient] : terms)
    if (number == slot)
      return coefficient;
  return 0;
}

Form Form::operator+(const Form &other) const {
  Form sum(constant + other.constant);
  sum.lane = lane + other.lane;
  auto a = terms.begin(), b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    bool takeA = b == other.terms.end() || (a != terms.end() && a->first <= b->first);
    bool takeB = a == terms.end() || (b != other.terms.end() && b->first <= a->first);
    unsigned slot = takeA ? a->first : b->first;
    int64_t coefficient = (takeA ? a++->second : 0) + (takeB ? b++->second : 0);
    if (coefficient != 0)
      sum.terms.push_back({slot, coefficient});
  }
  return sum;
}

Form Form::operator*(int64_t factor) const {
  if (factor == 0)
    return Form();
  Form product = *this;
  product.constant *= factor;
  product.lane *= factor;
  for (auto &[slot, coefficient] : product.terms)
    coefficient *= factor;
  return product;
}

Form Form::atLane(int64_t number) const {
  Form form = *this;
  form.constant += lane * number;
  form.lane = 0;
  return form;
}

Position kumiko::cpu::positionAtLane(ArrayRef<Form> position, int64_t lane) {
  Position scalar;
  for (const Form &form : position)
    scalar.push_back(form.atLane(lane));
  return scalar;
}

SmallVector<int64_t> kumiko::cpu::rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d > 1; --d)
    strides[d - 2] = strides[d - 1] * shape[d - 1];
  return strides;
}

Form kumiko::cpu::linearize(ArrayRef<Form> position, ArrayRef<int64_t> shape) {
  Form offset;
  for (auto [form, stride] : llvm::zip_equal(position, rowMajorStrides(shape)))
    offset = offset + form * stride;
  return offset;
}

Form kumiko::cpu::offsetIn(Value tensor, ArrayRef<Form> position, const Strides *strides) {
  auto found = strides ? strides->find(tensor) : Strides::const_iterator();
  if (!strides || found == strides->end())
    return linearize(position, cast<RankedTensorType>(tensor.getType()).getShape());
  Form offset;
  for (auto [form, stride] : llvm::zip_equal(position, found->second))
    offset = offset + form * stride;
  return offset;
}

std::optional<Form> kumiko::cpu::applyLinear(AffineExpr expr, ArrayRef<Form> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Form(constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Form> lhs = applyLinear(binary.getLHS(), dims), rhs = applyLinear(binary.getRHS(), dims);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  if (expr.getKind() == AffineExprKind::Mul && rhs->isConstant())
    return *lhs * rhs->constant;
  if (expr.getKind() == AffineExprKind::Mul && lhs->isConstant())
    return *rhs * lhs->constant;
  if (!lhs->isConstant() || !rhs->isConstant() || rhs->constant <= 0)
    return std::nullopt;
  int64_t quotient = llvm::divideFloorSigned(lhs->constant, rhs->constant);
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return Form(quotient);
  if (expr.getKind() == AffineExprKind::Mod)
    return Form(lhs->constant - quotient * rhs->constant);
  return std::nullopt;
}
