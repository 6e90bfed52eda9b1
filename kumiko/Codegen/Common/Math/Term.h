//===- Term.h - formulas written as formulas --------------------------------===//
//
// A Term is an SSA value with operators, so that an expansion reads like the formula it computes. It is a float or an
// integer, scalar or vector; literals take the type of the term they meet.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <limits>

namespace kumiko {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Where terms are emitted; outlives them.
struct TermEmitter {
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

class Term {
public:
  Term(TermEmitter &emitter, mlir::Value value) : emitter(&emitter), value(value) {}

  mlir::Value get() const { return value; }
  TermEmitter &getEmitter() const { return *emitter; }
  mlir::Type elementType() const { return mlir::getElementTypeOrSelf(value.getType()); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(elementType()); }

  /// A constant of this term's type.
  Term literal(double number) const;
  Term literal(int64_t number) const;
  /// This term's shape with another element type.
  mlir::Type withElement(mlir::Type element) const;

private:
  TermEmitter *emitter;
  mlir::Value value;
};

Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
Term operator/(Term a, Term b);
inline Term operator+(Term a, double b) { return a + a.literal(b); }
inline Term operator-(Term a, double b) { return a - a.literal(b); }
inline Term operator*(Term a, double b) { return a * a.literal(b); }
inline Term operator-(double a, Term b) { return b.literal(a) - b; }
inline Term operator/(double a, Term b) { return b.literal(a) / b; }

/// a * b + c, rounded once.
Term fma(Term a, Term b, Term c);
inline Term fma(Term a, Term b, double c) { return fma(a, b, a.literal(c)); }
inline Term fma(Term a, double b, Term c) { return fma(a, a.literal(b), c); }
inline Term fma(Term a, double b, double c) { return fma(a, a.literal(b), a.literal(c)); }
Term squareRoot(Term a);

/// Ordered comparisons: false when an operand is NaN.
Term less(Term a, Term b);
Term lessOrEqual(Term a, Term b);
Term equal(Term a, Term b);
inline Term less(Term a, double b) { return less(a, a.literal(b)); }
inline Term less(double a, Term b) { return less(b.literal(a), b); }
inline Term equal(Term a, double b) { return equal(a, a.literal(b)); }
/// Also true when an operand is NaN.
Term notLess(Term a, Term b);
inline Term notLess(Term a, double b) { return notLess(a, a.literal(b)); }
/// Is one of them NaN?
Term unordered(Term a, Term b);

/// yes where the mask holds, else no.
Term select(Term mask, Term yes, Term no);
inline Term select(Term mask, Term yes, double no) { return select(mask, yes, yes.literal(no)); }
inline Term select(Term mask, double yes, Term no) { return select(mask, no.literal(yes), no); }
/// `usual`, but for the lanes where the mask holds: only when there is one, `rare` is computed for them.
Term unlessAny(Term mask, Term usual, llvm::function_ref<Term()> rare);
/// The nearest value inside the limits; NaN stays NaN.
Term atLeast(Term a, double low);
Term atMost(Term a, double high);

/// A float's bits as an integer, and back.
Term bitsOf(Term real);
Term fromBits(Term bits);
/// Of integers, or of masks.
Term bitAnd(Term a, Term b);
Term bitOr(Term a, Term b);
Term bitXor(Term a, Term b);
Term shiftLeft(Term a, int64_t count);
/// Brings in copies of the sign.
Term shiftRight(Term a, int64_t count);
/// Brings in zeroes.
Term shiftRightUnsigned(Term a, int64_t count);
/// Integer equality.
Term sameBits(Term a, int64_t b);

Term magnitude(Term real);
/// Only the sign bit, as an integer.
Term signBit(Term real);
/// The magnitude must not have a sign of its own.
Term withSign(Term magnitude, Term sign);

/// f32 to f64 and back; i32 to f32.
Term widen(Term single);
Term narrow(Term wide);
Term toFloat(Term integer);

/// c[0] + c[1] x + c[2] x^2 + ...
Term polynomial(llvm::ArrayRef<float> coefficients, Term x);
Term polynomial(llvm::ArrayRef<double> coefficients, Term x);

} // namespace kumiko
