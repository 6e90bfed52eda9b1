#include "kumiko/Codegen/Common/Math/Functions.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kumiko;

/// The number that all lanes hold, if it is a constant.
static std::optional<double> numberOf(Term term) {
  Value value = term.get();
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<vector::BroadcastOp, arith::ExtFOp>(op))
      break;
    value = op->getOperand(0);
  }
  FloatAttr number;
  if (SplatElementsAttr splat; matchPattern(value, m_Constant(&splat)))
    number = dyn_cast<FloatAttr>(splat.getSplatValue<Attribute>());
  else if (!matchPattern(value, m_Constant(&number)))
    return std::nullopt;
  return number ? std::optional(number.getValue().convertToDouble()) : std::nullopt;
}

// A root, a product or a quotient rounds once, by 1/2 ULP. Beside a result that may be a whole ULP before the next step
// (the last place of 1.9 is worth half as much as that of 1.1), and half of it before a root. So x^0.25 is within 1
// ULP, x^1.5 and x^-0.5 within 1.5, x^0.75 and x^1.25 within 2; x^2.5 would be within 2.5.

/// x^number of a size, for numbers that are no integers.
static std::optional<Term> rootPower(Term size, double number) {
  if (!llvm::is_contained({-0.5, 0.25, 0.5, 0.75, 1.25, 1.5}, number))
    return std::nullopt;
  Term root = squareRoot(size);
  if (number == 0.5)
    return root;
  if (number == -0.5)
    return 1 / root;
  if (number == 1.5)
    return size * root;
  Term fourth = squareRoot(root);
  if (number == 0.25)
    return fourth;
  if (number == 1.25)
    return size * fourth;
  // Neither 0 nor infinity is divided by itself. NaN is not below infinity, and is returned as it is.
  Term isPlain = bitAnd(less(0, size), less(size, infinity));
  return select(isPlain, size / fourth, size);
}

std::optional<Term> kumiko::constantPower(Term base, Term exponent) {
  std::optional<double> number = numberOf(exponent);
  if (number == 2.0)
    return base * base;
  if (number == 3.0)
    return base * base * base;
  if (number == -1.0)
    return 1 / base;
  std::optional<Term> power = number ? rootPower(magnitude(base), *number) : std::nullopt;
  if (!power)
    return std::nullopt;
  // A finite negative base wants a whole exponent; -0 and -inf count as positive.
  Term negative = bitAnd(less(base, 0), less(-infinity, base));
  return select(negative, notANumber, *power);
}
