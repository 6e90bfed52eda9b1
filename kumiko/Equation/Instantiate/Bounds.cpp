//===- Bounds.cpp - reads stay inside their tensors ------------------------===//
//
// Interval arithmetic over the extents of the loops. A read without `else` must be shown to stay inside for all points,
// unless its index comes from a tensor: then the index is checked when it is used. A read with `else` loses it when it
// can be shown never to apply.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Access.h"
#include "kumiko/Equation/Instantiate/Values.h"

namespace kumiko::eq {

bool ValueBuilder::statementIsEmpty() const {
  return llvm::any_of(solver.loops, [](const LoopState &loop) { return loop.extent.is(0); });
}

/// True when the read is inside at every point. Fails when it has no `else` and can leave the tensor.
bool ValueBuilder::checkInside(const Node &read, const Entry &entry, int element, const Expr &index,
                               const Extent &extent) {
  bool hasElse = read.otherwise != nullptr;
  if (index.kind == Expr::Kind::Loop && solver.loops[index.loop].extent == extent)
    return true;
  // Tuples and bare indices without a given range agree with the dimension since the extents were solved, if need be by
  // a check at run time.
  if (entry.value && entry.value->kind == Node::Kind::Tuple)
    return true;
  if (entry.value && solver.isIndex(*entry.value) && !solver.loops[solver.loopOf(*entry.value, element)].given)
    return true;
  Range range;
  bool always = staysInside(index, extent, range);
  if (always || hasElse || context.failed())
    return always;
  if (readsTensor(index) || statementIsEmpty())
    return false;
  auto show = [](const std::optional<Extent> &end) { return end ? end->str() : std::string("?"); };
  bool open = !extent.isStatic() || (range.low && !range.low->isStatic()) || (range.high && !range.high->isStatic());
  if (open && range.low && range.high) {
    auto add = [&](const Extent &small, const Extent &large) {
      if (!(large - small).knownNonNegative())
        context.instance.boundChecks.push_back({small, large});
    };
    add(0, *range.low);
    add(*range.high, extent - Extent(1));
    return false;
  }
  llvm::StringRef text = entry.value ? textOf(*entry.value) : "";
  if (range.low && range.high)
    context.fail("index " + text + " of " + read.text + " runs from " + show(range.low) + " to " + show(range.high) +
                 " but the dimension is " + extent.str() + "; write `" + textOf(read) + " else ...`");
  else
    context.fail("index " + text + " of " + read.text + " cannot be shown to stay below " + extent.str() +
                 "; clamp it or write `" + textOf(read) + " else ...`");
  return false;
}

bool ValueBuilder::staysInside(const Expr &index, const Extent &extent, Range &range) {
  auto proved = [&] {
    return range.low && range.high && range.low->knownNonNegative() &&
           (extent - Extent(1) - *range.high).knownNonNegative();
  };
  range = rangeOf(index);
  if (proved())
    return true;
  // Intervals forget that a loop occurs twice; the affine form does not.
  if (Range exact = affineRange(index); exact.low && exact.high)
    range = exact;
  return proved();
}

std::optional<Extent> ValueBuilder::highest(const Expr &index) {
  Range exact = affineRange(index);
  return exact.high ? exact.high : rangeOf(index).high;
}

ValueBuilder::Range ValueBuilder::affineRange(const Expr &index) {
  auto form = affineIndex(index, solver.loops.size());
  if (!form)
    return {};
  Extent low = form->constant, high = form->constant;
  for (auto [coefficient, loop] : llvm::zip_equal(form->coefficients, solver.loops)) {
    Extent reach = coefficient * (loop.extent - Extent(1));
    if (coefficient.knownNonNegative())
      high += reach;
    else if (coefficient.knownNonPositive())
      low += reach;
    else
      return {};
  }
  return {low, high};
}

ValueBuilder::Range ValueBuilder::rangeOf(const Expr &index) {
  switch (index.kind) {
  case Expr::Kind::Integer:
    if (index.type == ElementType::Index)
      return {extentOf(index), extentOf(index)};
    // Constants that were given a tensor's type, as in clamp(b(o) + k, 0, n - 1).
    return isInteger(index.type) && index.type != ElementType::U64 ? Range{Extent(index.integer), Extent(index.integer)}
                                                                   : Range{};
  case Expr::Kind::Loop:
    return {Extent(0), solver.loops[index.loop].extent - Extent(1)};
  case Expr::Kind::Select: {
    Range a = rangeOf(*index.operands[1]), b = rangeOf(*index.operands[2]), both;
    if (a.low && b.low)
      both.low = min(*a.low, *b.low);
    if (a.high && b.high)
      both.high = max(*a.high, *b.high);
    return both;
  }
  case Expr::Kind::Cast:
    // Between integers a value that fits keeps its value; i64 and Index hold all that occur here.
    if (index.operands[0]->type == ElementType::Index || index.operands[0]->type == ElementType::I64)
      return index.type == ElementType::Index || index.type == ElementType::I64 ? rangeOf(*index.operands[0]) : Range{};
    return {};
  case Expr::Kind::Apply:
    return rangeOfApply(index);
  default:
    return {};
  }
}

ValueBuilder::Range ValueBuilder::rangeOfApply(const Expr &index) {
  if (index.type != ElementType::Index && index.type != ElementType::I64 && index.type != ElementType::I32)
    return {};
  Range a = rangeOf(*index.operands[0]);
  Range b = index.operands.size() > 1 ? rangeOf(*index.operands[1]) : Range{};
  auto both = [](const std::optional<Extent> &x, const std::optional<Extent> &y, auto f) -> std::optional<Extent> {
    if (!x || !y)
      return std::nullopt;
    Extent result = f(*x, *y);
    return result.overflowed() ? std::nullopt : std::optional(result);
  };
  auto either = [](const std::optional<Extent> &x, const std::optional<Extent> &y, auto f) {
    return x && y ? std::optional<Extent>(f(*x, *y)) : x ? x : y;
  };
  auto plus = [](const Extent &x, const Extent &y) { return x + y; };
  auto minus = [](const Extent &x, const Extent &y) { return x - y; };
  auto smaller = [](const Extent &x, const Extent &y) { return min(x, y); };
  auto larger = [](const Extent &x, const Extent &y) { return max(x, y); };
  bool positiveConstant = b.low && b.high && *b.low == *b.high && (*b.low - Extent(1)).knownNonNegative();
  switch (index.function) {
  case Function::Neg:
    return {a.high ? std::optional(-*a.high) : std::nullopt, a.low ? std::optional(-*a.low) : std::nullopt};
  case Function::Add:
    return {both(a.low, b.low, plus), both(a.high, b.high, plus)};
  case Function::Sub:
    return {both(a.low, b.high, minus), both(a.high, b.low, minus)};
  case Function::Max:
    return {either(a.low, b.low, larger), both(a.high, b.high, larger)};
  case Function::Min:
    return {both(a.low, b.low, smaller), either(a.high, b.high, smaller)};
  case Function::Abs: {
    std::optional<Extent> high;
    if (a.low && a.high)
      high = max(-*a.low, *a.high);
    return {a.low && a.low->knownNonNegative() ? *a.low : Extent(0), high};
  }
  case Function::Mod:
    return positiveConstant ? Range{Extent(0), *b.low - Extent(1)} : Range{};
  case Function::Mul: {
    auto times = [](const Extent &x, const Extent &y) { return x * y; };
    if (b.low && b.low->knownNonNegative() && a.low && a.low->knownNonNegative())
      return {both(a.low, b.low, times), both(a.high, b.high, times)};
    if (b.low && b.high && *b.low == *b.high) {
      Range product{both(a.low, b.low, times), both(a.high, b.low, times)};
      if (b.low->knownNonPositive())
        std::swap(product.low, product.high);
      return b.low->knownNonPositive() || b.low->knownNonNegative() ? product : Range{};
    }
    return {};
  }
  case Function::Div:
  case Function::FloorDiv:
  case Function::CeilDiv: {
    if (!positiveConstant)
      return {};
    // All three grow with the dividend.
    auto divide = [&](const std::optional<Extent> &x) -> std::optional<Extent> {
      if (!x)
        return std::nullopt;
      return index.function == Function::Div        ? truncatingDiv(*x, *b.low)
             : index.function == Function::FloorDiv ? floorDiv(*x, *b.low)
                                                    : ceilDiv(*x, *b.low);
    };
    return {divide(a.low), divide(a.high)};
  }
  default:
    return {};
  }
}

} // namespace kumiko::eq
