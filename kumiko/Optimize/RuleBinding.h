//===- RuleBinding.h - what the names of a rule stand for ------------------===//
#pragma once
#include "kumiko/Equation/Rule.h"
#include "kumiko/Extents/Extent.h"
#include "mlir/IR/Operation.h"

namespace kumiko::optimize {

/// Found by matching the left side of a rule, read by its conditions and its right side.
struct RuleBinding {
  template <typename T> using Named = llvm::SmallVector<std::pair<llvm::StringRef, T>, 4>;

  mlir::Operation *root = nullptr;
  Named<mlir::Value> values;
  Named<mlir::Attribute> attributes;
  /// The op that a name in the rule stands for; capital letters too.
  Named<mlir::Operation *> ops;
  /// All matched ops but the root.
  llvm::SmallVector<mlir::Operation *, 4> inner;

  mlir::Value value(llvm::StringRef name) const { return find(values, name); }
  mlir::Attribute attribute(llvm::StringRef name) const { return find(attributes, name); }
  mlir::Operation *op(llvm::StringRef name) const { return find(ops, name); }

private:
  template <typename T> static T find(const Named<T> &list, llvm::StringRef name) {
    for (const auto &[key, value] : list)
      if (key == name)
        return value;
    return {};
  }
};

/// The value of an attribute while a rule computes with it: a number, a list of numbers, or anything else.
struct RuleNumber {
  llvm::SmallVector<Extent, 4> numbers;
  bool isList = false;
  mlir::Attribute other;
};

/// Nothing when it does not make sense: a position outside of a list, lists of different lengths.
std::optional<RuleNumber> evaluate(const eq::RuleValue &value, const RuleBinding &binding);
/// As an op stores an attribute of this kind; null when it is none.
mlir::Attribute evaluate(const eq::RuleValue &value, eq::AttributeKind kind, const RuleBinding &binding);

/// Whether a condition holds. The conditions are the table in RuleConditions.cpp.
bool holds(const eq::RuleCondition &condition, const RuleBinding &binding);
bool isCondition(llvm::StringRef name);

} // namespace kumiko::optimize
