//===- ExtentDivision.cpp - floordiv, ceildiv, mod, max and min of extents -===//
#include "kumiko/Equation/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace kumiko::eq {

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

/// a / b when b is one term and divides every term of a.
static std::optional<Extent> divideExactly(const Extent &a, const Extent &b) {
  auto divisor = Polynomial::termsOf(b);
  if (divisor.size() != 1 || Polynomial::constantOf(b) != 0 || Polynomial::constantOf(a) != 0)
    return std::nullopt;
  Extent result = 0;
  for (const Term &term : Polynomial::termsOf(a)) {
    Term quotient = term;
    if (term.coefficient % divisor[0].coefficient != 0)
      return std::nullopt;
    quotient.coefficient /= divisor[0].coefficient;
    for (const AtomRef &atom : divisor[0].atoms) {
      auto *found =
          llvm::find_if(quotient.atoms, [&](const AtomRef &other) { return compareAtoms(*atom, *other) == 0; });
      if (found == quotient.atoms.end())
        return std::nullopt;
      quotient.atoms.erase(found);
    }
    result += quotient.atoms.empty() ? Extent(quotient.coefficient) : Polynomial::make({quotient}, 0);
  }
  return result;
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

} // namespace kumiko::eq
