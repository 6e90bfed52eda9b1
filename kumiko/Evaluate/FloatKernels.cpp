//===- FloatKernels.cpp - functions of floats --------------------------------------===//
#include "kumiko/Evaluate/LaneLoops.h"

using namespace kumiko;
using namespace kumiko::eval;
using eq::Function;

/// Written so that exp never overflows.
template <typename T> static T sigmoid(T x) {
  T small = std::exp(-std::fabs(x));
  return x >= 0 ? 1 / (1 + small) : x < 0 ? small / (1 + small) : x;
}

template <typename T> static T sign(T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x; }

/// The remainder with the sign of the divisor.
template <typename T> static T floorRemainder(T a, T b) {
  T rest = std::fmod(a, b);
  if (rest == 0)
    return std::copysign(rest, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

template <typename T, auto rule> static constexpr LaneKernel unary = unaryLoop<T, T, rule>;
template <typename T, auto rule> static constexpr LaneKernel binary = binaryLoop<T, T, rule>;

template <typename T> static LaneKernel pickUnary(Function function) {
  switch (function) {
  case Function::Neg:
    return unary<T, [](T x) { return -x; }>;
  case Function::Abs:
    return unary<T, [](T x) { return std::fabs(x); }>;
  case Function::Sign:
    return unary<T, sign<T>>;
  case Function::Floor:
    return unary<T, [](T x) { return std::floor(x); }>;
  case Function::Ceil:
    return unary<T, [](T x) { return std::ceil(x); }>;
  case Function::Round: // to nearest, ties to even: the mode of the machine is never changed
    return unary<T, [](T x) { return std::nearbyint(x); }>;
  case Function::Sqrt:
    return unary<T, [](T x) { return std::sqrt(x); }>;
  case Function::Exp:
    return unary<T, [](T x) { return std::exp(x); }>;
  case Function::Log:
    return unary<T, [](T x) { return std::log(x); }>;
  case Function::Log1p:
    return unary<T, [](T x) { return std::log1p(x); }>;
  case Function::Expm1:
    return unary<T, [](T x) { return std::expm1(x); }>;
  case Function::Sin:
    return unary<T, [](T x) { return std::sin(x); }>;
  case Function::Cos:
    return unary<T, [](T x) { return std::cos(x); }>;
  case Function::Tan:
    return unary<T, [](T x) { return std::tan(x); }>;
  case Function::Asin:
    return unary<T, [](T x) { return std::asin(x); }>;
  case Function::Acos:
    return unary<T, [](T x) { return std::acos(x); }>;
  case Function::Atan:
    return unary<T, [](T x) { return std::atan(x); }>;
  case Function::Sinh:
    return unary<T, [](T x) { return std::sinh(x); }>;
  case Function::Cosh:
    return unary<T, [](T x) { return std::cosh(x); }>;
  case Function::Tanh:
    return unary<T, [](T x) { return std::tanh(x); }>;
  case Function::Asinh:
    return unary<T, [](T x) { return std::asinh(x); }>;
  case Function::Acosh:
    return unary<T, [](T x) { return std::acosh(x); }>;
  case Function::Atanh:
    return unary<T, [](T x) { return std::atanh(x); }>;
  case Function::Erf:
    return unary<T, [](T x) { return std::erf(x); }>;
  case Function::Sigmoid:
    return unary<T, sigmoid<T>>;
  default:
    return nullptr;
  }
}

template <typename T> static LaneKernel pickBinary(Function function) {
  switch (function) {
  case Function::Add:
    return binary<T, [](T a, T b) { return a + b; }>;
  case Function::Sub:
    return binary<T, [](T a, T b) { return a - b; }>;
  case Function::Mul:
    return binary<T, [](T a, T b) { return a * b; }>;
  case Function::Div:
    return binary<T, [](T a, T b) { return a / b; }>;
  case Function::Mod:
    return binary<T, floorRemainder<T>>;
  case Function::Rem:
    return binary<T, [](T a, T b) { return std::fmod(a, b); }>;
  case Function::FloorDiv:
    return binary<T, [](T a, T b) { return std::floor(a / b); }>;
  case Function::CeilDiv:
    return binary<T, [](T a, T b) { return std::ceil(a / b); }>;
  case Function::Pow:
    return binary<T, [](T a, T b) { return std::pow(a, b); }>;
  case Function::Atan2:
    return binary<T, [](T a, T b) { return std::atan2(a, b); }>;
  case Function::Max:
    return binary<T, floatMax<T>>;
  case Function::Min:
    return binary<T, floatMin<T>>;
  default:
    return nullptr;
  }
}

template <typename T> static LaneKernel pick(Function function) {
  LaneKernel kernel = pickUnary<T>(function);
  return kernel ? kernel : pickBinary<T>(function);
}

LaneKernel eval::floatKernel(Function function, Carrier carrier) {
  return carrier == Carrier::F32 ? pick<float>(function) : pick<double>(function);
}
