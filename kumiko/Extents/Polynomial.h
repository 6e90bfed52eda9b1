//===- Polynomial.h - the symbolic part of an extent (private to Extent*.cpp) =//
#pragma once
#include "kumiko/Extents/Extent.h"

namespace kumiko {

/// What a polynomial is over. Shared and never changed.
struct Atom {
  enum class Kind : uint8_t { Symbol, FloorDiv, Max, Min, Broadcast };
  Kind kind = Kind::Symbol;
  std::string name; ///< of a symbol
  Extent a, b;      ///< operands of the others
  unsigned depth = 0;
  unsigned weight = 1; ///< symbols and operators when written out
};
using AtomRef = std::shared_ptr<const Atom>;

/// coefficient * product of atoms (sorted, at least one).
struct Term {
  llvm::SmallVector<AtomRef, 2> atoms;
  int64_t coefficient = 0;
};

/// Terms in order, no two with the same atoms, none with coefficient 0. The constant is in the Extent.
struct Polynomial {
  llvm::SmallVector<Term, 2> terms;
  unsigned depth = 0;
  unsigned weight = 0;

  /// Limits that no honest shape comes near; past them an extent counts as overflowed. The weight bounds everything
  /// that walks an extent: parts are shared, so a small graph may be a huge expression when written out.
  static constexpr unsigned maxTerms = 512, maxDegree = 32, maxDepth = 128, maxWeight = 4096;

  static llvm::ArrayRef<Term> termsOf(const Extent &extent);
  static int64_t constantOf(const Extent &extent) { return extent.constant; }
  /// The extent of these terms (any order, repetitions allowed) and the constant.
  static Extent make(llvm::SmallVector<Term, 2> terms, int64_t constant);
  static Extent atom(Atom atom);
};

/// Whether a name stands in an expression as it is; any other is written in backquotes.
bool isPlainSymbol(llvm::StringRef name);

int compareAtoms(const Atom &a, const Atom &b);
int compareAtomLists(llvm::ArrayRef<AtomRef> a, llvm::ArrayRef<AtomRef> b);

/// Quotient rounded to minus infinity of numbers; nothing on overflow or division by zero.
std::optional<int64_t> checkedFloorDiv(int64_t a, int64_t b);

} // namespace kumiko
