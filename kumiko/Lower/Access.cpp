//===- Access.cpp - which part of a tensor a read needs --------------------===//
#include "kumiko/Lower/Access.h"
#include "kumiko/Equation/Access.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::lower;
using eq::Expr;

/// Numbers in indices of mapped reads stay below this, so that sums of their products fit 64 bits.
constexpr int64_t largestNumber = int64_t(1) << 30;
/// A pad may make a tensor this many times larger than the points that read it, not more.
constexpr int64_t largestGrowth = 4;

int64_t LinearIndex::lowest(ArrayRef<int64_t> extents) const {
  int64_t value = constant;
  for (auto [loop, coefficient] : terms)
    value += std::min<int64_t>(0, coefficient * std::max<int64_t>(extents[loop] - 1, 0));
  return value;
}

int64_t LinearIndex::highest(ArrayRef<int64_t> extents) const {
  int64_t value = constant;
  for (auto [loop, coefficient] : terms)
    value += std::max<int64_t>(0, coefficient * std::max<int64_t>(extents[loop] - 1, 0));
  return value;
}

std::optional<LinearIndex> lower::linearIndex(const Expr &index, ArrayRef<int64_t> extents) {
  std::optional<eq::AffineIndex> affine = eq::affineIndex(index, extents.size());
  if (!affine || !affine->constant.isStatic())
    return std::nullopt;
  LinearIndex linear;
  linear.constant = affine->constant.value();
  if (std::abs(linear.constant) > largestNumber)
    return std::nullopt;
  for (auto [loop, coefficient] : enumerate(affine->coefficients)) {
    if (!coefficient.isStatic())
      return std::nullopt;
    if (coefficient.is(0))
      continue;
    if (std::abs(coefficient.value()) > largestNumber || extents[loop] > largestNumber)
      return std::nullopt;
    if (extents[loop] == 1)
      linear.units.push_back(loop);
    else
      linear.terms.push_back({unsigned(loop), coefficient.value()});
  }
  return linear;
}

/// The terms, largest coefficient first, when they number the elements of a row-major block: 12 i + 4 j + k over
/// j < 3, k < 4.
static bool isRowMajor(MutableArrayRef<std::pair<unsigned, int64_t>> terms, ArrayRef<int64_t> extents, int64_t &size) {
  sort(terms, [](auto a, auto b) { return a.second > b.second; });
  size = 1;
  for (auto [loop, coefficient] : reverse(terms)) {
    if (coefficient != size)
      return false;
    size *= extents[loop];
  }
  return true;
}

std::optional<Dimension> lower::reach(const LinearIndex &index, int64_t extent, ArrayRef<int64_t> extents,
                                      const BitVector &dropped) {
  Dimension dimension;
  dimension.offset = index.constant;
  if (any_of(index.terms, [](auto term) { return term.second < 0; }))
    return std::nullopt;

  if (index.terms.empty()) {
    for (unsigned loop : index.units)
      if (dimension.loops.empty() && !dropped.test(loop)) {
        dimension.kind = Dimension::Kind::Loops;
        dimension.loops.push_back(loop);
      }
    return dimension;
  }
  if (index.terms.size() == 1) {
    auto [loop, coefficient] = index.terms.front();
    dimension.kind = Dimension::Kind::Loops;
    dimension.loops.push_back(loop);
    dimension.size = extents[loop];
    dimension.stride = coefficient;
    return dimension;
  }
  auto terms = index.terms;
  int64_t block = 0;
  if (isRowMajor(terms, extents, block) && index.constant == 0 && block == extent) {
    dimension.kind = Dimension::Kind::Loops;
    dimension.size = extent;
    for (auto [loop, coefficient] : terms)
      dimension.loops.push_back(loop);
    return dimension;
  }
  dimension.kind = Dimension::Kind::Window;
  dimension.size = extent;
  for (auto [loop, coefficient] : index.terms) {
    dimension.loops.push_back(loop);
    dimension.coefficients.push_back(coefficient);
  }
  return dimension;
}

std::optional<MappedRead> lower::mapRead(const Expr &read, ArrayRef<int64_t> shape, ArrayRef<int64_t> extents,
                                         const BitVector &dropped) {
  MappedRead mapped;
  mapped.read = &read;
  if (read.otherwise && !isInvariant(*read.otherwise))
    return std::nullopt;
  SmallVector<LinearIndex> indices;
  for (auto [expr, extent] : zip_equal(read.operands, shape)) {
    std::optional<LinearIndex> index = linearIndex(*expr, extents);
    if (!index)
      return std::nullopt;
    int64_t from = index->lowest(extents), to = index->highest(extents), points = extent;
    for (auto [loop, coefficient] : index->terms)
      points += extents[loop];
    bool outside = from < 0 || to >= extent;
    if (outside && (!read.otherwise || from >= extent || to < 0 || to - from >= largestGrowth * points))
      return std::nullopt;
    mapped.padded |= outside;
    indices.push_back(std::move(*index));
  }
  for (auto [index, whole] : zip_equal(indices, shape)) {
    int64_t extent = whole;
    if (mapped.padded) {
      // What nobody reads is cut away before the pad makes a copy.
      int64_t from = index.lowest(extents), to = index.highest(extents);
      int64_t cutFrom = std::max<int64_t>(from, 0), cutTo = std::min<int64_t>(to, extent - 1);
      mapped.cutOffset.push_back(cutFrom);
      mapped.cutSize.push_back(cutTo - cutFrom + 1);
      mapped.low.push_back(cutFrom - from);
      mapped.high.push_back(to - cutTo);
      index.constant -= from;
      extent = to - from + 1;
    }
    std::optional<Dimension> dimension = reach(index, extent, extents, dropped);
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
      a.symbolic != b.symbolic)
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
