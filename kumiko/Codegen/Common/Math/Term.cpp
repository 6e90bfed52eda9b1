#include "kumiko/Codegen/Common/Math/Term.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kumiko;

template <typename Op, typename... Arguments> static Term emit(Term like, Arguments &&...arguments) {
  TermEmitter &emitter = like.getEmitter();
  return Term(emitter, Op::create(emitter.builder, emitter.loc, std::forward<Arguments>(arguments)...));
}

static Term constant(Term like, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(like.get().getType()))
    return emit<arith::ConstantOp>(like, DenseElementsAttr::get(vector, Attribute(element)));
  return emit<arith::ConstantOp>(like, element);
}

Term Term::literal(double number) const {
  return constant(*this, emitter->builder.getFloatAttr(elementType(), number));
}

Term Term::literal(int64_t number) const {
  // Constants are bit patterns: the top bit of a 32-bit one may be set.
  unsigned width = elementType().getIntOrFloatBitWidth();
  return constant(*this, emitter->builder.getIntegerAttr(elementType(), APInt(64, number).trunc(width)));
}

Type Term::withElement(Type element) const {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.clone(element);
  return element;
}

Term kumiko::operator+(Term a, Term b) {
  return a.isFloat() ? emit<arith::AddFOp>(a, a.get(), b.get()) : emit<arith::AddIOp>(a, a.get(), b.get());
}

Term kumiko::operator-(Term a, Term b) {
  return a.isFloat() ? emit<arith::SubFOp>(a, a.get(), b.get()) : emit<arith::SubIOp>(a, a.get(), b.get());
}

Term kumiko::operator*(Term a, Term b) { return emit<arith::MulFOp>(a, a.get(), b.get()); }

Term kumiko::operator/(Term a, Term b) { return emit<arith::DivFOp>(a, a.get(), b.get()); }

Term kumiko::fma(Term a, Term b, Term c) { return emit<math::FmaOp>(a, a.get(), b.get(), c.get()); }

Term kumiko::squareRoot(Term a) { return emit<math::SqrtOp>(a, a.get()); }

static Term compare(arith::CmpFPredicate predicate, Term a, Term b) {
  return emit<arith::CmpFOp>(a, predicate, a.get(), b.get());
}

Term kumiko::less(Term a, Term b) { return compare(arith::CmpFPredicate::OLT, a, b); }

Term kumiko::notLess(Term a, Term b) { return compare(arith::CmpFPredicate::UGE, a, b); }

Term kumiko::lessOrEqual(Term a, Term b) { return compare(arith::CmpFPredicate::OLE, a, b); }

Term kumiko::equal(Term a, Term b) { return compare(arith::CmpFPredicate::OEQ, a, b); }

Term kumiko::unordered(Term a, Term b) { return compare(arith::CmpFPredicate::UNO, a, b); }

Term kumiko::select(Term mask, Term yes, Term no) {
  return emit<arith::SelectOp>(yes, mask.get(), yes.get(), no.get());
}

Term kumiko::unlessAny(Term mask, Term usual, llvm::function_ref<Term()> rare) {
  TermEmitter &emitter = usual.getEmitter();
  OpBuilder &b = emitter.builder;
  Value any = mask.get();
  if (auto vector = dyn_cast<VectorType>(any.getType())) {
    auto flat = VectorType::get({vector.getNumElements()}, vector.getElementType());
    if (vector != flat)
      any = vector::ShapeCastOp::create(b, emitter.loc, flat, any);
    any = vector::ReductionOp::create(b, emitter.loc, vector::CombiningKind::OR, any);
  }
  auto choice = scf::IfOp::create(b, emitter.loc, usual.get().getType(), any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, emitter.loc, select(mask, rare(), usual).get());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, emitter.loc, usual.get());
  return Term(emitter, choice.getResult(0));
}

Term kumiko::atLeast(Term a, double low) { return select(less(a, low), low, a); }

Term kumiko::atMost(Term a, double high) { return select(less(high, a), high, a); }

Term kumiko::bitsOf(Term real) {
  Type bits = real.getEmitter().builder.getIntegerType(real.elementType().getIntOrFloatBitWidth());
  return emit<arith::BitcastOp>(real, real.withElement(bits), real.get());
}

Term kumiko::fromBits(Term bits) {
  Builder &builder = bits.getEmitter().builder;
  bool wide = bits.elementType().getIntOrFloatBitWidth() == 64;
  Type real = wide ? Type(builder.getF64Type()) : Type(builder.getF32Type());
  return emit<arith::BitcastOp>(bits, bits.withElement(real), bits.get());
}

Term kumiko::bitAnd(Term a, Term b) { return emit<arith::AndIOp>(a, a.get(), b.get()); }

Term kumiko::bitOr(Term a, Term b) { return emit<arith::OrIOp>(a, a.get(), b.get()); }

Term kumiko::bitXor(Term a, Term b) { return emit<arith::XOrIOp>(a, a.get(), b.get()); }

Term kumiko::shiftLeft(Term a, int64_t count) { return emit<arith::ShLIOp>(a, a.get(), a.literal(count).get()); }

Term kumiko::shiftRight(Term a, int64_t count) { return emit<arith::ShRSIOp>(a, a.get(), a.literal(count).get()); }

Term kumiko::shiftRightUnsigned(Term a, int64_t count) {
  return emit<arith::ShRUIOp>(a, a.get(), a.literal(count).get());
}

Term kumiko::sameBits(Term a, int64_t b) {
  return emit<arith::CmpIOp>(a, arith::CmpIPredicate::eq, a.get(), a.literal(b).get());
}

static int64_t signMask(Term bits) {
  return bits.elementType().getIntOrFloatBitWidth() == 64 ? INT64_MIN : int64_t(INT32_MIN);
}

Term kumiko::magnitude(Term real) {
  Term bits = bitsOf(real);
  return fromBits(bitAnd(bits, bits.literal(~signMask(bits))));
}

Term kumiko::signBit(Term real) {
  Term bits = bitsOf(real);
  return bitAnd(bits, bits.literal(signMask(bits)));
}

Term kumiko::withSign(Term magnitude, Term sign) { return fromBits(bitOr(bitsOf(magnitude), signBit(sign))); }

Term kumiko::widen(Term single) {
  return emit<arith::ExtFOp>(single, single.withElement(single.getEmitter().builder.getF64Type()), single.get());
}

Term kumiko::narrow(Term wide) {
  return emit<arith::TruncFOp>(wide, wide.withElement(wide.getEmitter().builder.getF32Type()), wide.get());
}

Term kumiko::toFloat(Term integer) {
  return emit<arith::SIToFPOp>(integer, integer.withElement(integer.getEmitter().builder.getF32Type()), integer.get());
}

template <typename Number> static Term horner(llvm::ArrayRef<Number> coefficients, Term x) {
  Term result = x.literal(double(coefficients.back()));
  for (Number coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, double(coefficient));
  return result;
}

Term kumiko::polynomial(llvm::ArrayRef<float> coefficients, Term x) { return horner(coefficients, x); }

Term kumiko::polynomial(llvm::ArrayRef<double> coefficients, Term x) { return horner(coefficients, x); }
