//===- SourceFile.h - a text and the tree made of it -----------------------===//
#pragma once
#include "kumiko/Equation/Parser.h"
#include "llvm/Support/Allocator.h"

namespace kumiko::eq {

/// Owns the text that names point into and the arena that nodes live in.
struct SourceFile {
  std::string name;
  std::string text;
  llvm::BumpPtrAllocator arena;

  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) { return list.copy(arena); }
  llvm::StringRef save(llvm::StringRef string) { return string.copy(arena); }
};

/// Collects mistakes by their place in the text.
class DiagnosticSink {
public:
  /// After so many mistakes the rest is noise.
  static constexpr size_t maxDiagnostics = 50;

  DiagnosticSink(llvm::StringRef text, llvm::SmallVectorImpl<Diagnostic> &list) : text(text), list(list) {}
  void error(SourceRange range, const llvm::Twine &message, const llvm::Twine &help = {});
  size_t count() const { return list.size(); }

private:
  llvm::StringRef text;
  llvm::SmallVectorImpl<Diagnostic> &list;
};

/// The word of `known` that `word` is a slip of; empty when none is near.
llvm::StringRef nearest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);

} // namespace kumiko::eq
