//===- Rule.h - equations between equations --------------------------------===//
//
// A rewrite rule is an equation between two terms over ops, with the class of the change in front of it:
//
//   # A factor of 1 changes nothing.
//   exact neutral_mul: mul(x, 1) = x
//   exact transpose_twice: transpose(transpose(x, perm: p), perm: q) = transpose(x, perm: p[q])
//   rounding divide_by_constant: div(x, c) = mul(x, div(1, c)) when float(x), invertible(c)
//
// Terms: a lower-case name is a tensor, a number a constant with that value everywhere, `name: value` an attribute, a
// capital letter any op that works element by element, and `...` the operands and attributes that are not named (on the
// right: those of the op of the same name on the left). An attribute that is not named has its default. Ops that
// commute, by their own equation, are matched both ways.
//
// What a term cannot say is C++; such a rule has a title instead, and names its pass and its test:
//
//   rounding fold_batch_norm: "conv(x, w) * a + b = conv(x, a * w, b)" by "nn-fold-batch-norm" tested "fold-batch-norm"
//
// A `try` clause gives the tests of a rule shapes and attributes that random search would not find.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Parser.h"
#include <vector>

namespace kumiko::eq {

/// What a rewrite may change; each includes those before it (DESIGN: every change declares its class).
enum class RuleClass : uint8_t { Exact, Rounding, Approximate, Lossy };
llvm::StringRef nameOf(RuleClass kind);
std::optional<RuleClass> ruleClassNamed(llvm::StringRef name);

/// The value of an attribute, or an argument of a condition.
struct RuleValue {
  enum class Kind : uint8_t {
    Name,    ///< `text`: a variable, or in conditions a tensor
    Integer, ///< `integer`; for a list: every entry
    Bool,    ///< `integer`
    String,  ///< `text` without quotes
    List,    ///< [operands]
    Pick,    ///< operands[0][operands[1]]: entries of the first at the positions of the second
    Binary,  ///< operands[0] `op` operands[1], entry by entry; a number repeats
    Call,    ///< `text`(operands)
  };
  Kind kind = Kind::Integer;
  int64_t integer = 0;
  char op = '+';
  llvm::StringRef text;
  std::vector<RuleValue> operands;
  SourceRange range;
};

struct RuleTerm {
  enum class Kind : uint8_t {
    Variable, ///< `name`
    Number,   ///< `number`
    Apply,    ///< `name`(operands, attributes)
  };
  struct Attribute {
    llvm::StringRef name;
    RuleValue value;
  };
  Kind kind = Kind::Variable;
  llvm::StringRef name;
  double number = 0;
  std::vector<RuleTerm> operands;
  std::vector<Attribute> attributes;
  /// Ends with `...`.
  bool rest = false;
  SourceRange range;

  /// Any op that works element by element.
  bool isOpVariable() const { return kind == Kind::Apply && name.front() >= 'A' && name.front() <= 'Z'; }
  /// A view: an op without an equation, whose shape is that of the whole term.
  bool isReshape() const { return kind == Kind::Apply && name == "reshape"; }
};

struct RuleCondition {
  llvm::StringRef name;
  std::vector<RuleValue> arguments;
  SourceRange range;
  llvm::StringRef text; ///< as written
};

struct RuleDef {
  RuleClass kind = RuleClass::Exact;
  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef, 2> doc;
  /// Both are there unless the rule is C++.
  RuleTerm left, right;
  std::vector<RuleCondition> when;
  std::vector<RuleTerm::Attribute> samples;
  /// `left = right`, as written.
  llvm::StringRef title;
  /// Of a rule in C++: the flag of its pass, and its test.
  llvm::StringRef pass, test;
  SourceRange range;
  std::shared_ptr<const SourceFile> file;

  bool isCode() const { return !pass.empty(); }
};

struct RuleFile {
  std::vector<RuleDef> rules;
  /// For its messages; it has no ops.
  ParseResult parsed;
};

/// Reads a file of rules. Names of ops and attributes are checked by `checkRules`.
RuleFile parseRules(llvm::StringRef name, llvm::StringRef text);

/// Ops that exist, with as many operands as they take and attributes that they have; every name on the right is bound
/// on the left; no name twice. Adds to the messages of `file`.
void checkRules(RuleFile &file, llvm::ArrayRef<OpDef> ops);

/// y(i...) = f(a(i...), b(i...), ...): one statement in which every tensor is read and written at the same point.
bool isElementwise(const OpDef &op);
/// Elementwise with two operands that may be swapped: f(a, b) = f(b, a).
bool isCommutative(const OpDef &op);

} // namespace kumiko::eq
