//===- Definition.h - what the generator and the dialect must agree on -----===//
//
// Header only: the generator runs before the dialect's library exists.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "kumiko/Equation/Instance.h"
#include "llvm/ADT/STLExtras.h"

namespace kumiko::nn {

/// With two or more operands of varying number the op must say how many each has (`operandSegmentSizes`); with one, the
/// total says it.
inline bool needsSegments(const eq::OpDef &op) {
  return llvm::count_if(op.operands,
                        [](const eq::TensorDef &operand) { return operand.optional || operand.variadic; }) > 1;
}

/// The default of an attribute as a value of its kind; nothing when it has none, or one that is not a literal of that
/// kind.
inline std::optional<eq::Attribute> defaultOf(const eq::AttributeDef &attribute) {
  const eq::Node *node = attribute.defaultValue;
  if (!node)
    return std::nullopt;
  bool negative = node->kind == eq::Node::Kind::Unary && node->op == eq::Operator::Neg;
  if (negative)
    node = node->operands[0];
  bool integer = node->kind == eq::Node::Kind::Integer, real = node->kind == eq::Node::Kind::Real;
  switch (attribute.kind) {
  case eq::AttributeKind::Int:
    if (integer)
      return negative ? -node->integer : node->integer;
    return std::nullopt;
  case eq::AttributeKind::Float:
    if (integer || real) {
      double value = integer ? static_cast<double>(node->integer) : node->real;
      return negative ? -value : value;
    }
    return std::nullopt;
  case eq::AttributeKind::Bool:
    if (node->kind == eq::Node::Kind::Bool && !negative)
      return node->integer != 0;
    return std::nullopt;
  case eq::AttributeKind::Str:
  case eq::AttributeKind::Combine:
    if (node->kind == eq::Node::Kind::String)
      return node->text.str();
    return std::nullopt;
  case eq::AttributeKind::Type:
    if (node->kind == eq::Node::Kind::String || node->kind == eq::Node::Kind::Name)
      if (std::optional<ElementType> type = elementTypeNamed(node->text))
        return *type;
    return std::nullopt;
  case eq::AttributeKind::Ints:
  case eq::AttributeKind::Floats:
    return std::nullopt; // the notation has no literal for lists
  }
  return std::nullopt;
}

} // namespace kumiko::nn
