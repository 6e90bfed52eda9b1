#include "kumiko/Codegen/Cpu/Math/VectorMath.h"
#include "kumiko/Codegen/Cpu/Math/Functions.h"
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

static Term expandUnary(MathFunction function, Term x) {
  switch (function) {
  case MathFunction::Exp:
    return expand::exp(x);
  case MathFunction::Exp2:
    return expand::exp2(x);
  case MathFunction::ExpM1:
    return expand::expM1(x);
  case MathFunction::Log:
    return expand::log(x);
  case MathFunction::Log2:
    return expand::log2(x);
  case MathFunction::Log10:
    return expand::log10(x);
  case MathFunction::Log1p:
    return expand::log1p(x);
  case MathFunction::Sqrt:
    return squareRoot(x);
  case MathFunction::Sin:
    return expand::sin(x);
  case MathFunction::Cos:
    return expand::cos(x);
  case MathFunction::Tan:
    return expand::tan(x);
  case MathFunction::Asin:
    return expand::asin(x);
  case MathFunction::Acos:
    return expand::acos(x);
  case MathFunction::Atan:
    return expand::atan(x);
  case MathFunction::Sinh:
    return expand::sinh(x);
  case MathFunction::Cosh:
    return expand::cosh(x);
  case MathFunction::Tanh:
    return expand::tanh(x);
  case MathFunction::Asinh:
    return expand::asinh(x);
  case MathFunction::Acosh:
    return expand::acosh(x);
  case MathFunction::Atanh:
    return expand::atanh(x);
  case MathFunction::Erf:
    return expand::erf(x);
  case MathFunction::Sigmoid:
    return expand::sigmoid(x);
  case MathFunction::Atan2:
  case MathFunction::Pow:
  case MathFunction::Rem:
    break;
  }
  llvm_unreachable("a function of two arguments");
}

Value kumiko::emitVectorMath(OpBuilder &builder, Location loc, MathFunction function, ValueRange arguments) {
  assert(arguments.size() == argumentCount(function) && "wrong number of arguments");
  assert(getElementTypeOrSelf(arguments[0].getType()).isF32() && "only f32 has expansions");
  TermEmitter emitter{builder, loc};
  Term x(emitter, arguments[0]);
  if (function == MathFunction::Atan2)
    return expand::atan2(x, Term(emitter, arguments[1])).get();
  if (function == MathFunction::Pow)
    return expand::pow(x, Term(emitter, arguments[1])).get();
  if (function == MathFunction::Rem)
    return expand::rem(x, Term(emitter, arguments[1])).get();
  return expandUnary(function, x).get();
}
