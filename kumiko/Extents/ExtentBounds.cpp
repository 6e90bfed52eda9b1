//===- ExtentBounds.cpp - values and signs of extents ----------------------===//
#include "kumiko/Extents/ExtentLimit.h"
#include "kumiko/Extents/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace kumiko {
namespace {

std::optional<int64_t> lowerBound(const Extent &extent, unsigned budget);

std::optional<int64_t> lowerBound(const Atom &atom, unsigned budget) {
  auto combined = [&](auto combine) -> std::optional<int64_t> {
    auto a = lowerBound(atom.a, budget), b = lowerBound(atom.b, budget);
    return a && b ? std::optional(combine(*a, *b)) : std::nullopt;
  };
  switch (atom.kind) {
  case Atom::Kind::Symbol:
  case Atom::Kind::Broadcast:
    return 0;
  case Atom::Kind::Max: {
    auto a = lowerBound(atom.a, budget), b = lowerBound(atom.b, budget);
    return a && b ? std::max(*a, *b) : a ? a : b;
  }
  case Atom::Kind::Min:
    return combined([](int64_t a, int64_t b) { return std::min(a, b); });
  case Atom::Kind::FloorDiv:
    if (auto a = lowerBound(atom.a, budget)) {
      if (atom.b.isStatic() && atom.b.value() > 0)
        return checkedFloorDiv(*a, atom.b.value());
      if (auto b = lowerBound(atom.b, budget); *a >= 0 && b && *b >= 0)
        return 0;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

/// A number that coefficient * atoms is never below, from the bounds of its atoms alone.
std::optional<int64_t> lowerBound(const Term &term, unsigned budget) {
  if (term.coefficient < 0)
    return std::nullopt;
  if (term.atoms.size() == 1) {
    auto bound = lowerBound(*term.atoms[0], budget);
    int64_t result;
    return bound && !llvm::MulOverflow(*bound, term.coefficient, result) ? std::optional(result) : std::nullopt;
  }
  for (const AtomRef &atom : term.atoms) {
    auto bound = lowerBound(*atom, budget);
    if (!bound || *bound < 0)
      return std::nullopt;
  }
  return 0;
}

/// c*(A floordiv c) lies in [A - c + 1, A]: replaces such a term by its lower end, so that it can cancel against
/// others.
std::optional<Extent> withoutFloorDiv(const Extent &extent) {
  for (const Term &term : Polynomial::termsOf(extent)) {
    if (term.atoms.size() != 1 || term.atoms[0]->kind != Atom::Kind::FloorDiv)
      continue;
    const Atom &atom = *term.atoms[0];
    if (!atom.b.isStatic() || atom.b.value() <= 0 || term.coefficient % atom.b.value() != 0)
      continue;
    int64_t factor = term.coefficient / atom.b.value();
    Extent end = factor < 0 ? atom.a : atom.a - atom.b + Extent(1);
    return extent - Polynomial::make({term}, 0) + Extent(factor) * end;
  }
  return std::nullopt;
}

std::optional<int64_t> lowerBound(const Extent &extent, unsigned budget) {
  if (extent.isStatic())
    return extent.value();
  if (extent.overflowed() || budget == 0)
    return std::nullopt;
  int64_t sum = Polynomial::constantOf(extent);
  bool bounded = true;
  for (const Term &term : Polynomial::termsOf(extent)) {
    auto bound = lowerBound(term, budget - 1);
    bounded = bounded && bound && !llvm::AddOverflow(sum, *bound, sum);
  }
  if (bounded)
    return sum;
  auto simpler = withoutFloorDiv(extent);
  return simpler ? lowerBound(*simpler, budget - 1) : std::nullopt;
}

// Enough for the shapes of real networks; the search is exponential in nested max and floordiv beyond that.
constexpr unsigned searchBudget = 8;

using SymbolValue = llvm::function_ref<std::optional<int64_t>(llvm::StringRef)>;

std::optional<int64_t> valueOf(const Atom &atom, SymbolValue symbolValue) {
  if (atom.kind == Atom::Kind::Symbol)
    return symbolValue(atom.name);
  auto a = atom.a.evaluate(symbolValue), b = atom.b.evaluate(symbolValue);
  if (!a || !b)
    return std::nullopt;
  switch (atom.kind) {
  case Atom::Kind::FloorDiv:
    return checkedFloorDiv(*a, *b);
  case Atom::Kind::Max:
    return std::max(*a, *b);
  case Atom::Kind::Min:
    return std::min(*a, *b);
  default:
    return *a == 1 ? b : a; // broadcast
  }
}

void collectSymbols(const Atom &atom, llvm::SmallVectorImpl<llvm::StringRef> &names) {
  if (atom.kind != Atom::Kind::Symbol) {
    atom.a.symbols(names);
    atom.b.symbols(names);
  } else if (!llvm::is_contained(names, atom.name)) {
    names.push_back(atom.name);
  }
}

} // namespace

bool isLimited(const Extent &extent, const Extent &whole, int64_t least) {
  auto terms = Polynomial::termsOf(extent);
  if (terms.size() != 1 || Polynomial::constantOf(extent) != 0 || terms[0].coefficient != 1 ||
      terms[0].atoms.size() != 1 || terms[0].atoms[0]->kind != Atom::Kind::Min)
    return false;
  const Atom &atom = *terms[0].atoms[0];
  const Extent &limit = atom.a == whole ? atom.b : atom.a;
  return (atom.a == whole || atom.b == whole) && (limit - Extent(least)).knownNonNegative();
}

bool Extent::knownNonNegative() const {
  auto bound = lowerBound(*this, searchBudget);
  return bound && *bound >= 0;
}

bool Extent::knownNonPositive() const { return isStatic() ? constant <= 0 : (-*this).knownNonNegative(); }

std::optional<int64_t> Extent::evaluate(SymbolValue symbolValue) const {
  if (overflowed())
    return std::nullopt;
  int64_t sum = constant;
  for (const Term &term : Polynomial::termsOf(*this)) {
    int64_t value = term.coefficient;
    for (const AtomRef &atom : term.atoms) {
      auto factor = valueOf(*atom, symbolValue);
      if (!factor || llvm::MulOverflow(value, *factor, value))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, value, sum))
      return std::nullopt;
  }
  return sum;
}

void Extent::symbols(llvm::SmallVectorImpl<llvm::StringRef> &names) const {
  for (const Term &term : Polynomial::termsOf(*this))
    for (const AtomRef &atom : term.atoms)
      collectSymbols(*atom, names);
}

} // namespace kumiko
