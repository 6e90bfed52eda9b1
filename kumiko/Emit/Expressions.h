//===- Expressions.h - sizes that depend on symbols, numbered ---------------===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "llvm/ADT/StringMap.h"

namespace kumiko {

/// The expressions of a program, each once for every level that computes it, in the order of the levels. In the
/// artefact's tables a size is a number, or ~n for expression number n.
class Expressions {
public:
  explicit Expressions(const Program &program);

  /// As a branch with level `scope` sees it.
  int64_t sizeOf(const Extent &extent, uint32_t scope = 0) const;
  /// The number of a symbol.
  int64_t numberOf(llvm::StringRef symbol) const;
  llvm::ArrayRef<std::pair<uint32_t, Extent>> all() const { return extents; }
  /// How many belong to this level and those before.
  size_t countUpTo(uint32_t level) const;

private:
  void add(const Extent &extent, uint32_t scope = 0);
  /// The text is a normal form.
  std::string keyOf(const Extent &extent, uint32_t scope) const;

  const Program &program;
  std::vector<std::pair<uint32_t, Extent>> extents; ///< with their levels
  llvm::StringMap<int64_t> numbers;
};

/// The level at which a demand can be looked at.
uint32_t levelOf(const Program &program, const ProgramDemand &demand);

} // namespace kumiko
