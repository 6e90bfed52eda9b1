//===- Lexer.h - the words of the notation ---------------------------------===//
#pragma once
#include "kumiko/Equation/SourceFile.h"

namespace kumiko::eq {

struct Token {
  enum class Kind : uint8_t { End, Newline, Name, Integer, Real, String, Symbol };
  Kind kind = Kind::End;
  /// As written; a string with its quotes.
  llvm::StringRef text;
  SourceRange range;
  /// First on its line, also inside parentheses where line breaks do not count.
  bool startsLine = false;

  bool is(llvm::StringRef symbolOrWord) const {
    return (kind == Kind::Symbol || kind == Kind::Name) && text == symbolOrWord;
  }
};

/// The tokens of the file, ending with End. Line breaks that do not end a statement are left out. What cannot be read
/// is reported and skipped.
llvm::SmallVector<Token, 0> lex(const SourceFile &file, DiagnosticSink &sink);

/// Words that name nothing.
bool isReserved(llvm::StringRef word);

} // namespace kumiko::eq
