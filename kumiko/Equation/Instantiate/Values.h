//===- Values.h - the right side of a statement as typed expressions -------===//
//
// Types. A value is *strong* when its type comes from a tensor or a conversion, and *weak* when it is made of literals,
// attributes and indices; weak values adopt the type they meet. Weak integers have type Index, weak reals F64.
// f16, bf16 and the smaller floats compute as f32: `Typed::type` says what the text sees (f16), the expression itself
// is f32, converted after the read and back when stored.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instantiate/ExprFactory.h"
#include "kumiko/Equation/Instantiate/Solver.h"

namespace kumiko::eq {

struct Typed {
  const Expr *expr = nullptr;
  ElementType type = ElementType::Invalid;
  bool weak = false;
  /// Comes from the `else` of an operand that is absent: `s + (bias(f) else 0)` is then `s`.
  bool absent = false;
};

/// The type that arithmetic on `type` is done in.
ElementType computeType(ElementType type);

class ValueBuilder {
public:
  explicit ValueBuilder(Solver &solver) : solver(solver), context(solver.context), make(solver.context.instance) {}

  /// `element` is that of the pack item around the node.
  Typed build(const Node &node, int element = -1);
  /// An index expression, of type Index.
  const Expr *index(const Node &node, int element = -1);
  const Expr *condition(const Node &node, int element = -1);
  /// The index of one position of an index list, for a dimension of this extent.
  const Expr *position(const Entry &entry, int element, const Extent &extent);

  /// The largest value of an index; nothing when it is not known.
  std::optional<Extent> highest(const Expr &index);

  /// The value in the type of a target. With `combined` it stays in the type that the reduction computes in.
  const Expr *stored(const Typed &value, ElementType type, bool combined, llvm::StringRef target);

private:
  // Values.cpp
  Typed weakInteger(const Extent &value) { return {make.extent(value), ElementType::Index, true}; }
  Typed weakReal(double value) { return {make.real(ElementType::F64, value), ElementType::F64, true}; }
  Typed truth(bool value) { return {make.boolean(value), ElementType::B1}; }
  Typed placeholder() { return weakInteger(0); }
  Typed constant(const Node &node, int element);
  Typed name(const Node &node, int element);
  Typed tuple(const Node &node, int element);
  Typed select(const Node &node, int element);
  Typed unary(const Node &node, int element);
  Typed binary(const Node &node, int element);

  // Reads.cpp
  Typed read(const Node &node, int element);
  Typed absentRead(const Node &node, int element);
  const Expr *otherwise(const Node &read, ElementType type, int element);
  Typed rowMajorPosition(const Node &read, int element);

  // Calls.cpp
  Typed call(const Node &node, int element);
  Typed conversion(const Node &node, int element);
  Typed limit(const Node &node, bool highest);
  Typed all(const Node &node);
  Typed valueCall(const Node &node, int element);

  // Apply.cpp
  Typed apply(Function function, const Typed &a, const Node &node);
  Typed apply(Function function, const Typed &a, const Typed &b, const Node &node);
  Typed power(const Typed &a, const Typed &b, const Node &node);
  std::optional<Typed> withoutAbsent(Function function, const Typed &a, const Typed &b);
  bool accepts(Function function, ElementType type) const;

  // Types.cpp
  Typed adopt(const Typed &value, ElementType type, const Node &node);
  Typed asReal(const Typed &value);
  bool unify(Typed &a, Typed &b, const Node &node);
  Typed convert(const Typed &value, ElementType type);
  bool fits(int64_t value, ElementType type) const;
  llvm::StringRef textOf(const Node &node) const;

  // Bounds.cpp
  struct Range {
    std::optional<Extent> low, high;
  };
  /// A check at run time that small <= large, unless that is known.
  void checkBound(const Extent &small, const Extent &large);
  bool staysInside(const Expr &index, const Extent &extent, Range &range);
  Range rangeOf(const Expr &index);
  Range rangeOfApply(const Expr &index);
  static Range rangeOfProduct(const Range &a, const Range &b);
  Range affineRange(const Expr &index);
  bool checkInside(const Node &read, const Entry &entry, int element, const Expr &index, const Extent &extent);
  std::string shorterRange(const Expr &index, const Range &range);
  bool statementIsEmpty() const;

  Solver &solver;
  OpContext &context;

public:
  ExprFactory make;
};

} // namespace kumiko::eq
