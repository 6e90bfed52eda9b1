//===- Reads.cpp - reads of tensors ----------------------------------------===//
#include "kumiko/Equation/Instantiate/Values.h"
#include "kumiko/Extents/ExtentLimit.h"

namespace kumiko::eq {

Typed ValueBuilder::read(const Node &node, int element) {
  const TensorType *type = solver.typeOf(node);
  if (!type)
    return absentRead(node, element);
  Layout entries = solver.aligned(node.items, type->shape.size(), node.text);
  llvm::SmallVector<const Expr *, 4> indexList;
  bool always = true, never = false;
  for (auto [entry, extent] : llvm::zip(entries, type->shape)) {
    if (context.failed())
      return placeholder();
    indexList.push_back(position(entry, element, extent));
    int zipped = entry.element >= 0 ? entry.element : element;
    always &= checkInside(node, entry, zipped, *indexList.back(), extent);
    never |= extent.is(0);
  }
  if (context.failed())
    return placeholder();
  if (never && node.otherwise && !statementIsEmpty()) {
    const Expr *outside = otherwise(node, type->element, element);
    return outside ? Typed{make.cast(outside, computeType(type->element)), type->element, false, /*absent=*/true}
                   : placeholder();
  }
  const Expr *outside = always || !node.otherwise ? nullptr : otherwise(node, type->element, element);
  const Expr *value = make.read(solver.tensorNumber(node), type->element, indexList, outside);
  return {make.cast(value, computeType(type->element)), type->element};
}

/// The operand is not given: its `else` is the value.
Typed ValueBuilder::absentRead(const Node &node, int element) {
  if (!node.otherwise) {
    context.fail("operand " + node.text + " is absent; write `" + textOf(node) + " else ...`");
    return placeholder();
  }
  Typed value = build(*node.otherwise, element);
  value.absent = true;
  return value;
}

/// The value outside, in the element type of the tensor.
const Expr *ValueBuilder::otherwise(const Node &read, ElementType type, int element) {
  Typed value = build(*read.otherwise, element);
  if (!value.weak && value.type != type)
    context.fail("'" + textOf(read) + "' is " + nameOf(type) + " inside and " + nameOf(value.type) + " outside");
  if (context.failed())
    return nullptr;
  return make.cast(value.weak ? adopt(value, type, read).expr : value.expr, type);
}

const Expr *ValueBuilder::position(const Entry &entry, int element, const Extent &extent) {
  int zipped = entry.element >= 0 ? entry.element : element;
  if (!entry.value)
    return make.integer(ElementType::Index, 0);
  if (!entry.barePack)
    return index(*entry.value, zipped);
  // A bare pack broadcasts: an extent of 1 is read at 0.
  unsigned loop = solver.loopOf(*entry.value, zipped);
  const Extent &range = solver.loops[loop].extent;
  if (extent == range || (extent.isStatic() && !extent.is(1)))
    return make.loop(loop);
  const Expr *zero = make.integer(ElementType::Index, 0);
  if (extent.isStatic())
    return zero;
  // Where it is 1, so is the loop.
  if (isLimited(extent, range, 2))
    return make.loop(loop);
  // Only at run time it is known whether this dimension is 1.
  const Expr *isOne =
      make.apply(Function::Eq, ElementType::B1, {make.extent(extent), make.integer(ElementType::Index, 1)});
  return make.select(isOne, zero, make.loop(loop));
}

/// pos(x(...)): the number of the element in row-major order. Nothing is read, so no bound is checked.
Typed ValueBuilder::rowMajorPosition(const Node &read, int element) {
  const TensorType *type = solver.typeOf(read);
  if (!type) {
    context.fail("operand " + read.text + " is absent and has no positions");
    return placeholder();
  }
  llvm::SmallVector<const Expr *, 4> parts;
  for (auto [entry, extent] : llvm::zip(solver.aligned(read.items, type->shape.size(), read.text), type->shape))
    parts.push_back(position(entry, element, extent));
  if (context.failed())
    return placeholder();
  const Expr *result = make.integer(ElementType::Index, 0);
  for (auto [part, extent] : llvm::zip_equal(parts, type->shape))
    result = make.index(Function::Add, make.index(Function::Mul, result, make.extent(extent)), part);
  return {result, ElementType::Index, true};
}

} // namespace kumiko::eq
