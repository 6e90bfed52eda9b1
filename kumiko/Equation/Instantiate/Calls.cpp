#include "kumiko/Equation/Instantiate/Values.h"
#include <limits>

namespace kumiko::eq {

Typed ValueBuilder::call(const Node &node, int element) {
  if (isShapeFunction(node.builtin))
    return constant(node, element);
  switch (node.builtin) {
  case Builtin::Cast:
    return conversion(node, element);
  case Builtin::Lowest:
  case Builtin::Highest:
    return limit(node, node.builtin == Builtin::Highest);
  case Builtin::Pos:
    return rowMajorPosition(*node.items[0].value, element);
  case Builtin::All:
    return all(node);
  case Builtin::Clamp: {
    Typed value = build(*node.items[0].value, element), low = build(*node.items[1].value, element);
    Typed high = build(*node.items[2].value, element);
    return apply(Function::Min, apply(Function::Max, value, low, node), high, node);
  }
  case Builtin::Wrap: {
    // i < 0 ? i + n : i
    Typed value = build(*node.items[0].value, element), length = build(*node.items[1].value, element);
    Typed negative = apply(Function::Lt, value, weakInteger(0), node);
    Typed shifted = apply(Function::Add, value, length, node);
    if (context.failed() || !unify(value, shifted, node))
      return placeholder();
    return {make.select(negative.expr, shifted.expr, value.expr), value.type, value.weak};
  }
  default:
    return valueCall(node, element);
  }
}

/// cast(x, t), T(x), f32(x).
Typed ValueBuilder::conversion(const Node &node, int element) {
  bool asFunction = node.binding != Node::Binding::None;
  const Node &typeNode = asFunction ? node : *node.items[1].value;
  ElementType type = context.resolveType(typeNode);
  if (type == ElementType::Invalid) {
    context.fail("the type '" + typeNode.text + "' is not known here");
    return placeholder();
  }
  return convert(build(*node.items[0].value, element), type);
}

Typed ValueBuilder::limit(const Node &node, bool highest) {
  ElementType type = context.resolveType(*node.items[0].value);
  if (isFloat(type)) {
    double infinity = std::numeric_limits<double>::infinity();
    return {make.real(computeType(type), highest ? infinity : -infinity), type};
  }
  if (type == ElementType::B1)
    return truth(highest);
  if (!isInteger(type)) {
    context.fail("the type in '" + textOf(node) + "' is not known here");
    return placeholder();
  }
  // The largest number that `fits`, found from the widest one; for u64 it is the pattern of all ones.
  int64_t value = highest ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
  if (isUnsigned(type) && !highest)
    value = 0;
  else if (type == ElementType::U64)
    value = -1;
  while (type != ElementType::U64 && !fits(value, type))
    value >>= 1;
  return {make.integer(type, value), type};
}

/// all(c...): the conjunction over the elements of the pack.
Typed ValueBuilder::all(const Node &node) {
  const Item &item = node.items[0];
  Typed result = truth(true);
  for (unsigned element = 0, count = solver.itemRank(item).value_or(0); element < count; ++element) {
    const Expr *part = condition(*item.value, static_cast<int>(element));
    bool neutral = isNumber(*result.expr, 1);
    result.expr = neutral ? part : make.apply(Function::And, ElementType::B1, {result.expr, part});
  }
  return result;
}

Typed ValueBuilder::valueCall(const Node &node, int element) {
  auto function = static_cast<Function>(node.integer);
  Typed first = build(*node.items[0].value, element);
  if (node.items.size() == 1)
    return apply(function, first, node);
  Typed second = build(*node.items[1].value, element);
  return function == Function::Pow ? power(first, second, node) : apply(function, first, second, node);
}

} // namespace kumiko::eq
