#include "kumiko/Extents/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace kumiko {

llvm::ArrayRef<Term> Polynomial::termsOf(const Extent &extent) {
  return extent.terms ? llvm::ArrayRef<Term>(extent.terms->terms) : llvm::ArrayRef<Term>();
}

int compareAtoms(const Atom &a, const Atom &b) {
  if (&a == &b)
    return 0;
  if (a.kind != b.kind)
    return a.kind < b.kind ? -1 : 1;
  if (a.kind == Atom::Kind::Symbol)
    return a.name.compare(b.name);
  int first = a.a.compare(b.a);
  return first ? first : a.b.compare(b.b);
}

int compareAtomLists(llvm::ArrayRef<AtomRef> a, llvm::ArrayRef<AtomRef> b) {
  // Higher degree first, as polynomials are written.
  if (a.size() != b.size())
    return a.size() > b.size() ? -1 : 1;
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (int order = compareAtoms(*x, *y))
      return order;
  return 0;
}

Extent Polynomial::make(llvm::SmallVector<Term, 2> terms, int64_t constant) {
  for (Term &term : terms)
    llvm::sort(term.atoms, [](const AtomRef &a, const AtomRef &b) { return compareAtoms(*a, *b) < 0; });
  llvm::sort(terms, [](const Term &a, const Term &b) { return compareAtomLists(a.atoms, b.atoms) < 0; });

  auto result = std::make_shared<Polynomial>();
  auto &merged = result->terms;
  for (Term &term : terms) {
    if (!merged.empty() && compareAtomLists(merged.back().atoms, term.atoms) == 0) {
      if (llvm::AddOverflow(merged.back().coefficient, term.coefficient, merged.back().coefficient))
        return Extent::overflow();
    } else {
      if (!merged.empty() && merged.back().coefficient == 0)
        merged.pop_back();
      merged.push_back(std::move(term));
    }
  }
  if (!merged.empty() && merged.back().coefficient == 0)
    merged.pop_back();
  if (merged.empty())
    return constant;
  for (const Term &term : merged)
    for (const AtomRef &atom : term.atoms) {
      result->depth = std::max(result->depth, atom->depth);
      result->weight = std::min(result->weight + atom->weight, maxWeight + 1);
    }
  if (merged.size() > maxTerms || result->depth > maxDepth || result->weight > maxWeight)
    return Extent::overflow();
  Extent extent(std::move(result));
  extent.constant = constant;
  return extent;
}

Extent Polynomial::atom(Atom atom) {
  auto depthOf = [](const Extent &extent) { return extent.terms ? extent.terms->depth : 0; };
  auto weightOf = [](const Extent &extent) { return extent.terms ? extent.terms->weight : 0; };
  atom.weight = 1 + weightOf(atom.a) + weightOf(atom.b);
  atom.depth = atom.kind == Atom::Kind::Symbol ? 0 : 1 + std::max(depthOf(atom.a), depthOf(atom.b));
  Term term;
  term.atoms.push_back(std::make_shared<const Atom>(std::move(atom)));
  term.coefficient = 1;
  return make({std::move(term)}, 0);
}

} // namespace kumiko
