//===- Extent.h - how many points an index has -----------------------------===//
//
// An extent is an integer. For static shapes that is all: an int64. With symbolic dimensions it is an integer
// polynomial over *atoms*; an atom is a named symbol or one of floordiv, max, min, broadcast of two extents:
//
//   conv, stride 2, padding 1, kernel 3 on H rows gives   ((H - 1) floordiv 2) + 1
//
// Equal values are written equal as far as the normal form reaches: terms are sorted, multiples of the divisor leave a
// floordiv, and its constant is brought into (-divisor, 0]. So (H + 1) floordiv 2 and ((H - 1) floordiv 2) + 1 compare
// equal.
//
// Symbols stand for dimensions and are taken to be >= 0.
//
// Arithmetic is checked. A result that does not fit in 64 bits (or a division by zero) is the *overflowed* extent;
// every operation on it gives it again, it equals nothing but itself, and whoever asks for a value must look first. It
// exists so that a hostile shape becomes an error message and never undefined behaviour.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
}

namespace kumiko {

struct Polynomial;

class Extent {
public:
  /// Zero.
  Extent() = default;
  /// A static extent. Implicit, because most extents are plain numbers.
  Extent(int64_t value) : constant(value) {}
  /// A name without backquotes and control characters (`isSymbolName`).
  static Extent symbol(llvm::StringRef name);
  static Extent overflow();
  /// The common extent of two dimensions that are equal or of which one is 1.
  static Extent broadcast(const Extent &a, const Extent &b);

  bool isStatic() const { return state == State::Static; }
  bool overflowed() const { return state == State::Overflow; }
  /// The number; only for static extents.
  int64_t value() const {
    assert(isStatic());
    return constant;
  }
  bool is(int64_t number) const { return isStatic() && constant == number; }

  /// True when the extent is >= 0 (<= 0) for all values of its symbols, as far as can be told from its terms.
  bool knownNonNegative() const;
  bool knownNonPositive() const;

  bool operator==(const Extent &other) const;
  bool operator!=(const Extent &other) const { return !(*this == other); }
  /// A total order without numerical meaning for symbolic extents; used to sort.
  int compare(const Extent &other) const;

  friend Extent operator+(const Extent &a, const Extent &b);
  friend Extent operator-(const Extent &a, const Extent &b);
  friend Extent operator*(const Extent &a, const Extent &b);
  friend Extent operator-(const Extent &a) { return Extent(0) - a; }
  Extent &operator+=(const Extent &other) { return *this = *this + other; }
  Extent &operator*=(const Extent &other) { return *this = *this * other; }

  /// Rounds towards minus infinity. Overflowed when the divisor is zero.
  friend Extent floorDiv(const Extent &a, const Extent &b);
  /// Rounds towards plus infinity.
  friend Extent ceilDiv(const Extent &a, const Extent &b);
  /// a - floorDiv(a, b) * b: has the sign of the divisor.
  friend Extent mod(const Extent &a, const Extent &b);
  /// Decided where the difference has a known sign, otherwise an atom.
  friend Extent max(const Extent &a, const Extent &b);
  friend Extent min(const Extent &a, const Extent &b);

  /// The value for given symbols; nothing when a symbol is not given, on overflow and on division by zero.
  std::optional<int64_t> evaluate(llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> symbolValue) const;
  /// Adds the names of the symbols, each once, in order of appearance.
  void symbols(llvm::SmallVectorImpl<llvm::StringRef> &names) const;

  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  friend struct Polynomial;
  enum class State : uint8_t { Static, Symbolic, Overflow };
  explicit Extent(std::shared_ptr<const Polynomial> terms);

  int64_t constant = 0;
  State state = State::Static;
  std::shared_ptr<const Polynomial> terms; ///< set exactly when symbolic; shared, never changed
};

Extent operator+(const Extent &a, const Extent &b);
Extent operator-(const Extent &a, const Extent &b);
Extent operator*(const Extent &a, const Extent &b);
Extent floorDiv(const Extent &a, const Extent &b);
Extent ceilDiv(const Extent &a, const Extent &b);
Extent mod(const Extent &a, const Extent &b);
Extent max(const Extent &a, const Extent &b);
Extent min(const Extent &a, const Extent &b);

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Extent &extent);

/// Reads what `print` writes, and any other expression over + - * floordiv ceildiv mod max min broadcast; a name that
/// is not made of letters, digits, `_` and `.` (and a number in brackets at the end: `x[0]`) stands in backquotes.
/// Fails with a reason; long and deep texts are refused.
llvm::Expected<Extent> parseExtent(llvm::StringRef text);

/// Whether a symbol may have this name.
bool isSymbolName(llvm::StringRef name);

/// The product of all; 1 for an empty list.
Extent product(llvm::ArrayRef<Extent> extents);

} // namespace kumiko
