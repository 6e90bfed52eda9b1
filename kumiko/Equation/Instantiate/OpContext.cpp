#include "kumiko/Equation/Instantiate/OpContext.h"

namespace kumiko::eq {

void OpContext::fail(const llvm::Twine &text) {
  if (hasFailed)
    return;
  hasFailed = true;
  message = text.str();
  failedStatement = statement;
}

llvm::Error OpContext::takeError() const {
  if (failedStatement)
    return llvm::createStringError(op.name + ": " + message + ", in `" + failedStatement->text + "`");
  return llvm::createStringError(op.name + ": " + message);
}

const TensorType *OpContext::typeOf(unsigned tensor, unsigned nth) const {
  const TensorState &state = tensors[tensor];
  if (!state.known || nth >= state.count || !instance.tensors[state.first + nth].present)
    return nullptr;
  return &instance.tensors[state.first + nth].type;
}

bool OpContext::isVariadic(unsigned tensor) const {
  const TensorSymbol &symbol = op.tensors[tensor];
  return symbol.role == TensorSymbol::Role::Operand && op.operands[symbol.number].variadic;
}

ElementType OpContext::resolve(const TypeRef &type) const {
  switch (type.kind) {
  case TypeRef::Kind::Element:
    return type.element;
  case TypeRef::Kind::Variable:
    return typeVariables[type.number];
  case TypeRef::Kind::Attribute:
    return attributes[type.number].type;
  }
  return ElementType::Invalid;
}

ElementType OpContext::resolveType(const Node &node) const {
  if (node.kind == Node::Kind::String)
    return elementTypeNamed(node.text).value_or(ElementType::Invalid);
  if (node.binding == Node::Binding::Attribute)
    return attributes[node.number].type;
  if (node.binding == Node::Binding::Type)
    return node.integer ? static_cast<ElementType>(node.integer) : typeVariables[node.number];
  return ElementType::Invalid;
}

} // namespace kumiko::eq
