//===- Constant.h - values that are known when an op is applied ------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "kumiko/Equation/Instance.h"

namespace kumiko::eq {

/// The value of an attribute, a shape, or arithmetic on them. `None` is the absence of a value.
struct Constant {
  enum class Kind : uint8_t { None, Int, Real, Bool, Str, Type, Ints, Reals };
  Kind kind = Kind::None;
  ElementType type = ElementType::Invalid;
  Extent integer; ///< Bool too, 0 or 1
  double real = 0;
  llvm::StringRef string;
  llvm::SmallVector<Extent, 4> ints;
  llvm::SmallVector<double, 0> reals;

  static Constant of(Extent value) {
    Constant result;
    result.kind = Kind::Int;
    result.integer = std::move(value);
    return result;
  }
  static Constant ofReal(double value) {
    Constant result;
    result.kind = Kind::Real;
    result.real = value;
    return result;
  }
  static Constant ofBool(bool value) {
    Constant result;
    result.kind = Kind::Bool;
    result.integer = value;
    return result;
  }
  static Constant ofList(llvm::ArrayRef<Extent> values) {
    Constant result;
    result.kind = Kind::Ints;
    result.ints.assign(values.begin(), values.end());
    return result;
  }

  explicit operator bool() const { return kind != Kind::None; }
  bool isList() const { return kind == Kind::Ints || kind == Kind::Reals; }
  size_t size() const { return kind == Kind::Ints ? ints.size() : reals.size(); }
  /// Element of a list; a scalar is every element of itself.
  Constant element(size_t position) const;
};

/// The value of `a op b`, lists element by element. None when the operation does not exist or is not decided (symbols),
/// or the lists differ in length.
Constant apply(Operator op, const Constant &a, const Constant &b);
Constant apply(Function function, const Constant &a, const Constant &b);
Constant negate(const Constant &value);

/// C++ division of extents: truncates. Symbols are dimensions, so for them it is floordiv.
Extent truncatingDiv(const Extent &a, const Extent &b);

} // namespace kumiko::eq
