//===- Instance.h - an equation applied to given types ---------------------===//
//
// An *instance* is what is left of an op's text when the types and shapes of its operands and the values of its
// attributes are known. Nothing of the notation's convenience remains:
//
//   * packs are spelled out: `y(i...) = x(i...)` on rank 2 has the loops i0, i1 and two indices per access;
//   * `at`, tuples, broadcasting and variadic operands are index expressions;
//   * conditions on attributes, `present(...)`, `dim(...)` are folded away; statements nobody needs are dropped;
//   * every expression has an element type; casts are explicit.
//
// Example: op matmul { y(p..., m, n) += a(p..., m, k) * b(p..., k, n) } on f32[8,4], f32[4,16] is one statement with
//   loops   m:8, n:16 (kept = 2), k:4
//   target  y[m, n]
//   value   mul(read a[m, k], read b[k, n])
//
// The evaluator and the lowering to linalg both start here and share nothing else.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "kumiko/Support/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace kumiko::eq {

struct TensorType {
  ElementType element = ElementType::Invalid;
  llvm::SmallVector<Extent, 4> shape;
  bool operator==(const TensorType &other) const { return element == other.element && shape == other.shape; }
};

/// Functions and operators of values. Comparison results and logic are B1; the others keep the type of their operands.
// clang-format off
enum class Function : uint8_t {
  // one operand
  Neg, Not /* logical */, BitNot, Abs, Sign, Floor, Ceil, Round /* half to even */, Sqrt, Exp, Log, Log1p, Expm1,
  Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, Erf, Sigmoid, IsNan, IsInf,
  // two operands
  Add, Sub, Mul, Div /* integers truncate */, Mod /* sign of the divisor */, Rem /* sign of the dividend */,
  FloorDiv, CeilDiv, Pow, Atan2, Max, Min /* both propagate NaN */, And, Or, Xor /* bitwise, logical on B1 */, Shl, Shr,
  Eq, Ne, Lt, Le, Gt, Ge,
};
// clang-format on
llvm::StringRef nameOf(Function function);

/// A scalar expression over the loops of one statement. Immutable; owned by the instance's arena. Equal expressions of
/// a statement are mostly one node: what is computed once per pointer is computed once.
///
/// f16, bf16 and the 8-, 6- and 4-bit floats compute as f32: a read of such a tensor stands inside a Cast to F32, and a
/// value that is stored with `=` ends in a Cast to the type of its target. Integer constants of type U64 hold the bits.
struct Expr {
  enum class Kind : uint8_t {
    Integer, ///< `integer`; type says as what (an integer type, B1 or Index)
    Real,    ///< `real`
    Loop,    ///< the value of loop number `loop`, type Index
    Read,    ///< element of tensor number `tensor`; `operands` are its indices (type Index, one per dimension)
    Apply,   ///< `function` of `operands`
    Select,  ///< operands[0] (B1) ? operands[1] : operands[2]; both are evaluated
    Cast,    ///< operands[0] converted to `type`
  };
  Kind kind;
  ElementType type;
  Function function = Function::Add;
  int64_t integer = 0;
  double real = 0;
  unsigned loop = 0;
  unsigned tensor = 0;
  /// Symbolic constant (an extent that is not static), for Kind::Integer of type Index; otherwise null.
  const Extent *symbolic = nullptr;
  llvm::ArrayRef<const Expr *> operands;
  /// Read only: the value where the index is outside the tensor; null when the text has no `else` or it was proved
  /// never to apply.
  const Expr *otherwise = nullptr;
};

/// How the values of the reduced loops come together. `Set` is plain assignment.
enum class Combine : uint8_t { Set, Sum, Product, Max, Min, And, Or };

/// Every loop occurs in some index, value or condition, except a reduced one that only repeats its value. Loops of one
/// point that only occurred inside tuples are left out.
struct Loop {
  std::string name; ///< for messages and dumps: `k`, `i0`, `i1`
  Extent extent;
};

struct Target {
  unsigned tensor;
  llvm::SmallVector<const Expr *, 4> indices;
};

/// loops; target[indices] combine= value.  Loops [0, kept) appear on the left, the others are reduced.
struct Statement {
  llvm::SmallVector<Loop, 6> loops;
  unsigned kept = 0;
  Combine combine = Combine::Set;
  /// One target, or two for arg-max and arg-min (`values[0]` decides, `values[1]` comes along).
  llvm::SmallVector<Target, 2> targets;
  /// One per target. With Set they have the target's type; otherwise the type that the reduction computes in, which is
  /// F32 for a target of f16 and the like (the sum is rounded once, when it is complete).
  llvm::SmallVector<const Expr *, 2> values;
  /// Points where one of these (B1) is false do not take part.
  llvm::SmallVector<const Expr *, 1> conditions;
  /// The target starts as a copy of this tensor (`into x`).
  std::optional<unsigned> into;
  /// The target keeps what the statement before it wrote (second and later parts of a variadic statement); it is not
  /// initialised again.
  bool continues = false;
  /// Some target index is not a plain distinct loop (or tuple of loops covering the dimension, or the only point of a
  /// dimension of 1): a scatter. Points that no write reaches keep the start value: `into`, else the identity of the
  /// combination, 0 for Set. A write outside the target is dropped.
  bool computedLeft = false;
  /// The text of the statement, for messages.
  std::string text;
};

struct Tensor {
  enum class Role : uint8_t { Operand, Result, Temporary };
  std::string name;
  TensorType type;
  Role role = Role::Temporary;
  /// Operand or result number, variadic operands counted one by one.
  unsigned number = 0;
  /// False for an optional operand that was not given and a result that is not asked for. (A result that is not asked
  /// for but read by another statement is a temporary here.)
  bool present = true;
};

class Instance {
public:
  llvm::SmallVector<Tensor, 8> tensors;
  llvm::SmallVector<Statement, 4> statements;
  /// Conditions on symbols that must hold at run time (equal extents); empty for static shapes.
  llvm::SmallVector<std::pair<Extent, Extent>, 2> checks;
  /// Likewise: equal, or one of them is 1.
  llvm::SmallVector<std::pair<Extent, Extent>, 0> broadcastChecks;
  /// Likewise: the first is not above the second (reads that could not be shown to stay inside, divisors).
  llvm::SmallVector<std::pair<Extent, Extent>, 0> boundChecks;
  /// Likewise: the first is not above the second, or the second is 1 (a given range of a pack that broadcasts).
  llvm::SmallVector<std::pair<Extent, Extent>, 0> repeatChecks;

  llvm::BumpPtrAllocator &arena() { return *allocator; }
  /// Keeps an extent that expressions point to: the arena runs no destructors.
  const Extent *own(Extent extent) {
    extents.push_back(std::make_unique<Extent>(std::move(extent)));
    return extents.back().get();
  }

private:
  llvm::SmallVector<std::unique_ptr<Extent>, 0> extents;
  // On the heap so that an Instance can be moved while its expressions stay where they are.
  std::unique_ptr<llvm::BumpPtrAllocator> allocator = std::make_unique<llvm::BumpPtrAllocator>();
};

/// The value of an attribute of an op application. Integers may be expressions over symbols.
using Attribute = std::variant<int64_t, double, bool, std::string, ElementType, llvm::SmallVector<int64_t, 6>,
                               llvm::SmallVector<double, 4>, Extent, llvm::SmallVector<Extent, 4>>;

} // namespace kumiko::eq
