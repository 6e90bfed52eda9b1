//===- Parser.h - from text to checked ops ---------------------------------===//
//
//   auto file = parse("kumiko/Nn/elementwise.eq", text);
//   if (!file.ok())
//     file.print(llvm::errs());        // every message with line, column, caret and help
//   for (const OpDef &op : file.ops) ...
//
// Parsing includes all checks that need no types or shapes: names, arities, reserved words, statements. A file with a
// mistake still yields the ops that are right.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace kumiko::eq {

/// One mistake in the text. Lines and columns count from 1; columns count bytes.
struct Diagnostic {
  unsigned line = 0;
  unsigned column = 0;
  /// Columns to underline, at least 1.
  unsigned width = 1;
  std::string message;
  /// What to do about it; may be empty.
  std::string help;
};

struct ParseResult {
  llvm::SmallVector<OpDef, 0> ops;
  llvm::SmallVector<Diagnostic, 2> diagnostics;
  std::string name; ///< of the file
  std::string text;

  bool ok() const { return diagnostics.empty(); }
  /// The messages as people read them:
  ///   my.eq:3:14: error: unknown function 'expp'
  ///     y(i...) = expp(x(i...))
  ///               ^~~~
  ///     help: did you mean 'exp'?
  void print(llvm::raw_ostream &os) const;
  std::string rendered() const;
};

/// Reads a file of ops. `name` is used in messages only.
ParseResult parse(llvm::StringRef name, llvm::StringRef text);

/// Reads a text that holds exactly one op; the error is the rendered messages.
llvm::Expected<OpDef> parseOp(llvm::StringRef text, llvm::StringRef name = "<op>");

} // namespace kumiko::eq
