//===- Rules.h - the account of optimisations ------------------------------===//
//
// Every optimisation of the graph is one entry of kumiko/Optimize/*.rules, whether its text is all there is or C++
// applies it (kumiko/Equation/Rule.h). The entry has its class; who allows less than that does not get it. What was
// applied is counted, so that a rule which never fires in the tests is noticed.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Rule.h"
#include <atomic>
#include <deque>

namespace kumiko::optimize {

struct Rule {
  explicit Rule(eq::RuleDef definition);

  eq::RuleDef def;
  /// The left side, and the same with the operands of ops that commute swapped.
  std::vector<eq::RuleTerm> lefts;
  /// Applications in this process.
  mutable std::atomic<uint64_t> count = 0;
};

/// All of them, in the order of the files.
const std::deque<Rule> &allRules();

/// There is one: names are written in C++ and checked by a test.
const Rule &ruleNamed(llvm::StringRef name);

/// Whether all rules of a pass are of at most this class. nn-simplify always is: it is told how far to go.
bool isPassAllowed(llvm::StringRef flag, eq::RuleClass most);

/// Appends lines `name count` of the rules that were applied in this process to the file that the environment's
/// KUMIKO_RULE_COUNTS names; nothing when it does not.
void writeRuleCounts();

} // namespace kumiko::optimize
