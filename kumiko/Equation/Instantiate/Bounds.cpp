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
  // A dimension that may be 1 is read at 0 then.
  if (entry.barePack && !extent.isStatic() && !hasElse) {
    context.instance.repeatChecks.push_back({solver.loops[solver.loopOf(*entry.value, element)].extent, extent});
    return false;
  }
  Range range;
  bool always = staysInside(index, extent, range);
  if (always || hasElse || context.failed())
    return always;
  if (readsTensor(index) || statementIsEmpty())
    return false;
  auto show = [](const std::optional<Extent> &end) { return end ? end->str() : std::string("?"); };
  bool open = !extent.isStatic() || (range.low && !range.low->isStatic()) || (range.high && !range.high->isStatic());
  if (open && range.low && range.high) {
    checkBound(0, *range.low);
    checkBound(*range.high, extent - Extent(1));
    return false;
  }
  llvm::StringRef text = entry.value ? textOf(*entry.value) : "";
  if (range.low && range.high)
    context.fail("index " + text + " of " + read.text + " runs from " + show(range.low) + " to " + show(range.high) +
                 " but the dimension is " + extent.str() + "; write " + shorterRange(index, range) + "`" +
                 textOf(read) + " else ...`");
  else
    context.fail("index " + text + " of " + read.text + " cannot be shown to stay below " + extent.str() +
                 "; clamp it or write `" + textOf(read) + " else ...`");
  return false;
}

namespace {
/// An index that a bare read gives all of a dimension, and by how much it leaves other tensors then.
struct FixedLoop {
  unsigned loop;
  const Node *read;
  size_t dimension;
  int64_t excess = 0;
};
} // namespace

static bool readsInside(const Node &index) {
  bool found = false;
  walk(index, [&](const Node &node) { found |= node.kind == Node::Kind::Read; });
  return found;
}

/// A bare read beside this one has given its index all of a dimension: then less of it may be what is meant. With
/// ", or " behind it; "" where no index is like that.
std::string ValueBuilder::shorterRange(const Expr &index, const Range &range) {
  auto failing = affineIndex(index, solver.loops.size());
  llvm::SmallVector<FixedLoop, 4> fixed;
  auto eachPosition = [&](llvm::function_ref<void(const Node &, size_t, const Entry &, const Extent &)> visit) {
    solver.forEachRead([&](const Node &read, int, bool) {
      const TensorType *type = solver.typeOf(read);
      auto entries = solver.aligned(read.items, type->shape.size(), read.text);
      for (auto [dimension, entry, extent] : llvm::enumerate(entries, type->shape))
        if (entry.value && entry.element < 0 && !read.otherwise)
          visit(read, dimension, entry, extent);
    });
  };
  eachPosition([&](const Node &read, size_t dimension, const Entry &entry, const Extent &) {
    if (!solver.isIndex(*entry.value))
      return;
    unsigned loop = solver.loopOf(*entry.value, -1);
    auto isLoop = [&](const FixedLoop &other) { return other.loop == loop; };
    if (!solver.loops[loop].given && llvm::none_of(fixed, isLoop))
      fixed.push_back({loop, &read, dimension});
  });
  eachPosition([&](const Node &, size_t, const Entry &entry, const Extent &extent) {
    auto form = readsInside(*entry.value) ? std::nullopt : affineIndex(*this->index(*entry.value), solver.loops.size());
    Range reach = form ? affineRange(*this->index(*entry.value)) : Range();
    if (!reach.low || !reach.high || !reach.low->knownNonNegative())
      return;
    Extent beyond = *reach.high - (extent - Extent(1));
    for (FixedLoop &loop : fixed)
      if (form->coefficients[loop.loop].is(1) && beyond.isStatic())
        loop.excess = std::max(loop.excess, beyond.value());
  });
  const FixedLoop *cause =
      llvm::find_if(fixed, [&](const FixedLoop &loop) { return failing && failing->coefficients[loop.loop].is(1); });
  if (cause == fixed.end())
    return "";
  std::string name = solver.nameOf(cause->loop), clauses;
  std::string reason = "as " + textOf(*cause->read).str() + " lets " + name + " run over all of it, or ";
  if (cause->excess == 0 || !range.low->knownNonNegative())
    return name + " as the first place that is read, " + reason;
  for (const FixedLoop &loop : fixed)
    if (loop.excess > 0)
      clauses += (clauses.empty() ? "" : ", ") + solver.nameOf(loop.loop) + " in dim(" + loop.read->text.str() + ", " +
                 std::to_string(loop.dimension) + ") - " + std::to_string(loop.excess);
  const StatementDef &statement = solver.statement;
  return "`" + statement.text.str() + (statement.clauses.empty() ? "  where " : ", ") + clauses + "`, " + reason;
}

void ValueBuilder::checkBound(const Extent &small, const Extent &large) {
  auto pair = std::make_pair(small, large);
  if (!(large - small).knownNonNegative() && !llvm::is_contained(context.instance.boundChecks, pair))
    context.instance.boundChecks.push_back(std::move(pair));
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

namespace {

using End = std::optional<Extent>;

/// f of two ends that are both known and whose result fits.
template <typename F> End both(const End &x, const End &y, F f) {
  if (!x || !y)
    return std::nullopt;
  Extent result = f(*x, *y);
  return result.overflowed() ? std::nullopt : End(result);
}

/// f of two ends, or the one that is known.
template <typename F> End either(const End &x, const End &y, F f) { return x && y ? End(f(*x, *y)) : x ? x : y; }

Extent plus(const Extent &x, const Extent &y) { return x + y; }
Extent minus(const Extent &x, const Extent &y) { return x - y; }
Extent times(const Extent &x, const Extent &y) { return x * y; }
Extent smaller(const Extent &x, const Extent &y) { return min(x, y); }
Extent larger(const Extent &x, const Extent &y) { return max(x, y); }
End negated(const End &x) { return x ? End(-*x) : std::nullopt; }

End quotient(Function function, const End &x, const Extent &divisor) {
  if (!x)
    return std::nullopt;
  return function == Function::Div        ? truncatingDiv(*x, divisor)
         : function == Function::FloorDiv ? floorDiv(*x, divisor)
                                          : ceilDiv(*x, divisor);
}

} // namespace

ValueBuilder::Range ValueBuilder::rangeOfProduct(const Range &a, const Range &b) {
  auto notNegative = [](const End &end) { return end && end->knownNonNegative(); };
  if (notNegative(a.low) && notNegative(b.low))
    return {both(a.low, b.low, times), both(a.high, b.high, times)};
  bool isConstant = b.low && b.high && *b.low == *b.high;
  if (!isConstant)
    return {};
  if (b.low->knownNonNegative())
    return {both(a.low, b.low, times), both(a.high, b.low, times)};
  if (b.low->knownNonPositive())
    return {both(a.high, b.low, times), both(a.low, b.low, times)};
  return {};
}

ValueBuilder::Range ValueBuilder::rangeOfApply(const Expr &index) {
  if (index.type != ElementType::Index && index.type != ElementType::I64 && index.type != ElementType::I32)
    return {};
  Range a = rangeOf(*index.operands[0]);
  Range b = index.operands.size() > 1 ? rangeOf(*index.operands[1]) : Range{};
  bool positiveConstant =
      b.low && b.high && *b.low == *b.high && (b.low->isStatic() ? b.low->value() > 0 : b.low->knownNonNegative());
  bool divides =
      llvm::is_contained({Function::Mod, Function::Div, Function::FloorDiv, Function::CeilDiv}, index.function);
  // An expression that cannot be negative can still be 0.
  if (divides && positiveConstant)
    checkBound(1, *b.low);
  switch (index.function) {
  case Function::Neg:
    return {negated(a.high), negated(a.low)};
  case Function::Add:
    return {both(a.low, b.low, plus), both(a.high, b.high, plus)};
  case Function::Sub:
    return {both(a.low, b.high, minus), both(a.high, b.low, minus)};
  case Function::Mul:
    return rangeOfProduct(a, b);
  case Function::Max:
    return {either(a.low, b.low, larger), both(a.high, b.high, larger)};
  case Function::Min:
    return {both(a.low, b.low, smaller), either(a.high, b.high, smaller)};
  case Function::Abs:
    return {a.low && a.low->knownNonNegative() ? *a.low : Extent(0), both(negated(a.low), a.high, larger)};
  case Function::Mod:
    return positiveConstant ? Range{Extent(0), *b.low - Extent(1)} : Range{};
  case Function::Div:
  case Function::FloorDiv:
  case Function::CeilDiv:
    // All three grow with the dividend.
    if (!positiveConstant)
      return {};
    return {quotient(index.function, a.low, *b.low), quotient(index.function, a.high, *b.low)};
  default:
    return {};
  }
}

} // namespace kumiko::eq
