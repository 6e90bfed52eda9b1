#include "kumiko/Codegen/Common/Math/VectorMath.h"
#include "kumiko/Codegen/Common/Math/Functions.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kumiko;

std::optional<MathFunction> kumiko::mathFunctionNamed(llvm::StringRef name) {
  using F = MathFunction;
  return llvm::StringSwitch<std::optional<F>>(name)
      .Case("exp", F::Exp)
      .Case("exp2", F::Exp2)
      .Case("expm1", F::ExpM1)
      .Case("log", F::Log)
      .Case("log2", F::Log2)
      .Case("log10", F::Log10)
      .Case("log1p", F::Log1p)
      .Case("sqrt", F::Sqrt)
      .Case("sin", F::Sin)
      .Case("cos", F::Cos)
      .Case("tan", F::Tan)
      .Case("asin", F::Asin)
      .Case("acos", F::Acos)
      .Case("atan", F::Atan)
      .Case("atan2", F::Atan2)
      .Case("sinh", F::Sinh)
      .Case("cosh", F::Cosh)
      .Case("tanh", F::Tanh)
      .Case("asinh", F::Asinh)
      .Case("acosh", F::Acosh)
      .Case("atanh", F::Atanh)
      .Case("erf", F::Erf)
      .Case("sigmoid", F::Sigmoid)
      .Case("pow", F::Pow)
      .Case("rem", F::Rem)
      .Default(std::nullopt);
}

std::optional<MathFunction> kumiko::mathFunctionOf(Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  // A square root is an instruction.
  if (!name.consume_front("math.") || name == "sqrt")
    return std::nullopt;
  return mathFunctionNamed(name == "powf" ? "pow" : name);
}

Type kumiko::withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

unsigned kumiko::argumentCount(MathFunction function) {
  using F = MathFunction;
  return function == F::Atan2 || function == F::Pow || function == F::Rem ? 2 : 1;
}

namespace {
using Unary = Term (*)(Term);
using Binary = Term (*)(Term, Term);

/// The expansions for f32 and f64.
template <typename Function> struct Expansions {
  Function single = nullptr, wide = nullptr;
};
} // namespace

static Expansions<Unary> unaryExpansions(MathFunction function) {
  switch (function) {
  case MathFunction::Exp:
    return {expand::exp, expand64::exp};
  case MathFunction::Exp2:
    return {expand::exp2, expand64::exp2};
  case MathFunction::ExpM1:
    return {expand::expM1, expand64::expM1};
  case MathFunction::Log:
    return {expand::log, expand64::log};
  case MathFunction::Log2:
    return {expand::log2, expand64::log2};
  case MathFunction::Log10:
    return {expand::log10, expand64::log10};
  case MathFunction::Log1p:
    return {expand::log1p, expand64::log1p};
  case MathFunction::Sqrt:
    return {squareRoot, squareRoot};
  case MathFunction::Sin:
    return {expand::sin, expand64::sin};
  case MathFunction::Cos:
    return {expand::cos, expand64::cos};
  case MathFunction::Tan:
    return {expand::tan, expand64::tan};
  case MathFunction::Asin:
    return {expand::asin, expand64::asin};
  case MathFunction::Acos:
    return {expand::acos, expand64::acos};
  case MathFunction::Atan:
    return {expand::atan, expand64::atan};
  case MathFunction::Sinh:
    return {expand::sinh, expand64::sinh};
  case MathFunction::Cosh:
    return {expand::cosh, expand64::cosh};
  case MathFunction::Tanh:
    return {expand::tanh, expand64::tanh};
  case MathFunction::Asinh:
    return {expand::asinh, expand64::asinh};
  case MathFunction::Acosh:
    return {expand::acosh, expand64::acosh};
  case MathFunction::Atanh:
    return {expand::atanh, expand64::atanh};
  case MathFunction::Erf:
    return {expand::erf, expand64::erf};
  case MathFunction::Sigmoid:
    return {expand::sigmoid, expand64::sigmoid};
  case MathFunction::Atan2:
  case MathFunction::Pow:
  case MathFunction::Rem:
    break;
  }
  llvm_unreachable("a function of two arguments");
}

static Expansions<Binary> binaryExpansions(MathFunction function) {
  if (function == MathFunction::Atan2)
    return {expand::atan2, expand64::atan2};
  if (function == MathFunction::Pow)
    return {expand::pow, expand64::pow};
  return {expand::rem, expand64::rem};
}

bool kumiko::hasVectorMath(MathFunction function, Type element, bool fma) {
  if (!element.isF64())
    return element.isF32();
  return fma || (function != MathFunction::Pow && function != MathFunction::Rem);
}

Value kumiko::emitVectorMath(OpBuilder &builder, Location loc, MathFunction function, ValueRange arguments) {
  assert(arguments.size() == argumentCount(function) && "wrong number of arguments");
  bool wide = getElementTypeOrSelf(arguments[0].getType()).isF64();
  TermEmitter emitter{builder, loc};
  Term x(emitter, arguments[0]);
  if (argumentCount(function) == 1) {
    auto [ofSingle, ofDouble] = unaryExpansions(function);
    return (wide ? ofDouble : ofSingle)(x).get();
  }
  Term y(emitter, arguments[1]);
  if (std::optional<Term> power = function == MathFunction::Pow ? constantPower(x, y) : std::nullopt)
    return power->get();
  auto [ofSingle, ofDouble] = binaryExpansions(function);
  return (wide ? ofDouble : ofSingle)(x, y).get();
}
