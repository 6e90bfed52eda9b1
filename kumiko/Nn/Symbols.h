//===- Symbols.h - the symbols of a program, and what they must satisfy -----===//
//
// The function of a model lists its symbols and the conditions on them as attributes:
//
//   func.func @main(...) attributes {
//     nn.symbols = [{name = "batch"}, {name = "x[1]", lower = 1}, {data, name = "n"}],
//     nn.checks = [{lhs = #nn.extent<"K">, message = "node 3: ...", relation = "==", rhs = 7}]} { ... }
//
// The order of `nn.symbols` is that of the program's table. A symbol with `data` is defined while the program runs, by
// an `nn.symbol` or an irregular op that names it; the others are dimensions of arguments, whose types have them as
// they are. A symbol is at least `lower` (0 where nothing is said) and at most `upper`.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Nn/Extents.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSet.h"

namespace kumiko::nn {

constexpr llvm::StringLiteral symbolsAttrName = "nn.symbols", checksAttrName = "nn.checks";

struct Symbol {
  std::string name;
  int64_t lower = 0;
  std::optional<int64_t> upper = std::nullopt;
  bool isData = false;
};

/// A condition that is looked at while the program runs, as soon as its symbols are known.
struct Check {
  /// Equal; equal or one of them is 1; not above.
  enum class Relation : uint8_t { Equal, Broadcast, AtMost };
  Extent lhs, rhs;
  Relation relation = Relation::Equal;
  /// What does not agree, with the names of nodes, inputs and axes.
  std::string message;
};

/// Empty where the function has no such attribute.
llvm::SmallVector<Symbol> symbolsOf(mlir::Operation *function);
llvm::SmallVector<Check> checksOf(mlir::Operation *function);
/// An empty list removes the attribute.
void setSymbols(mlir::Operation *function, llvm::ArrayRef<Symbol> symbols);
void setChecks(mlir::Operation *function, llvm::ArrayRef<Check> checks);

/// A check as an attribute, and back; `row` has been verified.
mlir::DictionaryAttr rowOf(mlir::MLIRContext *context, const Check &check);
Check checkOf(mlir::DictionaryAttr row);

/// Adds the symbols of the op's attributes and of its results' types, and those of all that it holds.
void addSymbolsOf(mlir::Operation *op, llvm::StringSet<> &names);
/// Adds the symbols that the op, or what it holds, finds in the data.
void addSymbolsFoundBy(mlir::Operation *op, llvm::StringSet<> &names);
/// Whether there are such.
bool findsSymbols(mlir::Operation *op);

/// Whether the op's attributes or the types of its results have expressions: its results are not known without the
/// values of symbols.
bool usesSymbols(mlir::Operation *op);

namespace detail {
/// Of the dialect's hook: the attribute has the form above.
llvm::LogicalResult verifySymbolAttribute(mlir::Operation *op, mlir::NamedAttribute attribute);
} // namespace detail

} // namespace kumiko::nn
