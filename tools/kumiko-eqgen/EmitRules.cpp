//===- EmitRules.cpp - the table of optimisations --------------------------===//
#include "Emit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::eq;

/// On one line, with bars that do not end a column.
static std::string cell(StringRef text) {
  std::string result;
  for (char c : text) {
    if ((c == '\n' || c == ' ') && !result.empty() && result.back() == ' ')
      continue;
    result += c == '\n' ? ' ' : c;
    if (c == '|')
      result.insert(result.size() - 1, "\\");
  }
  return result;
}

void eqgen::emitRuleTable(raw_ostream &os, ArrayRef<RuleFile> files) {
  os << "<!-- Written by scripts/reference with kumiko-eqgen; do not edit. -->\n\n# Optimisations\n\n"
        "Every rewrite of the graph, from `kumiko/Optimize/*.rules`. The class says what it may change: *exact* "
        "nothing, "
        "not a bit;\n*rounding* the last digits; *approximate* more, within a stated bound. `--allow` sets how far the "
        "compiler goes, and\n`--explain` says which rules were applied where. A rule without a pass is an equation "
        "that "
        "`nn-simplify` applies from left\nto right; its test is made from the rule itself "
        "(`test/Optimize/RuleTest.cpp`): "
        "it must fire and keep the values on random\noperands at boundary shapes, and must not fire where a condition "
        "does not hold.\n\n";
  size_t count = 0;
  for (const RuleFile &file : files)
    count += file.rules.size();
  os << count << " rules.\n";
  for (const RuleFile &file : files) {
    os << "\n## " << sys::path::stem(file.parsed.name) << "\n\n| rule | class | before = after | when | pass | test |\n"
       << "|---|---|---|---|---|---|\n";
    for (const RuleDef &rule : file.rules) {
      SmallVector<std::string> conditions;
      for (const RuleCondition &condition : rule.when)
        conditions.push_back("`" + cell(condition.text) + "`");
      os << "| " << rule.name << " | " << nameOf(rule.kind) << " | `" << cell(rule.title) << "`<br>"
         << cell(join(rule.doc, " ")) << " | " << join(conditions, ", ") << " | "
         << (rule.isCode() ? "`" + rule.pass.str() + "`" : "`nn-simplify`") << " | "
         << (rule.isCode() ? "`" + rule.test.str() + "`" : "itself") << " |\n";
    }
  }
}
