#include "kumiko/Support/Allow.h"

using namespace kumiko;

static constexpr llvm::StringLiteral allowNames[] = {"exact", "rounding", "approximate"};

llvm::StringRef kumiko::nameOf(Allow allow) { return allowNames[unsigned(allow)]; }

std::optional<Allow> kumiko::allowNamed(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(allowNames); ++i)
    if (allowNames[i] == name)
      return Allow(i);
  return std::nullopt;
}
