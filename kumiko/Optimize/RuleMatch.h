//===- RuleMatch.h - one rule at one op ------------------------------------===//
#pragma once
#include "kumiko/Optimize/RuleBinding.h"
#include "kumiko/Optimize/Rules.h"
#include "mlir/IR/PatternMatch.h"

namespace kumiko::optimize {

enum class RuleOutcome : uint8_t {
  Applied,
  /// The ops are not those of the left side, or a condition about them does not hold.
  NoMatch,
  /// It would hold, but the ops it would replace have other readers and would stay.
  Shared,
};

/// Replaces `root` by the right side where the left side matches and the conditions hold. The result keeps its type:
/// where the right side would have another one, a broadcast lost for example, the rule does not match.
RuleOutcome applyRule(const Rule &rule, mlir::Operation *root, mlir::PatternRewriter &rewriter);

/// Whether the rule could be about this op at all, by its name.
bool isAbout(const Rule &rule, mlir::OperationName op);

} // namespace kumiko::optimize
