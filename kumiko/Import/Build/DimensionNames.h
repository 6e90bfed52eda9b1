//===- DimensionNames.h - one name for dimensions of several inputs -----------------------===//
//
// A file may give dimensions of different inputs the same name. Whether they are one number is for the graph to say:
// each gets a symbol of its own, the first the plain name, later ones `NAME@INPUT`, and those that some op needs to be
// equal become one again. As symbols enter every type, that takes an import for each time that something is joined;
// what is not found so is still a check of the program.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace kumiko {

class DimensionNames {
public:
  /// The symbol of a dimension that has this name, which must be one of a symbol.
  std::string symbolFor(llvm::StringRef name, llvm::StringRef input, size_t axis);
  /// Something needs these to agree: symbols of one name on both sides are one.
  void relate(const Extent &a, const Extent &b);
  /// All dimensions of one name are one symbol, as if nobody had asked.
  void joinAll() { joinsAll = true; }

  /// Whether something was joined since the last call.
  bool takeChanged() { return std::exchange(hasChanged, false); }
  /// The symbols of each name that still stands for several: `N, N@y`.
  std::vector<std::string> separate() const;

private:
  struct Member {
    std::string symbol, input;
    size_t axis;
    size_t leader; ///< the first member that it is one with
  };
  llvm::StringMap<std::vector<Member>> families; ///< by name
  llvm::StringMap<std::string> familyOf;         ///< by symbol
  bool joinsAll = false, hasChanged = false;
};

} // namespace kumiko
