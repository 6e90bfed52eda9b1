//===- Source.h - the letters of a .kmk file and what is said about them ----------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "kumiko/Import/Build/ModelFile.h"
#include "kumiko/Support/ElementType.h"
#include "llvm/ADT/StringSet.h"

namespace kumiko::text {

/// `conv1`, `"stage1/conv"`, or one of several values of a node: `"stage1/conv".2`.
struct Name {
  std::string base; ///< the node's name
  std::string key;  ///< with the number; different for different names
  size_t begin = 0, end = 0;
};

/// The text and a position in it. After the first mistake nothing more is read: every reader gives up at once.
class Source {
public:
  Source(std::shared_ptr<ModelFile> file, ProblemList &problems) : file(std::move(file)), problems(problems) {
    text = this->file->bytes();
  }

  /// Whether what follows is this symbol or word, behind spaces and comments; reads it when it is.
  bool eat(llvm::StringRef what);
  bool at(llvm::StringRef what);
  bool need(llvm::StringRef what);
  bool isName();
  std::optional<Name> name(llvm::StringRef what);
  std::optional<std::string> string();
  /// A whole number, which may be negative.
  std::optional<int64_t> integer();
  /// What is written up to the next of `,;)]}` that is not inside brackets or quotes.
  llvm::StringRef raw();
  /// An expression over symbols.
  std::optional<Extent> extent();

  bool atEnd();
  size_t position() { return skip(), next; }
  void rewind(size_t to) { next = to; }
  llvm::StringRef slice(size_t begin, size_t end) const { return text.slice(begin, end); }
  /// Skips a definition: to behind the brace that closes the first one.
  void skipBraces();

  /// A mistake of the letters `begin` to `end`: with line, column and caret.
  Problem &fail(size_t begin, size_t end, Code code, const llvm::Twine &what);
  /// What stands at the position is not what is wanted.
  Problem &expected(const llvm::Twine &what);
  bool failed() const { return problems.hasErrors(); }
  void giveUp() { next = text.size(); }

  std::shared_ptr<ModelFile> file;
  ProblemList &problems;

private:
  void skip();
  std::optional<std::string> quoted();

  llvm::StringRef text;
  size_t next = 0;
  Problem unsaid{Code::BadText, ""};
};

/// The name as the file has it: in quotes unless it is an identifier.
std::string quoted(llvm::StringRef name);
bool isIdentifier(llvm::StringRef name);

} // namespace kumiko::text
