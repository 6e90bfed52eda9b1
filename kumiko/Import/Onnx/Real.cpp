#include "kumiko/Import/Onnx/Real.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

Real::Real(NodeContext &n, const Extent &extent) {
  if (extent.isStatic()) {
    known = double(extent.value());
    return;
  }
  *this = Real(n, n.numbersOf({extent}, {}));
}

Real::Real(NodeContext &n, Value given) : node(&n) {
  if (given && !n.failed())
    value = n.cast(n.reshape(given, {}), n.builder().getF64Type());
}

Value Real::as(NodeContext &n, mlir::Type element) const {
  if (isNumber())
    return n.scalar(known, element);
  return value && !n.failed() ? n.cast(value, element) : Value();
}

Real Real::apply(StringRef op, const Real &a, const Real &b) {
  NodeContext &n = *(a.node ? a.node : b.node);
  mlir::Type f64 = n.builder().getF64Type();
  return Real(&n, n.make(op, {a.as(n, f64), b.as(n, f64)}));
}

static bool areNumbers(const Real &a, const Real &b) { return a.isNumber() && b.isNumber(); }

Real operator+(const Real &a, const Real &b) {
  return areNumbers(a, b) ? Real(a.known + b.known) : Real::apply("add", a, b);
}
Real operator-(const Real &a, const Real &b) {
  return areNumbers(a, b) ? Real(a.known - b.known) : Real::apply("sub", a, b);
}
Real operator*(const Real &a, const Real &b) {
  return areNumbers(a, b) ? Real(a.known * b.known) : Real::apply("mul", a, b);
}
Real operator/(const Real &a, const Real &b) {
  return areNumbers(a, b) ? Real(a.known / b.known) : Real::apply("div", a, b);
}
Real max(const Real &a, const Real &b) {
  return areNumbers(a, b) ? Real(std::max(a.known, b.known)) : Real::apply("max", a, b);
}
Real min(const Real &a, const Real &b) {
  return areNumbers(a, b) ? Real(std::min(a.known, b.known)) : Real::apply("min", a, b);
}
Real floor(const Real &a) {
  return a.isNumber() ? Real(std::floor(a.known)) : Real(a.node, a.node->make("floor", {a.value}));
}
Real sqrt(const Real &a) {
  return a.isNumber() ? Real(std::sqrt(a.known)) : Real(a.node, a.node->make("sqrt", {a.value}));
}

Real ifEqual(const Real &a, const Real &b, const Real &yes, const Real &no) {
  if (areNumbers(a, b))
    return a.known == b.known ? yes : no;
  NodeContext &n = *(a.node ? a.node : b.node);
  mlir::Type f64 = n.builder().getF64Type();
  Value same = n.make("eq", {a.as(n, f64), b.as(n, f64)});
  return Real(&n, n.make("select", {same, yes.as(n, f64), no.as(n, f64)}));
}

Real singleProduct(const Real &a, const Real &b) {
  if (areNumbers(a, b))
    return double(float(a.known) * float(b.known));
  NodeContext &n = *(a.node ? a.node : b.node);
  mlir::Type f32 = n.builder().getF32Type();
  return Real(n, n.make("mul", {a.as(n, f32), b.as(n, f32)}));
}

Extent wholeOf(NodeContext &n, const Real &real) {
  if (real.isNumber()) {
    if (!(real.number() >= 0 && real.number() < 1e15)) {
      n.fail(Code::OperandValue, "a size would be impossible");
      return 0;
    }
    return int64_t(real.number());
  }
  Value whole = real.as(n, n.builder().getI64Type());
  return whole && !n.failed() ? n.readExtent(whole) : Extent(0);
}

SmallVector<Real, 6> realsOf(NodeContext &n, size_t number, StringRef role, int64_t count) {
  SmallVector<Real, 6> list;
  Value x = n.input(number);
  if (!x || n.failed() || n.elementsOf(x).is(0))
    return list;
  if (n.interprets() || !n.takesSymbols() || n.isConstant({number})) {
    if (std::optional<Tensor> tensor = n.constant(number, role))
      for (int64_t i = 0; i < tensor->count(); ++i)
        list.push_back(valueAt(*tensor, i));
    return list;
  }
  x = n.reshape(x, {count});
  for (int64_t i = 0; i < count && !n.failed(); ++i)
    list.push_back(
        Real(n, n.make("slice", {x}, {n.is("start", Ints{i}), n.is("step", Ints{1}), n.is("out", Ints{1})})));
  return list;
}

} // namespace kumiko::onnx
