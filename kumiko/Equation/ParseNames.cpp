//===- ParseNames.cpp - names in expressions: reads, calls, attributes, indices =//
#include "kumiko/Equation/OpParser.h"

namespace kumiko::eq {

const Node *OpParser::read(llvm::StringRef name, unsigned tensor, SourceRange range) {
  Node result{Node::Kind::Read};
  result.binding = Node::Binding::Tensor;
  result.number = tensor;
  result.serial = readCount++;
  result.text = name;
  result.range = range;
  if (eat("[")) {
    result.nth = constantExpression();
    if (!result.nth || !need("]"))
      return nullptr;
  }
  if (eat("(")) {
    llvm::SmallVector<Item, 4> list;
    if (!items(list))
      return nullptr;
    result.items = file.copy<Item>(list);
  }
  return node(result);
}

const Node *OpParser::typeNode(llvm::StringRef name, SourceRange range) {
  Node result{Node::Kind::Name};
  result.text = name;
  result.range = range;
  result.constant = true;
  if (auto attribute = scope.attribute(name); attribute && scope.attributes[*attribute].kind == AttributeKind::Type) {
    result.binding = Node::Binding::Attribute;
    result.number = *attribute;
    return node(result);
  }
  result.binding = Node::Binding::Type;
  if (auto element = elementTypeNamed(name)) {
    result.integer = static_cast<int64_t>(*element);
    return node(result);
  }
  auto variable = scope.typeVariable(name);
  if (!variable)
    return nullptr;
  result.number = *variable;
  return node(result);
}

const Node *OpParser::call(llvm::StringRef name, SourceRange range) {
  // A type as a function is a conversion: T(x), f32(x), acc(x).
  const Node *type = typeNode(name, range);
  const BuiltinInfo *info = type ? nullptr : findBuiltin(name);
  if (!type && !info) {
    llvm::SmallVector<llvm::StringRef> known(builtinNames());
    for (const TensorSymbol &tensor : scope.tensors)
      known.push_back(tensor.name);
    llvm::StringRef similar = nearest(name, known);
    if (scope.attribute(name))
      sink.error(range, "'" + name + "' is an attribute, not a function", "multiply with `*`");
    else if (!similar.empty())
      sink.error(range, "unknown function '" + name + "'", "did you mean '" + similar + "'?");
    else
      sink.error(range, "unknown function '" + name + "'", "a tensor is read only after a statement has assigned it");
  }
  ++position; // the parenthesis
  bool constantArguments = info && isShapeFunction(info->builtin);
  constantContext += constantArguments;
  llvm::SmallVector<Item, 4> list;
  bool good = items(list);
  constantContext -= constantArguments;
  if (!good)
    return nullptr;

  Node result{Node::Kind::Call};
  result.text = name;
  result.range = range;
  result.items = file.copy<Item>(list);
  if (type) {
    result.binding = type->binding;
    result.number = type->number;
    result.integer = type->integer;
    result.builtin = Builtin::Cast;
  } else if (info) {
    result.builtin = info->builtin;
    result.integer = static_cast<int64_t>(info->function);
  }
  // `dim(x, 0)` names x without reading it.
  auto arguments = result.items.drop_front(namesTensor(result.builtin) && !list.empty() ? 1 : 0);
  result.constant =
      result.builtin != Builtin::Pos && llvm::all_of(arguments, [](const Item &i) { return i.value->constant; });
  return node(result);
}

const Node *OpParser::nameAlone(llvm::StringRef name, SourceRange range) {
  Node result{Node::Kind::Name};
  result.text = name;
  result.range = range;
  if (auto attribute = scope.attribute(name)) {
    result.binding = Node::Binding::Attribute;
    result.number = *attribute;
    result.constant = true;
    const Node *list = node(result);
    if (!eat("["))
      return list;
    const Node *position = constantExpression();
    if (!position || !need("]"))
      return nullptr;
    Node element{Node::Kind::Element};
    element.operands = file.copy<const Node *>({list, position});
    element.constant = true;
    element.range = range;
    return node(element);
  }
  if (const Node *type = typeNode(name, range))
    return type;
  auto known = scope.index(name);
  if (constantContext && !(known && scope.indices[*known].variadicNumber)) {
    llvm::SmallVector<llvm::StringRef> names;
    for (const AttributeDef &attribute : scope.attributes)
      names.push_back(attribute.name);
    llvm::StringRef similar = nearest(name, names);
    sink.error(range, "'" + name + "' is not an attribute",
               similar.empty() ? "only attributes and shapes are known here, not indices"
                               : "did you mean '" + similar.str() + "'?");
  }
  result.binding = Node::Binding::Index;
  if (known && scope.indices[*known].variadicNumber) {
    result.number = *known;
    result.constant = true;
  } else if (!constantContext) {
    result.number = scope.useIndex(name, range);
  }
  return node(result);
}

} // namespace kumiko::eq
