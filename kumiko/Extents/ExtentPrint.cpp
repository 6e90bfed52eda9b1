#include "kumiko/Extents/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace kumiko {

/// In parentheses when it is a sum.
static void printFactor(llvm::raw_ostream &os, const Extent &extent) {
  size_t parts = Polynomial::termsOf(extent).size() + (Polynomial::constantOf(extent) != 0);
  if (parts > 1)
    os << '(' << extent << ')';
  else
    os << extent;
}

/// In parentheses when it is more than a number or an atom: operators go from left to right.
static void printDivisor(llvm::raw_ostream &os, const Extent &extent) {
  auto terms = Polynomial::termsOf(extent);
  bool isProduct = terms.size() == 1 && (terms[0].coefficient != 1 || terms[0].atoms.size() > 1);
  if (isProduct && Polynomial::constantOf(extent) == 0)
    os << '(' << extent << ')';
  else
    printFactor(os, extent);
}

static void printAtom(llvm::raw_ostream &os, const Atom &atom) {
  switch (atom.kind) {
  case Atom::Kind::Symbol:
    if (isPlainSymbol(atom.name))
      os << atom.name;
    else
      os << '`' << atom.name << '`';
    return;
  case Atom::Kind::FloorDiv:
    os << '(';
    printFactor(os, atom.a);
    os << " floordiv ";
    printDivisor(os, atom.b);
    os << ')';
    return;
  case Atom::Kind::Max:
    os << "max(";
    break;
  case Atom::Kind::Min:
    os << "min(";
    break;
  case Atom::Kind::Broadcast:
    os << "broadcast(";
    break;
  }
  os << atom.a << ", " << atom.b << ')';
}

/// The magnitude as unsigned, because the smallest number has no negative.
static uint64_t magnitude(int64_t number) {
  return number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

void Extent::print(llvm::raw_ostream &os) const {
  if (overflowed()) {
    os << "<overflow>";
    return;
  }
  bool first = true;
  auto sign = [&](int64_t number) {
    if (first)
      os << (number < 0 ? "-" : "");
    else
      os << (number < 0 ? " - " : " + ");
    first = false;
  };
  for (const Term &term : Polynomial::termsOf(*this)) {
    sign(term.coefficient);
    if (magnitude(term.coefficient) != 1)
      os << magnitude(term.coefficient) << '*';
    llvm::interleave(term.atoms, os, [&](const AtomRef &atom) { printAtom(os, *atom); }, "*");
  }
  if (first || constant != 0) {
    sign(constant);
    os << magnitude(constant);
  }
}

std::string Extent::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Extent &extent) {
  extent.print(os);
  return os;
}

} // namespace kumiko
