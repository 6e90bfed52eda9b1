#include "kumiko/Equation/SourceFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace kumiko::eq {

void DiagnosticSink::error(SourceRange range, const llvm::Twine &message, const llvm::Twine &help) {
  if (list.size() >= maxDiagnostics)
    return;
  size_t begin = std::min<size_t>(range.begin, text.size());
  size_t lineBreak = text.take_front(begin).rfind('\n');
  size_t lineStart = lineBreak == llvm::StringRef::npos ? 0 : lineBreak + 1;
  size_t lineEnd = std::min(text.find('\n', begin), text.size());
  Diagnostic diagnostic;
  diagnostic.line = 1 + static_cast<unsigned>(text.take_front(lineStart).count('\n'));
  diagnostic.column = 1 + static_cast<unsigned>(begin - lineStart);
  size_t end = std::min<size_t>(std::max(range.end, range.begin), std::max(lineEnd, begin));
  diagnostic.width = std::max<unsigned>(1, static_cast<unsigned>(end - begin));
  diagnostic.message = message.str();
  diagnostic.help = help.str();
  list.push_back(std::move(diagnostic));
}

llvm::StringRef nearest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known) {
  llvm::StringRef best;
  // A third of the letters may differ: `expp` is exp, `foo` is nothing.
  unsigned limit = std::max<unsigned>(1, static_cast<unsigned>(word.size()) / 3) + 1;
  for (llvm::StringRef candidate : known) {
    unsigned distance = word.edit_distance(candidate, /*AllowReplacements=*/true, limit);
    if (distance < limit) {
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

static llvm::StringRef lineOf(llvm::StringRef text, unsigned number) {
  for (unsigned line = 1; line < number; ++line)
    text = text.split('\n').second;
  return text.split('\n').first.rtrim('\r');
}

void ParseResult::print(llvm::raw_ostream &os) const {
  for (const Diagnostic &diagnostic : diagnostics) {
    os << name << ':' << diagnostic.line << ':' << diagnostic.column << ": error: " << diagnostic.message << '\n';
    llvm::StringRef line = lineOf(text, diagnostic.line);
    os << "  " << line << "\n  ";
    // Tabs stay tabs, so that the caret stands under its column however wide they are shown.
    for (char c : line.take_front(diagnostic.column - 1))
      os << (c == '\t' ? '\t' : ' ');
    os << '^' << std::string(diagnostic.width - 1, '~') << '\n';
    if (!diagnostic.help.empty())
      os << "  help: " << diagnostic.help << '\n';
  }
}

std::string ParseResult::rendered() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  print(os);
  return result;
}

} // namespace kumiko::eq
