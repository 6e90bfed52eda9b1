//===- Expressions.h - sizes that depend on symbols, numbered ---------------===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "llvm/ADT/StringMap.h"

namespace kumiko {

/// The expressions of a program, each once, in the order of their levels. In the artefact's tables a size is a number,
/// or ~n for expression number n.
class Expressions {
public:
  explicit Expressions(const Program &program);

  int64_t sizeOf(const eq::Extent &extent) const;
  /// The number of a symbol.
  int64_t numberOf(llvm::StringRef symbol) const;
  llvm::ArrayRef<eq::Extent> all() const { return extents; }
  /// How many belong to this level and those before.
  size_t countUpTo(uint32_t level) const;

private:
  void add(const eq::Extent &extent);

  const Program &program;
  std::vector<eq::Extent> extents;
  llvm::StringMap<int64_t> numbers; ///< by text, which is a normal form
};

/// The level at which a demand can be looked at.
uint32_t levelOf(const Program &program, const ProgramDemand &demand);

} // namespace kumiko
