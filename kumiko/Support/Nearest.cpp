#include "kumiko/Support/Nearest.h"

std::string kumiko::nearest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates) {
  unsigned best = std::max<unsigned>(2, word.size() / 3) + 1;
  std::string found;
  for (llvm::StringRef candidate : candidates)
    if (unsigned distance = word.edit_distance(candidate, /*AllowReplacements=*/true, best); distance < best) {
      best = distance;
      found = candidate.str();
    }
  return found;
}
