//===- Decision.h - yes, or no with a reason -------------------------------===//
#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kumiko {

/// The answer of a question about a rewrite. A "no" says why, in words a user can act on.
class [[nodiscard]] Decision {
public:
  static Decision allow() { return Decision(); }
  static Decision forbid(llvm::StringRef reason) {
    Decision decision;
    decision.reason = reason.str();
    return decision;
  }

  explicit operator bool() const { return reason.empty(); }
  llvm::StringRef why() const { return reason; }

private:
  std::string reason;
};

} // namespace kumiko
