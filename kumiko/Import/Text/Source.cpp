#include "kumiko/Import/Text/Source.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kumiko::text {

static bool startsName(char c) { return isAlpha(c) || c == '_'; }
static bool continuesName(char c) { return isAlnum(c) || c == '_'; }

bool isIdentifier(StringRef name) { return !name.empty() && startsName(name[0]) && all_of(name, continuesName); }

std::string quoted(StringRef name) {
  if (isIdentifier(name))
    return name.str();
  std::string result = "\"";
  for (char c : name)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (c >= ' ' && c != 0x7f)
      result += c;
    else if (static_cast<unsigned char>(c) >= 0x80)
      result += c;
    else
      result += ("\\x" + Twine(hexdigit(c >> 4 & 15, true)) + Twine(hexdigit(c & 15, true))).str();
  return result + "\"";
}

void Source::skip() {
  while (next < text.size())
    if (isSpace(text[next]))
      ++next;
    else if (text[next] == '#')
      next = std::min(text.find('\n', next), text.size());
    else
      return;
}

bool Source::at(StringRef what) {
  skip();
  StringRef rest = text.substr(next);
  return rest.starts_with(what) &&
         !(startsName(what[0]) && rest.size() > what.size() && continuesName(rest[what.size()]));
}

bool Source::eat(StringRef what) {
  if (!at(what))
    return false;
  next += what.size();
  return true;
}

bool Source::need(StringRef what) { return eat(what) || (expected("'" + what + "'"), false); }

bool Source::isName() { return skip(), next < text.size() && (startsName(text[next]) || text[next] == '"'); }

bool Source::atEnd() { return skip(), next >= text.size(); }

std::optional<std::string> Source::quoted() {
  size_t begin = next++;
  std::string result;
  for (; next < text.size() && text[next] != '"' && text[next] != '\n'; ++next) {
    char c = text[next];
    if (c != '\\') {
      result += c;
      continue;
    }
    char escape = ++next < text.size() ? text[next] : ' ';
    unsigned code = 0;
    if (escape == 'x' && !text.substr(next + 1, 2).getAsInteger(16, code) && text.size() - next > 2)
      result += char(code), next += 2;
    else if (escape == '"' || escape == '\\')
      result += escape;
    else
      return fail(next - 1, next + 1, Code::BadText, "an escape that is not known")
                 .helped("there are \\\", \\\\ and \\xNN"),
             std::nullopt;
  }
  if (next >= text.size() || text[next] != '"')
    return fail(begin, next, Code::BadText, "the quotes are not closed on their line"), std::nullopt;
  ++next;
  return result;
}

std::optional<std::string> Source::string() {
  skip();
  if (next < text.size() && text[next] == '"')
    return quoted();
  return expected("a text in quotes"), std::nullopt;
}

std::optional<Name> Source::name(StringRef what) {
  if (!isName())
    return expected(what), std::nullopt;
  Name name;
  name.begin = next;
  if (text[next] == '"') {
    auto content = quoted();
    if (!content)
      return std::nullopt;
    name.base = std::move(*content);
  } else {
    name.base = text.substr(next).take_while(continuesName).str();
    next += name.base.size();
  }
  StringRef rest = text.substr(next), digits;
  if (rest.consume_front("."))
    digits = rest.take_while(isDigit);
  if (!digits.empty())
    next += 1 + digits.size();
  name.key = (digits + "." + name.base).str();
  name.end = next;
  return name;
}

std::optional<int64_t> Source::integer() {
  skip();
  StringRef digits = text.substr(next).take_while([](char c) { return isDigit(c) || c == '-'; });
  int64_t value = 0;
  if (digits.empty() || digits.getAsInteger(10, value))
    return expected("a whole number"), std::nullopt;
  next += digits.size();
  return value;
}

StringRef Source::raw() {
  skip();
  size_t begin = next;
  unsigned depth = 0;
  for (char quote = 0; next < text.size() && text[next] != '\n'; ++next) {
    char c = text[next];
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '`' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (StringRef(",;)]}{=").contains(c)) {
      if (depth == 0)
        break;
      depth -= c == ')' || c == ']';
    }
  }
  return text.slice(begin, next).rtrim();
}

std::optional<Extent> Source::extent() {
  StringRef written = raw();
  size_t end = next;
  if (written.empty())
    return expected("a number or an expression over symbols"), std::nullopt;
  Expected<Extent> parsed = parseExtent(written);
  if (parsed)
    return *parsed;
  fail(end - written.size(), end, Code::BadText, toString(parsed.takeError()))
      .helped("extents are numbers, symbols and + - * floordiv mod max min of them");
  return std::nullopt;
}

void Source::skipBraces() {
  for (unsigned depth = 0; next < text.size(); ++next) {
    char c = text[next];
    if (c == '#' || c == '"')
      next = std::min(text.find(c == '#' ? '\n' : '"', next + 1), text.size() - 1);
    else if (c == '{')
      ++depth;
    else if (c == '}' && depth-- <= 1) {
      ++next;
      return;
    }
  }
}

Problem &Source::fail(size_t begin, size_t end, Code code, const Twine &what) {
  begin = std::min(begin, text.size());
  StringRef before = text.take_front(begin);
  size_t start = before.rfind('\n') + 1; // npos + 1 is 0
  StringRef line = text.substr(start).take_until([](char c) { return c == '\n' || c == '\r'; });
  std::string number = std::to_string(before.count('\n') + 1);
  Place place;
  place.file = (file->path() + ":" + number + ":" + Twine(begin - start + 1)).str();
  // Of a long line the part around the mistake.
  size_t cut = begin - start > 100 ? begin - start - 60 : 0;
  std::string shown = line.substr(cut, 120).str();
  replace(shown, '\t', ' ');
  size_t room = line.size() > begin - start ? line.size() - (begin - start) : 1;
  size_t width = std::clamp<size_t>(end > begin ? end - begin : 1, 1, std::min<size_t>(room, 60));
  return problems.add(code, what)
      .at(place)
      .with(number, shown, "")
      .with("", std::string(begin - start - cut, ' ') + "^" + std::string(width - 1, '~'), "")
      .helped("docs/text-models.md describes the notation");
}

Problem &Source::expected(const Twine &what) {
  if (failed()) // what follows the first mistake is noise
    return unsaid = Problem(Code::BadText, "");
  skip();
  size_t begin = next, end = begin;
  while (end < text.size() && continuesName(text[end]))
    ++end;
  end = std::max(end, std::min(begin + 1, text.size()));
  Problem &problem = fail(begin, end, Code::BadText,
                          begin < text.size() ? "expected " + what + ", found '" + text.slice(begin, end) + "'"
                                              : "expected " + what + ", but the file ends");
  return problem;
}

} // namespace kumiko::text
