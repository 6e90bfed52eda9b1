#include "kumiko/Equation/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace kumiko::eq {
namespace {

bool startsName(char c) { return llvm::isAlpha(c) || c == '_'; }
bool continuesName(char c) { return llvm::isAlnum(c) || c == '_'; }

class Lexer {
public:
  Lexer(llvm::StringRef text, DiagnosticSink &sink) : text(text), sink(sink) {}

  llvm::SmallVector<Token, 0> run() {
    while (position < text.size())
      next();
    add(Token::Kind::End, position);
    return std::move(tokens);
  }

private:
  void next();
  void newline();
  void number();
  void word();
  void string();
  void symbol();
  char at(size_t offset) const { return offset < text.size() ? text[offset] : '\0'; }

  /// A token from `begin` to the current position.
  void add(Token::Kind kind, size_t begin) {
    Token token;
    token.kind = kind;
    token.text = text.slice(begin, position);
    token.range = {static_cast<uint32_t>(begin), static_cast<uint32_t>(position)};
    token.startsLine = atLineStart;
    atLineStart = kind == Token::Kind::Newline;
    tokens.push_back(token);
  }

  llvm::StringRef text;
  DiagnosticSink &sink;
  llvm::SmallVector<Token, 0> tokens;
  size_t position = 0;
  unsigned depth = 0; ///< of ( and [
  bool atLineStart = true;
};

void Lexer::next() {
  char c = text[position];
  if (c == '\n')
    return newline();
  if (c == ' ' || c == '\t' || c == '\r') {
    ++position;
    return;
  }
  if (c == '#') {
    position = std::min(text.find('\n', position), text.size());
    return;
  }
  if (llvm::isDigit(c))
    return number();
  if (startsName(c))
    return word();
  if (c == '"')
    return string();
  symbol();
}

void Lexer::newline() {
  size_t begin = position++;
  if (depth == 0)
    add(Token::Kind::Newline, begin);
  else
    atLineStart = true;
}

void Lexer::number() {
  size_t begin = position;
  auto digits = [&] {
    while (llvm::isDigit(at(position)))
      ++position;
  };
  bool real = false;
  digits();
  if (at(position) == '.' && at(position + 1) != '.') { // `3...` is a literal pack item, not a fraction
    real = true;
    ++position;
    digits();
  }
  size_t exponent = position + 1 + (at(position + 1) == '+' || at(position + 1) == '-');
  if ((at(position) == 'e' || at(position) == 'E') && llvm::isDigit(at(exponent))) {
    real = true;
    position = exponent;
    digits();
  }
  add(real ? Token::Kind::Real : Token::Kind::Integer, begin);
  if (continuesName(at(position))) {
    while (continuesName(at(position)))
      ++position;
    sink.error({static_cast<uint32_t>(begin), static_cast<uint32_t>(position)},
               "'" + text.slice(begin, position) + "' is neither a number nor a name",
               "names begin with a letter or `_`; a product needs `*`");
  }
}

void Lexer::word() {
  size_t begin = position;
  while (continuesName(at(position)))
    ++position;
  llvm::StringRef name = text.slice(begin, position);
  bool combines = name == "max" || name == "min" || name == "and" || name == "or";
  if (combines && at(position) == '=' && at(position + 1) != '=') {
    ++position;
    return add(Token::Kind::Symbol, begin);
  }
  add(Token::Kind::Name, begin);
}

void Lexer::string() {
  size_t begin = position++;
  while (position < text.size() && text[position] != '"' && text[position] != '\n')
    ++position;
  if (at(position) == '"') {
    ++position;
  } else {
    sink.error({static_cast<uint32_t>(begin), static_cast<uint32_t>(position)}, "string is not closed",
               "a string ends with `\"` on the same line");
  }
  add(Token::Kind::String, begin);
}

void Lexer::symbol() {
  static constexpr llvm::StringLiteral symbols[] = {"...", "->", "+=", "*=", "==", "!=", "<=", ">=", "<<", ">>"};
  size_t begin = position;
  llvm::StringRef rest = text.substr(position);
  for (llvm::StringRef candidate : symbols) {
    if (rest.starts_with(candidate)) {
      position += candidate.size();
      return add(Token::Kind::Symbol, begin);
    }
  }
  ++position;
  char c = text[begin];
  if (!llvm::StringRef("-+*/%<>=?:(){}[],;&|^~.").contains(c)) {
    // A multi-byte character is one mistake, not one per byte.
    while (static_cast<unsigned char>(at(position)) >= 0x80 && static_cast<unsigned char>(c) >= 0x80)
      ++position;
    sink.error({static_cast<uint32_t>(begin), static_cast<uint32_t>(position)},
               llvm::isPrint(c) ? "'" + llvm::Twine(c) + "' is not part of the notation"
                                : llvm::Twine("unexpected character outside ASCII"));
    return;
  }
  depth += c == '(' || c == '[';
  if ((c == ')' || c == ']') && depth > 0)
    --depth;
  add(Token::Kind::Symbol, begin);
}

/// These join two expressions, so a line cannot begin a statement with one.
bool isBinary(const Token &token) {
  if (token.kind == Token::Kind::Name)
    return token.text == "and" || token.text == "or";
  return token.kind == Token::Kind::Symbol &&
         llvm::StringSwitch<bool>(token.text)
             .Cases({"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^", "<<", ">>"}, true)
             .Default(false);
}
bool continuesLineAbove(const Token &token) {
  return isBinary(token) || token.is("where") || token.is("into") || token.is("else") || token.is("?") || token.is(":");
}
bool wantsNextLine(const Token &token) {
  static constexpr llvm::StringLiteral openEnds[] = {
      ",", "?", ":", "=", "+=", "*=", "max=", "min=", "and=", "or=", "where", "into", "else"};
  return isBinary(token) || llvm::any_of(openEnds, [&](llvm::StringRef end) { return token.is(end); });
}

} // namespace

llvm::SmallVector<Token, 0> lex(const SourceFile &file, DiagnosticSink &sink) {
  llvm::SmallVector<Token, 0> all = Lexer(file.text, sink).run(), kept;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != Token::Kind::Newline) {
      kept.push_back(all[i]);
      continue;
    }
    // Any number of empty lines is one line break. The list ends with End, so there is always a token after them.
    size_t first = i;
    while (all[i + 1].kind == Token::Kind::Newline)
      ++i;
    if (!continuesLineAbove(all[i + 1]) && (kept.empty() || !wantsNextLine(kept.back())))
      kept.push_back(all[first]);
  }
  return kept;
}

bool isReserved(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases({"op", "where", "in", "into", "at", "else", "like", "rank"}, true)
      .Cases({"and", "or", "not", "inf", "true", "false", "from"}, true)
      .Default(false);
}

} // namespace kumiko::eq
