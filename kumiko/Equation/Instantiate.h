//===- Instantiate.h - apply an op to types and attributes -----------------===//
//
// From OpDef (text) to Instance (statements over loops). In order, for each statement that somebody needs:
//   1. conditions made of attributes are decided                (Instantiate/Fold.cpp)
//   2. the ranks of packs are solved                            (Instantiate/Ranks.cpp)
//   3. every index gets its extent by rules 1 to 4              (Instantiate/Extents.cpp)
//   4. the right side becomes typed expressions                 (Instantiate/Values.cpp)
//   5. reads are shown to stay inside, or the op is refused     (Instantiate/Bounds.cpp)
//   6. the target's type follows                                (Instantiate/Targets.cpp)
// Errors say the statement, the index and the numbers on both sides: `index k is 3 in a but 4 in b`.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "kumiko/Equation/Instance.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace kumiko::eq {

/// What an op is applied to.
struct Application {
  /// In the order of OpDef::operands; nullopt is an optional operand that is absent (trailing ones may be left out).
  /// The operands of a variadic one stand one after another in its place.
  llvm::ArrayRef<std::optional<TensorType>> operands;
  /// How many of them belong to the variadic operand. Without a value: all that the others leave.
  std::optional<unsigned> variadicCount;
  /// By name. Attributes with a default may be left out. `float` also takes an integer, `type` also its name.
  llvm::StringMap<Attribute> attributes;
  /// One per result; empty means all. Statements that only serve unwanted results are dropped.
  llvm::ArrayRef<bool> resultsWanted;
};

/// The statements of the op on these types.
llvm::Expected<Instance> instantiate(const OpDef &op, const Application &application);

/// Only the types of the results (of all, wanted or not): cheaper, because no expression is built and no bound is
/// proved. Whatever this accepts may still be refused by `instantiate`.
llvm::Expected<llvm::SmallVector<TensorType, 2>> inferResults(const OpDef &op, const Application &application);

} // namespace kumiko::eq
