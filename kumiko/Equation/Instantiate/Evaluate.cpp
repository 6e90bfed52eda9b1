//===- Evaluate.cpp - integers before the loops ----------------------------===//
#include "kumiko/Equation/Instantiate/OpContext.h"
#include <cmath>

namespace kumiko::eq {

// No list in a real op is near this; `iota` of a hostile attribute must not fill the memory.
static constexpr int64_t maxListLength = 4096;

Constant OpContext::evaluate(const Node &node, bool report) {
  Constant result = quiet(node);
  if (!report)
    return result;
  if (!result)
    fail("'" + llvm::StringRef(op.text).substr(node.range.begin - op.range.begin, node.range.end - node.range.begin) +
         "' has no value here");
  bool overflowed = result.integer.overflowed() ||
                    llvm::any_of(result.ints, [](const Extent &extent) { return extent.overflowed(); });
  if (overflowed)
    fail("'" + llvm::StringRef(op.text).substr(node.range.begin - op.range.begin, node.range.end - node.range.begin) +
         "' does not fit in 64 bits");
  return result;
}

Constant OpContext::evaluateInts(const Node &node) {
  Constant result = evaluate(node);
  if (result.kind == Constant::Kind::Int)
    return Constant::ofList(result.integer);
  if (result.kind == Constant::Kind::Ints)
    return result;
  fail("an integer is needed, not a " + llvm::Twine(result.kind == Constant::Kind::Real ? "fraction" : "word"));
  return {};
}

Constant OpContext::quiet(const Node &node) {
  switch (node.kind) {
  case Node::Kind::Integer:
    return Constant::of(node.integer);
  case Node::Kind::Real:
    return Constant::ofReal(node.real);
  case Node::Kind::Bool:
    return Constant::ofBool(node.integer != 0);
  case Node::Kind::String: {
    Constant result;
    result.kind = Constant::Kind::Str;
    result.string = node.text;
    return result;
  }
  case Node::Kind::Name:
    return evaluateName(node);
  case Node::Kind::Element: {
    Constant list = quiet(*node.operands[0]), position = quiet(*node.operands[1]);
    bool inside = list.isList() && position.kind == Constant::Kind::Int && position.integer.isStatic() &&
                  position.integer.value() >= 0;
    return inside ? list.element(position.integer.value()) : Constant();
  }
  case Node::Kind::Unary: {
    Constant value = quiet(*node.operands[0]);
    if (node.op == Operator::Neg)
      return negate(value);
    bool isNot = node.op == Operator::Not && value.kind == Constant::Kind::Bool;
    return isNot ? Constant::ofBool(value.integer.is(0)) : Constant();
  }
  case Node::Kind::Binary:
    return apply(node.op, quiet(*node.operands[0]), quiet(*node.operands[1]));
  case Node::Kind::Select: {
    Constant condition = quiet(*node.operands[0]);
    if (condition.kind != Constant::Kind::Bool)
      return {};
    return quiet(*node.operands[condition.integer.is(1) ? 1 : 2]);
  }
  case Node::Kind::Call:
    return evaluateCall(node);
  case Node::Kind::Read:
  case Node::Kind::Tuple:
    return {};
  }
  return {};
}

Constant OpContext::evaluateName(const Node &node) {
  switch (node.binding) {
  case Node::Binding::Attribute:
    return attributes[node.number];
  case Node::Binding::Index:
    return statement && statement->indices[node.number].variadicNumber ? Constant::of(variadicNumber) : Constant();
  case Node::Binding::Type: {
    Constant result;
    result.type = resolveType(node);
    result.kind = result.type == ElementType::Invalid ? Constant::Kind::None : Constant::Kind::Type;
    return result;
  }
  default:
    return {};
  }
}

Constant OpContext::evaluateCall(const Node &node) {
  switch (node.builtin) {
  case Builtin::Dim:
  case Builtin::Dims:
  case Builtin::Rank:
    return evaluateShape(node);
  case Builtin::Count:
    return Constant::of(tensors[node.items[0].value->number].count);
  case Builtin::Offset:
    return evaluateOffset(node);
  case Builtin::Present:
    return Constant::ofBool(typeOf(node.items[0].value->number) != nullptr);
  case Builtin::Prod: {
    Constant list = quiet(*node.items[0].value);
    return list.kind == Constant::Kind::Ints ? Constant::of(product(list.ints)) : Constant();
  }
  case Builtin::Iota: {
    Constant length = quiet(*node.items[0].value);
    if (length.kind != Constant::Kind::Int || !length.integer.isStatic() || length.integer.value() > maxListLength)
      return {};
    Constant result = Constant::ofList({});
    for (int64_t i = 0; i < length.integer.value(); ++i)
      result.ints.push_back(i);
    return result;
  }
  case Builtin::Drop:
    return evaluateDrop(node);
  default:
    return evaluateValueCall(node);
  }
}

/// dim(x, d), dims(x), dims(x, from), dims(x, list), rank(x).
Constant OpContext::evaluateShape(const Node &node) {
  const Node &tensor = *node.items[0].value;
  unsigned nth = 0;
  if (tensor.nth) {
    Constant number = quiet(*tensor.nth);
    if (number.kind != Constant::Kind::Int || !number.integer.isStatic() || number.integer.value() < 0)
      return {};
    nth = static_cast<unsigned>(std::min<int64_t>(number.integer.value(), maxListLength));
  }
  const TensorType *type = typeOf(tensor.number, nth);
  if (!type)
    return {};
  llvm::ArrayRef<Extent> shape = type->shape;
  if (node.builtin == Builtin::Rank)
    return Constant::of(static_cast<int64_t>(shape.size()));
  if (node.items.size() == 1)
    return Constant::ofList(shape);
  Constant which = quiet(*node.items[1].value);
  auto inside = [&](const Extent &d, size_t limit) {
    return d.isStatic() && d.value() >= 0 && static_cast<uint64_t>(d.value()) < limit;
  };
  if (which.kind == Constant::Kind::Ints) {
    Constant result = Constant::ofList({});
    for (const Extent &d : which.ints) {
      if (!inside(d, shape.size())) {
        fail("dimension " + d.str() + " of " + tensor.text + ", which has rank " + llvm::Twine(shape.size()));
        return {};
      }
      result.ints.push_back(shape[d.value()]);
    }
    return result;
  }
  if (which.kind != Constant::Kind::Int)
    return {};
  // dims(x, from) may be empty, dim(x, d) must exist.
  if (!inside(which.integer, shape.size() + (node.builtin == Builtin::Dims))) {
    fail("dimension " + which.integer.str() + " of " + tensor.text + ", which has rank " + llvm::Twine(shape.size()));
    return {};
  }
  size_t position = which.integer.value();
  return node.builtin == Builtin::Dim ? Constant::of(shape[position]) : Constant::ofList(shape.drop_front(position));
}

/// offset(xs, axis, v): where operand v begins when all are laid one after another along the axis.
Constant OpContext::evaluateOffset(const Node &node) {
  unsigned tensor = node.items[0].value->number;
  Constant axis = quiet(*node.items[1].value), number = quiet(*node.items[2].value);
  if (axis.kind != Constant::Kind::Int || number.kind != Constant::Kind::Int || !axis.integer.isStatic() ||
      !number.integer.isStatic())
    return {};
  int64_t d = axis.integer.value(), end = std::min<int64_t>(number.integer.value(), tensors[tensor].count);
  // Operands are asked for in order, so each sum goes on from the last: a concat of many operands stays linear.
  if (offset.axis != d || offset.number > end)
    offset = {d, 0, 0};
  for (int64_t v = offset.number; v < end; ++v) {
    const TensorType *type = typeOf(tensor, v);
    if (!type || d < 0 || static_cast<uint64_t>(d) >= type->shape.size()) {
      fail("axis " + llvm::Twine(d) + " is outside the rank of operand " + llvm::Twine(v) + " of " +
           node.items[0].value->text);
      return {};
    }
    offset.sum += type->shape[d];
    offset.number = v + 1;
  }
  return Constant::of(offset.sum);
}

Constant OpContext::evaluateDrop(const Node &node) {
  Constant list = quiet(*node.items[0].value), which = quiet(*node.items[1].value);
  if (list.kind != Constant::Kind::Ints || (which.kind != Constant::Kind::Int && which.kind != Constant::Kind::Ints))
    return {};
  llvm::ArrayRef<Extent> dropped =
      which.kind == Constant::Kind::Ints ? llvm::ArrayRef<Extent>(which.ints) : which.integer;
  for (const Extent &d : dropped) {
    if (!d.isStatic() || d.value() < 0 || static_cast<uint64_t>(d.value()) >= list.ints.size()) {
      fail("drop of position " + d.str() + " from a list of " + llvm::Twine(list.ints.size()));
      return {};
    }
  }
  Constant result = Constant::ofList({});
  for (auto [position, value] : llvm::enumerate(list.ints))
    if (!llvm::is_contained(dropped, Extent(static_cast<int64_t>(position))))
      result.ints.push_back(value);
  return result;
}

/// Functions of values that also make sense on attributes: max, floordiv, wrap, floor.
Constant OpContext::evaluateValueCall(const Node &node) {
  if (node.builtin == Builtin::Wrap) {
    Constant value = quiet(*node.items[0].value), length = quiet(*node.items[1].value);
    if (value.kind != Constant::Kind::Int || length.kind != Constant::Kind::Int || !value.integer.isStatic())
      return {};
    return value.integer.value() < 0 ? Constant::of(value.integer + length.integer) : value;
  }
  if (node.builtin == Builtin::Clamp) {
    Constant raised = apply(Function::Max, quiet(*node.items[0].value), quiet(*node.items[1].value));
    return apply(Function::Min, raised, quiet(*node.items[2].value));
  }
  if (node.builtin != Builtin::Value)
    return {};
  auto function = static_cast<Function>(node.integer);
  Constant first = quiet(*node.items[0].value);
  if (node.items.size() == 2)
    return apply(function, first, quiet(*node.items[1].value));
  bool rounds = function == Function::Floor || function == Function::Ceil;
  if (rounds && first.kind == Constant::Kind::Real && std::abs(first.real) < 0x1p62)
    return Constant::of(
        static_cast<int64_t>(function == Function::Floor ? std::floor(first.real) : std::ceil(first.real)));
  return rounds && first.kind == Constant::Kind::Int ? first : Constant();
}

} // namespace kumiko::eq
