#include "kumiko/Equation/Parser.h"
#include "kumiko/Equation/Checker.h"
#include "kumiko/Equation/OpParser.h"
#include "llvm/ADT/StringSet.h"

namespace kumiko::eq {

/// To the next line that begins with `op`.
static void skipToNextOp(llvm::ArrayRef<Token> tokens, size_t &position) {
  for (; tokens[position].kind != Token::Kind::End; ++position)
    if (tokens[position].startsLine && tokens[position].is("op"))
      return;
}

ParseResult parse(llvm::StringRef name, llvm::StringRef text) {
  ParseResult result;
  result.name = name.str();
  result.text = text.str();
  auto file = std::make_shared<SourceFile>();
  file->name = result.name;
  file->text = result.text;
  DiagnosticSink sink(file->text, result.diagnostics);
  // Offsets are 32 bits wide, and a text of this size is no list of equations.
  if (text.size() > (uint32_t(1) << 28)) {
    sink.error({0, 0}, "the text is longer than 256 MiB");
    return result;
  }

  llvm::SmallVector<Token, 0> tokens = lex(*file, sink);
  llvm::StringSet<> names;
  size_t position = 0;
  for (;;) {
    while (tokens[position].kind == Token::Kind::Newline || tokens[position].is(";"))
      ++position;
    const Token &first = tokens[position];
    if (first.kind == Token::Kind::End)
      break;
    if (!first.is("op")) {
      sink.error(first.range, "expected an op, found '" + first.text + "'",
                 "an op is written `op name(x: T) -> y: T { ... }`");
      ++position;
      skipToNextOp(tokens, position);
      continue;
    }
    size_t before = sink.count();
    auto op = OpParser(*file, tokens, position, sink).parse();
    if (!op) {
      // The op may have failed at its own `op`; a step makes sure that the next search moves on.
      if (&first == &tokens[position])
        ++position;
      skipToNextOp(tokens, position);
      continue;
    }
    if (!names.insert(op->name).second)
      sink.error(first.range, "op '" + op->name + "' is defined twice");
    if (sink.count() == before)
      check(*op, sink);
    if (sink.count() == before) {
      op->file = file;
      result.ops.push_back(std::move(*op));
    }
  }
  // The lexer runs first, so its messages would come before those about earlier lines.
  llvm::sort(result.diagnostics, [](const Diagnostic &a, const Diagnostic &b) {
    return std::tie(a.line, a.column, a.message) < std::tie(b.line, b.column, b.message);
  });
  return result;
}

llvm::Expected<OpDef> parseOp(llvm::StringRef text, llvm::StringRef name) {
  ParseResult result = parse(name, text);
  if (!result.ok())
    return llvm::createStringError(result.rendered());
  if (result.ops.size() != 1)
    return llvm::createStringError(name + ": expected one op, found " + llvm::Twine(result.ops.size()));
  return std::move(result.ops[0]);
}

} // namespace kumiko::eq
