//===- OpContext.h - an op and what it is applied to -----------------------===//
#pragma once
#include "kumiko/Equation/Builtin.h"
#include "kumiko/Equation/Instantiate.h"
#include "kumiko/Equation/Instantiate/Constant.h"

namespace kumiko::eq {

/// A tensor of the op while it is instantiated.
struct TensorState {
  /// Given, or assigned by a statement that was solved.
  bool known = false;
  /// Number in Instance::tensors; the first of `count` for a variadic operand.
  unsigned first = 0;
  unsigned count = 1;
};

/// State that outlives a statement: types, attributes, the instance under construction, and the first error.
///
/// After an error everything keeps running on placeholder values until somebody asks `failed`; that keeps the solving
/// code free of checks after each step, and the first message is the one that counts.
class OpContext {
public:
  /// `resultsWanted` as in Application; it replaces the one there.
  OpContext(const OpDef &op, const Application &application, llvm::ArrayRef<bool> resultsWanted)
      : op(op), application(application), resultsWanted(resultsWanted) {}

  /// Operands, attributes and type variables (Bind.cpp). False after an error.
  bool bind();

  /// Records the first error.
  void fail(const llvm::Twine &message);
  bool failed() const { return hasFailed; }
  /// The error, with the op's name and the statement it was found in.
  llvm::Error takeError() const;

  /// The type of a tensor that is known; null for one that is absent or not known.
  const TensorType *typeOf(unsigned tensor, unsigned nth = 0) const;
  bool isVariadic(unsigned tensor) const;
  ElementType resolve(const TypeRef &type) const;
  /// The type that a node of binding Type or an attribute of type `type` stands for.
  ElementType resolveType(const Node &node) const;

  /// The value of a constant expression; None when it is not known (a tensor without type, symbols in a comparison).
  /// With `report`, a None is an error.
  Constant evaluate(const Node &node, bool report = true);
  /// Like it, as a list of extents: a single number is a list of one.
  Constant evaluateInts(const Node &node);

  const OpDef &op;
  const Application &application;
  llvm::ArrayRef<bool> resultsWanted;
  Instance instance;
  llvm::SmallVector<TensorState, 8> tensors; ///< by OpDef::tensors
  llvm::SmallVector<Constant, 6> attributes; ///< by OpDef::attributes
  llvm::SmallVector<ElementType, 2> typeVariables;
  /// The statement at work, for messages.
  const StatementDef *statement = nullptr;
  /// The number of the variadic operand that the statement is unrolled for.
  unsigned variadicNumber = 0;

private:
  bool bindOperands();
  bool bindOperand(unsigned operand, unsigned given, unsigned count);
  bool bindType(unsigned operand, const TensorType &type);
  bool bindAttributes();
  bool bindAttribute(const AttributeDef &attribute, const Attribute &value, Constant &constant);
  void bindDefault(const AttributeDef &attribute, Constant &constant);
  void addResults();

  Constant evaluateName(const Node &node);
  Constant evaluateCall(const Node &node);
  Constant evaluateShape(const Node &node);
  Constant evaluateOffset(const Node &node);
  Constant evaluateDrop(const Node &node);
  Constant evaluateValueCall(const Node &node);
  Constant quiet(const Node &node);

  /// The sum of dimension `axis` of the first `number` operands of the variadic operand.
  struct {
    int64_t axis = -1;
    int64_t number = 0;
    Extent sum;
  } offset;
  bool hasFailed = false;
  std::string message;
  const StatementDef *failedStatement = nullptr;
};

} // namespace kumiko::eq
