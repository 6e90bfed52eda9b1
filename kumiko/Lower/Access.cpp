//===- Access.cpp - which part of a tensor a read needs --------------------===//
#include "kumiko/Lower/Access.h"
#include "kumiko/Equation/Access.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::lower;
using eq::Expr;

/// A pad may make a tensor this many times larger than the points that read it, not more.
constexpr int64_t largestGrowth = 4;

/// Whether the extent, less up to `depth` of those of tensors, is known to be at least 0.
static bool isNonNegative(const eq::Instance &instance, const Extent &extent, unsigned depth) {
  if (extent.knownNonNegative())
    return true;
  if (extent.isStatic() || extent.overflowed() || depth == 0)
    return false;
  for (const eq::Tensor &tensor : instance.tensors)
    for (const Extent &size : tensor.type.shape)
      if (!size.isStatic() && !size.overflowed() && isNonNegative(instance, extent - size, depth - 1))
        return true;
  return false;
}

bool lower::isAtMost(const eq::Instance &instance, const Extent &a, const Extent &b) {
  return isNonNegative(instance, b - a, /*depth=*/2);
}

/// The end of the range that the terms of one sign reach.
static Extent endOf(const LinearIndex &index, ExtentList extents, bool largest) {
  Extent value = index.constant;
  for (const auto &[loop, coefficient] : index.terms)
    if (largest ? coefficient.knownNonNegative() : coefficient.knownNonPositive())
      value += coefficient * (extents[loop].is(0) ? Extent(0) : extents[loop] - Extent(1));
  return value;
}
Extent LinearIndex::lowest(ExtentList extents) const { return endOf(*this, extents, /*largest=*/false); }
Extent LinearIndex::highest(ExtentList extents) const { return endOf(*this, extents, /*largest=*/true); }

/// A number that is too large for sums of products.
static bool isHuge(const Extent &extent) { return extent.isStatic() && std::abs(extent.value()) > largestNumber; }

std::optional<LinearIndex> lower::linearIndex(const Expr &index, ExtentList extents) {
  std::optional<eq::AffineIndex> affine = eq::affineIndex(index, extents.size());
  if (!affine || affine->constant.overflowed() || isHuge(affine->constant))
    return std::nullopt;
  LinearIndex linear;
  linear.constant = affine->constant;
  for (auto [loop, coefficient] : enumerate(affine->coefficients)) {
    if (coefficient.is(0))
      continue;
    if (isHuge(coefficient) || isHuge(extents[loop]) ||
        !(coefficient.knownNonNegative() || coefficient.knownNonPositive()))
      return std::nullopt;
    if (extents[loop].is(1))
      linear.units.push_back(loop);
    else
      linear.terms.push_back({unsigned(loop), coefficient});
  }
  return linear;
}

bool lower::areEqual(const eq::Instance &instance, const Extent &a, const Extent &b) {
  return a == b || any_of(instance.checks, [&](const auto &check) {
           return (check.first == a && check.second == b) || (check.first == b && check.second == a);
         });
}

/// The terms, largest coefficient first, when they number the elements of a row-major block: 12 i + 4 j + k over
/// j < 3, k < 4. Symbols have no order, so each step looks for the term that goes on.
static std::optional<SmallVector<unsigned, 2>> rowMajorLoops(const LinearIndex &index, ExtentList extents,
                                                             Extent &size) {
  SmallVector<unsigned, 2> loops;
  size = 1;
  while (loops.size() < index.terms.size()) {
    auto *next =
        find_if(index.terms, [&](const auto &term) { return term.second == size && !is_contained(loops, term.first); });
    if (next == index.terms.end())
      return std::nullopt;
    loops.insert(loops.begin(), next->first);
    size *= extents[next->first];
  }
  return loops;
}

std::optional<Dimension> lower::reach(const eq::Instance &instance, const LinearIndex &index, const Extent &extent,
                                      ExtentList extents, const BitVector &dropped) {
  Dimension dimension;
  dimension.offset = index.constant;
  if (any_of(index.terms, [](const auto &term) { return !term.second.knownNonNegative(); }))
    return std::nullopt;

  if (index.terms.empty()) {
    for (unsigned loop : index.units)
      if (dimension.loops.empty() && !dropped.test(loop)) {
        dimension.kind = Dimension::Kind::Loops;
        dimension.loops.push_back(loop);
      }
    // A map has numbers only; elsewhere a slice brings the element to 0.
    if (dimension.kind == Dimension::Kind::Constant && !index.constant.isStatic())
      return std::nullopt;
    return dimension;
  }
  bool hasNumbers = all_of(index.terms, [](const auto &term) { return term.second.isStatic(); });
  if (index.terms.size() == 1) {
    if (!hasNumbers)
      return std::nullopt;
    const auto &[loop, coefficient] = index.terms.front();
    dimension.kind = Dimension::Kind::Loops;
    dimension.loops.push_back(loop);
    dimension.size = extents[loop];
    dimension.stride = coefficient.value();
    return dimension;
  }
  Extent block;
  if (auto loops = rowMajorLoops(index, extents, block);
      loops && index.constant.is(0) && areEqual(instance, block, extent)) {
    dimension.kind = Dimension::Kind::Loops;
    dimension.size = extent;
    dimension.loops.append(loops->begin(), loops->end());
    return dimension;
  }
  if (!hasNumbers || !index.constant.isStatic())
    return std::nullopt;
  dimension.kind = Dimension::Kind::Window;
  dimension.size = extent;
  for (const auto &[loop, coefficient] : index.terms) {
    dimension.loops.push_back(loop);
    dimension.coefficients.push_back(coefficient.value());
  }
  return dimension;
}

/// Whether a pad could make a tensor much larger than what is read of it; a guess where symbols decide.
static bool growsTooMuch(const Extent &from, const Extent &to, const Extent &points) {
  Extent excess = to - from - Extent(largestGrowth) * points;
  return excess.isStatic() && excess.value() >= 0;
}

std::optional<MappedRead> lower::mapRead(const eq::Instance &instance, const Expr &read, ExtentList shape,
                                         ExtentList extents, const BitVector &dropped) {
  MappedRead mapped;
  mapped.read = &read;
  if (read.otherwise && !isInvariant(*read.otherwise))
    return std::nullopt;
  SmallVector<LinearIndex> indices;
  for (auto [expr, extent] : zip_equal(read.operands, shape)) {
    std::optional<LinearIndex> index = linearIndex(*expr, extents);
    if (!index)
      return std::nullopt;
    Extent from = index->lowest(extents), to = index->highest(extents), points = extent;
    for (const auto &[loop, coefficient] : index->terms)
      points += extents[loop];
    bool outside = !from.knownNonNegative() || !isAtMost(to, extent - Extent(1));
    // Without an `else` a read stays inside: the verifier has shown it, or a check of the instance does.
    if (outside && !read.otherwise && from.isStatic() && to.isStatic() && extent.isStatic())
      return std::nullopt;
    outside &= read.otherwise != nullptr;
    // All of it outside, or far too much.
    if (outside && (isAtMost(extent, from) || (to + Extent(1)).knownNonPositive() || growsTooMuch(from, to, points)))
      return std::nullopt;
    mapped.padded |= outside;
    indices.push_back(std::move(*index));
  }
  for (auto [index, whole] : zip_equal(indices, shape)) {
    Extent extent = whole;
    if (mapped.padded) {
      // What nobody reads is cut away before the pad makes a copy. Where symbols decide, that may be all of it.
      Extent from = index.lowest(extents), to = index.highest(extents), all = to - from + Extent(1);
      Extent start = max(from, 0), before = max(-from, 0), behind = max(to - extent + Extent(1), 0);
      bool startsInside = isAtMost(from, extent), endsInside = (to + Extent(1)).knownNonNegative();
      mapped.cutOffset.push_back(startsInside ? start : min(start, extent));
      mapped.low.push_back(endsInside ? before : min(before, all));
      mapped.high.push_back(startsInside ? behind : min(behind, all));
      mapped.cutSize.push_back(all - mapped.low.back() - mapped.high.back());
      index.constant = index.constant - from;
      extent = all;
    }
    std::optional<Dimension> dimension = reach(instance, index, extent, extents, dropped);
    if (!dimension)
      return std::nullopt;
    mapped.dimensions.push_back(std::move(*dimension));
  }
  return mapped;
}

bool lower::sameExpr(const Expr &a, const Expr &b) {
  if (&a == &b)
    return true;
  if (a.kind != b.kind || a.type != b.type || a.operands.size() != b.operands.size() || !a.otherwise != !b.otherwise ||
      !a.symbolic != !b.symbolic || (a.symbolic && *a.symbolic != *b.symbolic))
    return false;
  bool same = true;
  switch (a.kind) {
  case Expr::Kind::Integer:
    same = a.integer == b.integer;
    break;
  case Expr::Kind::Real:
    same = bit_cast<uint64_t>(a.real) == bit_cast<uint64_t>(b.real);
    break;
  case Expr::Kind::Loop:
    same = a.loop == b.loop;
    break;
  case Expr::Kind::Read:
    same = a.tensor == b.tensor;
    break;
  case Expr::Kind::Apply:
    same = a.function == b.function;
    break;
  case Expr::Kind::Select:
  case Expr::Kind::Cast:
    break;
  }
  return same && (!a.otherwise || sameExpr(*a.otherwise, *b.otherwise)) &&
         all_of(zip_equal(a.operands, b.operands),
                [](auto pair) { return sameExpr(*std::get<0>(pair), *std::get<1>(pair)); });
}

bool lower::isInvariant(const Expr &expr) {
  return expr.kind != Expr::Kind::Loop && (!expr.otherwise || isInvariant(*expr.otherwise)) &&
         all_of(expr.operands, [](const Expr *operand) { return isInvariant(*operand); });
}
