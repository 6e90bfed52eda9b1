//===- Rules.cpp - the account of optimisations ----------------------------===//
#include "kumiko/Optimize/Rules.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Optimize/Remark.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::RuleTerm;

/// Both orders of every op that commutes; what differs in names of variables alone stays, which costs little.
static std::vector<RuleTerm> orders(const RuleTerm &term) {
  std::vector<RuleTerm> result = {term};
  if (term.kind != RuleTerm::Kind::Apply)
    return result;
  for (size_t operand = 0; operand < term.operands.size(); ++operand) {
    std::vector<RuleTerm> inner = orders(term.operands[operand]), all;
    for (const RuleTerm &whole : result)
      for (const RuleTerm &part : inner) {
        all.push_back(whole);
        all.back().operands[operand] = part;
      }
    result = std::move(all);
  }
  const eq::OpDef *op = nn::lookupEquation(term.name);
  if (!op || !eq::isCommutative(*op))
    return result;
  for (size_t i = 0, count = result.size(); i < count; ++i) {
    result.push_back(result[i]);
    std::swap(result.back().operands[0], result.back().operands[1]);
  }
  return result;
}

Rule::Rule(eq::RuleDef definition) : def(std::move(definition)) {
  if (!def.isCode())
    lefts = orders(def.left);
}

namespace {

struct EmbeddedRules {
  llvm::StringLiteral name;
  llvm::StringLiteral text;
};

struct RuleBook {
  std::deque<Rule> rules;
  llvm::StringMap<const Rule *> byName;

  RuleBook() {
    constexpr EmbeddedRules files[] = {
#include "kumiko/Optimize/RuleText.inc"
    };
    for (const EmbeddedRules &file : files) {
      eq::RuleFile parsed = eq::parseRules(file.name, file.text);
      assert(parsed.parsed.ok() && "checked by kumiko-eqgen");
      for (eq::RuleDef &def : parsed.rules) {
        rules.emplace_back(std::move(def));
        byName[rules.back().def.name] = &rules.back();
      }
    }
  }

  static const RuleBook &get() {
    static const RuleBook book;
    return book;
  }
};

} // namespace

const std::deque<Rule> &optimize::allRules() { return RuleBook::get().rules; }

const Rule &optimize::ruleNamed(StringRef name) {
  const Rule *rule = RuleBook::get().byName.lookup(name);
  if (!rule)
    llvm::report_fatal_error("there is no rule '" + llvm::Twine(name) + "' in kumiko/Optimize/*.rules");
  return *rule;
}

bool optimize::isPassAllowed(StringRef flag, eq::RuleClass most) {
  // It is told how far to go.
  if (flag == "nn-simplify")
    return true;
  return llvm::all_of(allRules(), [&](const Rule &rule) { return rule.def.pass != flag || rule.def.kind <= most; });
}

void optimize::writeRuleCounts() {
  std::optional<std::string> path = llvm::sys::Process::GetEnv("KUMIKO_RULE_COUNTS");
  if (!path)
    return;
  std::string lines;
  for (const Rule &rule : allRules())
    if (uint64_t count = rule.count)
      lines += (rule.def.name + " " + llvm::Twine(count) + "\n").str();
  std::error_code code;
  llvm::raw_fd_ostream out(*path, code, llvm::sys::fs::OF_Append);
  if (!code)
    out << lines; // one write, so that tests side by side do not mix
}

void optimize::applied(Operation *op, StringRef rule, std::optional<int64_t> saved) {
  const Rule &entry = ruleNamed(rule);
  ++entry.count;
  auto remark = remark::passed(op->getLoc(), remark::RemarkOpts::name(rule).category(remarkCategory));
  remark << remark::metric("class", eq::nameOf(entry.def.kind)) << remark::metric("op", op->getName().getStringRef());
  if (saved)
    remark << remark::metric("saved", *saved);
}

void optimize::declined(Operation *op, StringRef rule, const llvm::Twine &why) {
  assert(ruleNamed(rule).def.name == rule && "declared");
  remark::missed(op->getLoc(), remark::RemarkOpts::name(rule).category(remarkCategory))
      << remark::reason("{0}", why.str()) << remark::metric("op", op->getName().getStringRef());
}
