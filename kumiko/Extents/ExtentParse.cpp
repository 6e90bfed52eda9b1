//===- ExtentParse.cpp - an extent from its text ---------------------------===//
#include "kumiko/Extents/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace kumiko {

static bool startsName(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool continuesName(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

/// The words that are operators or functions.
static bool isWord(llvm::StringRef name) {
  return llvm::is_contained({"floordiv", "ceildiv", "mod", "max", "min", "broadcast"}, name);
}

/// The length of the plain name that the text begins with.
static size_t plainLength(llvm::StringRef text) {
  if (text.empty() || !startsName(text[0]))
    return 0;
  size_t length = text.take_while(continuesName).size();
  llvm::StringRef rest = text.drop_front(length);
  if (rest.consume_front("[")) {
    size_t digits = rest.take_while(llvm::isDigit).size();
    if (digits && rest.drop_front(digits).starts_with("]"))
      return length + digits + 2;
  }
  return length;
}

bool isPlainSymbol(llvm::StringRef name) { return plainLength(name) == name.size() && !name.empty() && !isWord(name); }

bool isSymbolName(llvm::StringRef name) {
  return !name.empty() &&
         llvm::all_of(name, [](unsigned char c) { return c >= ' ' && c < 0x7f && c != '`' && c != '"' && c != '\\'; });
}

namespace {

class Parser {
public:
  explicit Parser(llvm::StringRef text) : rest(text), whole(text) {}

  llvm::Expected<Extent> run() {
    // Arithmetic costs up to 512 terms per operator, so the length bounds the time too.
    constexpr size_t maxLength = 8192;
    if (rest.size() > maxLength)
      return llvm::createStringError("the expression has " + llvm::Twine(rest.size()) + " characters, at most " +
                                     llvm::Twine(maxLength) + " are read");
    Extent result = sum();
    skip();
    if (why.empty() && !rest.empty())
      fail("an operator is expected");
    if (why.empty() && result.overflowed())
      why = "the expression has no value";
    if (!why.empty())
      return llvm::createStringError(why + ": '" + whole + "'");
    return result;
  }

private:
  void skip() { rest = rest.ltrim(' '); }
  bool eat(llvm::StringRef token) {
    skip();
    return rest.consume_front(token);
  }
  /// A word only where no name goes on after it.
  bool eatWord(llvm::StringRef word) {
    skip();
    return plainLength(rest) == word.size() && rest.consume_front(word);
  }
  Extent fail(const llvm::Twine &message) {
    if (why.empty())
      why = (message + " at position " + llvm::Twine(whole.size() - rest.size())).str();
    rest = {};
    return 0;
  }

  Extent sum() {
    Extent result = product(/*negative=*/eat("-"));
    while (why.empty()) {
      if (eat("+"))
        result = result + product();
      else if (eat("-"))
        result = result - product();
      else
        break;
    }
    return result;
  }

  /// All operators of this level go from left to right; a sign belongs to the first factor.
  Extent product(bool negative = false) {
    Extent result = negative ? -factor() : factor();
    while (why.empty()) {
      if (eat("*"))
        result = result * factor();
      else if (eatWord("floordiv"))
        result = floorDiv(result, factor());
      else if (eatWord("ceildiv"))
        result = ceilDiv(result, factor());
      else if (eatWord("mod"))
        result = mod(result, factor());
      else
        break;
    }
    return result;
  }

  Extent factor() {
    // Twice the depth that an extent may have: each of its levels is at most a function and a parenthesis.
    if (depth > 2 * Polynomial::maxDepth)
      return fail("the expression is nested too deeply");
    skip();
    if (rest.empty())
      return fail("a number, a name or '(' is expected");
    if (llvm::isDigit(rest[0])) {
      int64_t number;
      // The smallest number is written with a sign of its own and has no positive counterpart.
      if (rest.consumeInteger(10, number))
        return fail("the number does not fit in 64 bits");
      return number;
    }
    if (rest.consume_front("`"))
      return quoted();
    if (rest.consume_front("("))
      return closed(sumBelow());
    size_t length = plainLength(rest);
    if (length == 0)
      return fail("a number, a name or '(' is expected");
    llvm::StringRef name = rest.take_front(length);
    if (!isWord(name)) {
      rest = rest.drop_front(length);
      return Extent::symbol(name);
    }
    return call(name);
  }

  Extent quoted() {
    llvm::StringRef name = rest.take_until([](char c) { return c == '`'; });
    if (name.size() == rest.size() || !isSymbolName(name))
      return fail("a name without control characters and a closing '`' are expected");
    rest = rest.drop_front(name.size() + 1);
    return Extent::symbol(name);
  }

  Extent call(llvm::StringRef name) {
    if (name != "max" && name != "min" && name != "broadcast")
      return fail("a number, a name or '(' is expected");
    rest = rest.drop_front(name.size());
    if (!eat("("))
      return fail("'(' is expected");
    Extent a = sumBelow();
    if (!eat(","))
      return fail("',' is expected");
    Extent b = sumBelow();
    return closed(name == "max" ? max(a, b) : name == "min" ? min(a, b) : Extent::broadcast(a, b));
  }

  Extent sumBelow() {
    ++depth;
    Extent result = sum();
    --depth;
    return result;
  }

  Extent closed(Extent result) { return eat(")") ? result : fail("')' is expected"); }

  llvm::StringRef rest, whole;
  unsigned depth = 0;
  std::string why;
};

} // namespace

llvm::Expected<Extent> parseExtent(llvm::StringRef text) { return Parser(text).run(); }

} // namespace kumiko
