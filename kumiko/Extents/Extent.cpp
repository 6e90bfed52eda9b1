#include "kumiko/Extents/ExtentLimit.h"
#include "kumiko/Extents/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace kumiko {

Extent::Extent(std::shared_ptr<const Polynomial> terms) : state(State::Symbolic), terms(std::move(terms)) {}

Extent Extent::overflow() {
  Extent result;
  result.state = State::Overflow;
  return result;
}

Extent Extent::symbol(llvm::StringRef name) {
  Atom atom;
  atom.name = name.str();
  return Polynomial::atom(std::move(atom));
}

Extent Extent::broadcast(const Extent &a, const Extent &b) {
  if (a.overflowed() || b.overflowed())
    return overflow();
  if (a == b || b.is(1))
    return a;
  if (a.is(1) || b.isStatic())
    return b;
  if (a.isStatic())
    return a;
  // The smaller one of a and something above 0 fits a only where it is a, or where both are 1.
  if (isLimited(b, a, 1))
    return a;
  if (isLimited(a, b, 1))
    return b;
  bool swap = a.compare(b) > 0;
  return Polynomial::atom({Atom::Kind::Broadcast, "", swap ? b : a, swap ? a : b, 0});
}

bool Extent::operator==(const Extent &other) const {
  if (state != other.state)
    return false;
  if (state == State::Static)
    return constant == other.constant;
  return state == State::Overflow || compare(other) == 0;
}

int Extent::compare(const Extent &other) const {
  if (state != other.state)
    return state < other.state ? -1 : 1;
  auto mine = Polynomial::termsOf(*this), theirs = Polynomial::termsOf(other);
  if (terms != other.terms) {
    if (mine.size() != theirs.size())
      return mine.size() < theirs.size() ? -1 : 1;
    for (auto [a, b] : llvm::zip_equal(mine, theirs)) {
      if (int order = compareAtomLists(a.atoms, b.atoms))
        return order;
      if (a.coefficient != b.coefficient)
        return a.coefficient < b.coefficient ? -1 : 1;
    }
  }
  return constant == other.constant ? 0 : constant < other.constant ? -1 : 1;
}

Extent operator+(const Extent &a, const Extent &b) {
  if (a.overflowed() || b.overflowed())
    return Extent::overflow();
  int64_t constant;
  if (llvm::AddOverflow(a.constant, b.constant, constant))
    return Extent::overflow();
  if (a.isStatic() && b.isStatic())
    return constant;
  llvm::SmallVector<Term, 2> terms(Polynomial::termsOf(a));
  llvm::append_range(terms, Polynomial::termsOf(b));
  return Polynomial::make(std::move(terms), constant);
}

Extent operator*(const Extent &a, const Extent &b) {
  if (a.overflowed() || b.overflowed())
    return Extent::overflow();
  int64_t constant;
  if (llvm::MulOverflow(a.constant, b.constant, constant))
    return Extent::overflow();
  if (a.isStatic() && b.isStatic())
    return constant;
  auto left = Polynomial::termsOf(a), right = Polynomial::termsOf(b);
  if (left.size() * right.size() + left.size() + right.size() > Polynomial::maxTerms)
    return Extent::overflow();
  llvm::SmallVector<Term, 2> terms;
  // Multiplies into a term of the product; false on overflow.
  auto scaled = [&terms](const Term &term, int64_t factor) {
    Term result = term;
    if (llvm::MulOverflow(term.coefficient, factor, result.coefficient))
      return false;
    terms.push_back(std::move(result));
    return true;
  };
  for (const Term &term : left) {
    if (!scaled(term, b.constant))
      return Extent::overflow();
    for (const Term &other : right) {
      if (term.atoms.size() + other.atoms.size() > Polynomial::maxDegree || !scaled(term, other.coefficient))
        return Extent::overflow();
      llvm::append_range(terms.back().atoms, other.atoms);
    }
  }
  for (const Term &term : right)
    if (!scaled(term, a.constant))
      return Extent::overflow();
  return Polynomial::make(std::move(terms), constant);
}

Extent operator-(const Extent &a, const Extent &b) {
  if (a.isStatic() && b.isStatic()) {
    int64_t difference;
    return llvm::SubOverflow(a.constant, b.constant, difference) ? Extent::overflow() : Extent(difference);
  }
  return a + b * Extent(-1);
}

Extent product(llvm::ArrayRef<Extent> extents) {
  Extent result = 1;
  // A zero anywhere makes the product zero, even when the other factors overflow.
  if (llvm::any_of(extents, [](const Extent &e) { return e.is(0); }))
    return 0;
  for (const Extent &extent : extents)
    result *= extent;
  return result;
}

} // namespace kumiko
