//===- KernelCache.h - object code of kernels, kept on disk -----------------===//
//
// A folder of files, one for each kernel that was compiled, named by a digest of everything that decides its code
// (kumiko/Pipeline/Units.h). An entry is written aside and renamed, so readers and writers in any number of processes
// need no lock: what is found under a name is whole or is no entry. Each ends with a digest of its bytes; one that is
// damaged, cut short or somebody else's is a miss and is replaced.
//
// A cache never makes a compilation fail: where it cannot be read or written, kernels are compiled.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <array>
#include <optional>
#include <string>

namespace kumiko {

class KernelCache {
public:
  using Key = std::array<uint8_t, 32>;
  using Bytes = llvm::SmallVector<char, 0>;

  /// Where it lies and how large it may become.
  struct Place {
    std::string folder; ///< empty: there is no cache
    uint64_t limit = 1ull << 30;
    std::string why = {}; ///< there is none, or a setting that was not understood
  };
  /// As the environment says: KUMIKO_CACHE=0 for none, KUMIKO_CACHE_DIR, else $XDG_CACHE_HOME/kumiko or
  /// ~/.cache/kumiko; KUMIKO_CACHE_SIZE in bytes, with K, M or G.
  static Place placeOf();

  /// Makes the folder, for its owner alone, where there is none.
  explicit KernelCache(Place place);

  const Place &place() const { return at; }
  /// Whether entries can be read. Object code runs, so a folder that others may write in is not used.
  bool isUsable() const { return at.why.empty() && !at.folder.empty(); }

  /// The entry of this key, and that it was used now.
  std::optional<Bytes> find(const Key &key) const;
  /// False where it could not be kept.
  bool keep(const Key &key, llvm::ArrayRef<char> object) const;
  /// Takes what was not used for a month away, then what was not used for longest, until the rest fits the limit and a
  /// quarter of what the disk has.
  void prune() const;

  struct Contents {
    uint64_t entries = 0, bytes = 0;
  };
  Contents contents() const;
  /// Takes all entries away, and what was left of unfinished ones. The error says what could not go.
  llvm::Error clear() const;

private:
  std::string pathOf(const Key &key) const;

  Place at;
};

} // namespace kumiko
