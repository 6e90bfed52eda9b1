//===- Scope.h - what the names of an op mean ------------------------------===//
#pragma once
#include "kumiko/Equation/SourceFile.h"
#include "llvm/ADT/StringMap.h"

namespace kumiko::eq {

/// The names of one op, and the indices of the statement that is being read.
class Scope {
public:
  explicit Scope(DiagnosticSink &sink) : sink(sink) {}

  /// Declarations; a name that is reserved or taken is reported.
  void addTensor(llvm::StringRef name, TensorSymbol::Role role, unsigned number, SourceRange range);
  void addAttribute(const AttributeDef &attribute);
  /// Declares type variables as they are met.
  TypeRef type(llvm::StringRef name, SourceRange range, bool mayDeclare);

  std::optional<unsigned> tensor(llvm::StringRef name) const { return find(tensorNumbers, name); }
  std::optional<unsigned> attribute(llvm::StringRef name) const { return find(attributeNumbers, name); }
  std::optional<unsigned> typeVariable(llvm::StringRef name) const;

  /// Forgets the indices of the statement before.
  void beginStatement();
  void addVariadicNumber(llvm::StringRef name);
  std::optional<unsigned> index(llvm::StringRef name) const { return find(indexNumbers, name); }
  /// The index of this name, made when it is new; remembers the place for the rules on packs.
  unsigned useIndex(llvm::StringRef name, SourceRange range);
  size_t occurrenceCount() const { return occurrences.size(); }
  /// The item that began when `count` indices had occurred ends in `...`; `bare` when it is a name alone.
  void markPack(size_t count, bool bare);
  /// Decides which indices are packs; a name that is both is reported.
  void endStatement();

  llvm::SmallVector<TensorSymbol, 8> tensors;
  llvm::SmallVector<AttributeDef, 8> attributes;
  llvm::SmallVector<llvm::StringRef, 2> typeVariables;
  llvm::SmallVector<IndexDef, 8> indices;

private:
  using Numbers = llvm::StringMap<unsigned>;
  static std::optional<unsigned> find(const Numbers &numbers, llvm::StringRef name) {
    auto entry = numbers.find(name);
    return entry == numbers.end() ? std::nullopt : std::optional(entry->second);
  }
  bool isFree(llvm::StringRef name, SourceRange range);

  struct Occurrence {
    unsigned index;
    SourceRange range;
    bool inPack = false;
    bool barePack = false;
  };

  DiagnosticSink &sink;
  Numbers tensorNumbers, attributeNumbers, indexNumbers;
  llvm::SmallVector<Occurrence, 16> occurrences;
};

} // namespace kumiko::eq
