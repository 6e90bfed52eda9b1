//===- Real.h - real numbers that op code computes with ------------------------===//
//
// Known now, or a scalar of the model where it follows from a size or from data. Op code computes with both in the same
// way: of known numbers nothing reaches the model but the result.
//
//   Real step = 2 / Real(n, n.sizesOf(x)[2]);      // 2 / 224, or an nn.div of f64
//   Value y = n.make("mul", {x, step.as(n, n.elementOf(x))});
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/NodeContext.h"

namespace kumiko::onnx {

class Real {
public:
  Real(double number) : known(number) {}
  Real(NodeContext &n, const Extent &extent);
  /// A tensor of one element.
  Real(NodeContext &n, mlir::Value value);

  bool isNumber() const { return !node; }
  /// Only where it is known.
  double number() const {
    assert(isNumber());
    return known;
  }
  bool is(double number) const { return isNumber() && known == number; }
  /// A scalar of this element type. Null after a failure.
  mlir::Value as(NodeContext &n, mlir::Type element) const;

  friend Real operator+(const Real &a, const Real &b);
  friend Real operator-(const Real &a, const Real &b);
  friend Real operator*(const Real &a, const Real &b);
  friend Real operator/(const Real &a, const Real &b);
  friend Real max(const Real &a, const Real &b);
  friend Real min(const Real &a, const Real &b);
  friend Real floor(const Real &a);
  friend Real sqrt(const Real &a);
  /// `yes` where a is b.
  friend Real ifEqual(const Real &a, const Real &b, const Real &yes, const Real &no);
  /// The product of two numbers of f32, rounded to f32.
  friend Real singleProduct(const Real &a, const Real &b);

private:
  Real(NodeContext *node, mlir::Value value) : node(node), value(value) {}
  static Real apply(llvm::StringRef op, const Real &a, const Real &b);

  NodeContext *node = nullptr; ///< null for a known number
  double known = 0;
  mlir::Value value; ///< f64
};

Real operator+(const Real &a, const Real &b);
Real operator-(const Real &a, const Real &b);
Real operator*(const Real &a, const Real &b);
Real operator/(const Real &a, const Real &b);
Real max(const Real &a, const Real &b);
Real min(const Real &a, const Real &b);
Real floor(const Real &a);
Real sqrt(const Real &a);
Real ifEqual(const Real &a, const Real &b, const Real &yes, const Real &no);
Real singleProduct(const Real &a, const Real &b);

/// The whole number that `real` is, as a symbol that is read while the model runs where it is not known.
Extent wholeOf(NodeContext &n, const Real &real);

/// The elements of an input, which must be `count` numbers; empty when it is left out or has no elements.
llvm::SmallVector<Real, 6> realsOf(NodeContext &n, size_t number, llvm::StringRef role, int64_t count);

} // namespace kumiko::onnx
