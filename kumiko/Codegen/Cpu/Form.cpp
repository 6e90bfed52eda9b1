//===- Form.cpp - linear positions over loop variables ---------------------===//
#include "kumiko/Codegen/Cpu/Form.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using kumiko::Extents;
using kumiko::KernelExtents;

Form Form::ofSlot(unsigned slot, const Extent &coefficient) {
  Form form;
  if (!coefficient.is(0))
    form.terms.push_back({slot, coefficient});
  return form;
}

Extent Form::coefficientOf(unsigned slot) const {
  for (const auto &[number, coefficient] : terms)
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
    Extent coefficient = (takeA ? a++->second : Extent(0)) + (takeB ? b++->second : Extent(0));
    if (!coefficient.is(0))
      sum.terms.push_back({slot, coefficient});
  }
  return sum;
}

Form Form::operator*(const Extent &factor) const {
  if (factor.is(0))
    return Form();
  Form product = *this;
  product.constant *= factor;
  product.lane *= factor;
  for (auto &[slot, coefficient] : product.terms)
    coefficient *= factor;
  return product;
}

Form Form::atLane(const Extent &number) const {
  Form form = *this;
  form.constant += lane * number;
  form.lane = 0;
  return form;
}

Position kumiko::cpu::positionAtLane(ArrayRef<Form> position, const Extent &lane) {
  Position scalar;
  for (const Form &form : position)
    scalar.push_back(form.atLane(lane));
  return scalar;
}

bool kumiko::cpu::hasLanes(ArrayRef<Form> position) {
  return llvm::any_of(position, [](const Form &form) { return form.hasLanes(); });
}

Form kumiko::cpu::offsetBy(ArrayRef<Form> position, ArrayRef<Extent> strides) {
  Form offset;
  for (const auto &[form, stride] : llvm::zip_equal(position, strides))
    offset = offset + form * stride;
  return offset;
}

Form kumiko::cpu::linearize(ArrayRef<Form> position, ArrayRef<Extent> shape) {
  return offsetBy(position, rowMajorStrides(shape));
}

Form kumiko::cpu::offsetOf(const Piece &piece, ArrayRef<Form> position) {
  return Form(piece.constant) + offsetBy(position, piece.strides);
}

Position kumiko::cpu::applyMap(AffineMap map, ArrayRef<Form> dims) {
  Position position;
  for (AffineExpr expr : map.getResults())
    position.push_back(applyLinear(expr, dims).value_or(Form()));
  return position;
}

Form Storage::offsetIn(Value tensor, ArrayRef<Form> position) {
  if (auto found = strides.find(tensor); found != strides.end())
    return offsetBy(position, found->second);
  return linearize(position, extents.of(tensor));
}

Position kumiko::cpu::positionBehind(tensor::ExtractSliceOp view, ArrayRef<Form> position) {
  Position source;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  const Form *next = position.begin();
  for (auto [d, offset, stride] : llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
    Form start(KernelExtents::ofIndex(offset));
    source.push_back(dropped.test(d) ? start : *next++ * KernelExtents::ofIndex(stride) + start);
  }
  return source;
}

Position kumiko::cpu::positionBehind(tensor::ExpandShapeOp view, ArrayRef<Form> position, KernelExtents &extents) {
  Position source;
  ArrayRef<Extent> shape = extents.of(view);
  for (const auto &group : view.getReassociationIndices()) {
    Form whole;
    for (int64_t d : group)
      whole = whole * shape[d] + position[d];
    source.push_back(whole);
  }
  return source;
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
  if (!lhs->isConstant() || !rhs->isConstant() || !rhs->constant.isStatic() || rhs->constant.value() <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return Form(floorDiv(lhs->constant, rhs->constant));
  if (expr.getKind() == AffineExprKind::Mod)
    return Form(mod(lhs->constant, rhs->constant));
  return std::nullopt;
}
