//===- ExtentDivision.cpp - floordiv, ceildiv, mod, max and min of extents -===//
#include "kumiko/Extents/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace kumiko {

std::optional<int64_t> checkedFloorDiv(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()))
    return std::nullopt;
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// (A floordiv m + r) floordiv n = (A + r*m) floordiv (m*n); nothing when `extent` has another form.
static std::optional<Extent> mergeNested(const Extent &extent, int64_t divisor) {
  auto terms = Polynomial::termsOf(extent);
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].atoms.size() != 1)
    return std::nullopt;
  const Atom &inner = *terms[0].atoms[0];
  if (inner.kind != Atom::Kind::FloorDiv || !inner.b.isStatic() || inner.b.value() <= 0)
    return std::nullopt;
  return floorDiv(inner.a + Extent(Polynomial::constantOf(extent)) * inner.b, inner.b * Extent(divisor));
}

/// Division by a positive number: what divides exactly leaves the floordiv, the constant is brought into (-divisor, 0].
static Extent divideByNumber(const Extent &extent, int64_t divisor) {
  llvm::SmallVector<Term, 2> whole, rest;
  for (const Term &term : Polynomial::termsOf(extent)) {
    if (term.coefficient % divisor != 0) {
      rest.push_back(term);
      continue;
    }
    whole.push_back(term);
    whole.back().coefficient /= divisor;
  }
  int64_t constant = Polynomial::constantOf(extent);
  if (rest.empty())
    return Polynomial::make(std::move(whole), *checkedFloorDiv(constant, divisor));
  int64_t remainder = constant % divisor;
  if (remainder > 0)
    remainder -= divisor;
  int64_t quotient = *checkedFloorDiv(constant, divisor) + (remainder != 0);
  Extent outside = Polynomial::make(std::move(whole), quotient);
  Extent inside = Polynomial::make(std::move(rest), remainder);
  if (inside.overflowed())
    return inside;
  if (auto merged = mergeNested(inside, divisor))
    return outside + *merged;
  return outside + Polynomial::atom({Atom::Kind::FloorDiv, "", inside, Extent(divisor), 0});
}

/// term / divisor, when the divisor's factors are among those of the term.
static std::optional<Extent> divideTerm(Term term, const Term &divisor) {
  if (term.coefficient % divisor.coefficient != 0)
    return std::nullopt;
  term.coefficient /= divisor.coefficient;
  for (const AtomRef &atom : divisor.atoms) {
    auto *found = llvm::find_if(term.atoms, [&](const AtomRef &other) { return compareAtoms(*atom, *other) == 0; });
    if (found == term.atoms.end())
      return std::nullopt;
    term.atoms.erase(found);
  }
  return term.atoms.empty() ? Extent(term.coefficient) : Polynomial::make({term}, 0);
}

/// a / b when b divides a, by long division: the term of b with the most factors is taken out of a, which has it.
static std::optional<Extent> divideExactly(const Extent &a, const Extent &b) {
  auto degree = [](const Term &x, const Term &y) { return x.atoms.size() < y.atoms.size(); };
  auto divisors = Polynomial::termsOf(b);
  const Term leading = *std::max_element(divisors.begin(), divisors.end(), degree);
  Extent rest = a, quotient = 0;
  // More steps than terms come of divisions that do not end.
  for (size_t step = 0; step <= Polynomial::termsOf(a).size() && !rest.is(0); ++step) {
    auto terms = Polynomial::termsOf(rest);
    if (rest.overflowed() || terms.empty())
      return std::nullopt;
    std::optional<Extent> part;
    for (const Term &term : terms)
      if (part = divideTerm(term, leading); part)
        break;
    if (!part)
      return std::nullopt;
    quotient += *part;
    rest = rest - *part * b;
  }
  return rest.is(0) ? std::optional(quotient) : std::nullopt;
}

Extent floorDiv(const Extent &a, const Extent &b) {
  if (a.overflowed() || b.overflowed() || b.is(0))
    return Extent::overflow();
  if (a.isStatic() && b.isStatic()) {
    auto quotient = checkedFloorDiv(a.value(), b.value());
    return quotient ? Extent(*quotient) : Extent::overflow();
  }
  if (b.is(1) || a.is(0))
    return a;
  if (b.isStatic() && b.value() == std::numeric_limits<int64_t>::min())
    return Extent::overflow();
  if (b.isStatic())
    return b.value() > 0 ? divideByNumber(a, b.value()) : floorDiv(-a, -b);
  if (a == b)
    return 1;
  if (auto exact = divideExactly(a, b))
    return *exact;
  return Polynomial::atom({Atom::Kind::FloorDiv, "", a, b, 0});
}

Extent ceilDiv(const Extent &a, const Extent &b) {
  // Written as other programs write it, so that it meets their roundings in one normal form.
  if (!a.isStatic() && b.isStatic() && b.value() > 0)
    return floorDiv(a + b - Extent(1), b);
  return -floorDiv(-a, b);
}

Extent mod(const Extent &a, const Extent &b) { return a - floorDiv(a, b) * b; }

/// Whether `whole` is min(part, ...), or max for that kind: then so is min(part, whole).
static bool absorbs(Atom::Kind kind, const Extent &whole, const Extent &part) {
  auto terms = Polynomial::termsOf(whole);
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].atoms.size() != 1 ||
      Polynomial::constantOf(whole) != 0)
    return false;
  const Atom &atom = *terms[0].atoms[0];
  return atom.kind == kind && (atom.a == part || atom.b == part);
}

static Extent extremum(Atom::Kind kind, const Extent &a, const Extent &b) {
  if (a.overflowed() || b.overflowed())
    return Extent::overflow();
  bool wantsLarger = kind == Atom::Kind::Max;
  // Whatever the other is, it fits in 64 bits.
  int64_t end = wantsLarger ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  if (a.is(end) || b.is(end))
    return a.is(end) ? b : a;
  Extent difference = a - b;
  if (difference.knownNonNegative())
    return wantsLarger ? a : b;
  if (difference.knownNonPositive())
    return wantsLarger ? b : a;
  if (absorbs(kind, a, b))
    return a;
  if (absorbs(kind, b, a))
    return b;
  bool swap = a.compare(b) > 0;
  return Polynomial::atom({kind, "", swap ? b : a, swap ? a : b, 0});
}

Extent max(const Extent &a, const Extent &b) {
  if (a.isStatic() && b.isStatic())
    return std::max(a.value(), b.value());
  return extremum(Atom::Kind::Max, a, b);
}

Extent min(const Extent &a, const Extent &b) {
  if (a.isStatic() && b.isStatic())
    return std::min(a.value(), b.value());
  return extremum(Atom::Kind::Min, a, b);
}

} // namespace kumiko
