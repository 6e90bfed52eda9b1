#include "kumiko/Verify/BisectModel.h"
#include "tools/kumiko/Commands.h"

using namespace kumiko;

static void print(const BisectReport &report) {
  if (!report.culprit) {
    llvm::outs() << "every pass keeps to its class, and compiled code agrees with the equations\n";
    return;
  }
  const Culprit &culprit = *report.culprit;
  const AppliedRule &rule = culprit.rule;
  llvm::outs() << (culprit.pass.empty() ? "compiled code" : "pass " + culprit.pass);
  if (!rule.rule.empty())
    llvm::outs() << ", rule " << rule.rule << " (" << rule.kind << ")";
  if (!rule.node.empty())
    llvm::outs() << ", at node " << printable(rule.node);
  llvm::outs() << "\n  " << culprit.what << "\n";
  if (!report.command.empty())
    llvm::outs() << "  show it again: " << report.command << "\n";
}

int kumiko::bisectCommand(const Invocation &invocation, ProblemList &problems) {
  BisectOptions options;
  options.compile = compileOptionsOf(invocation, problems);
  options.inputs = readInputSources(invocation.arguments, /*randomOtherwise=*/true);
  auto report = problems.hasErrors() ? std::nullopt : bisectModel(invocation.model, options, problems);
  if (!report || !writeCase(*report, options.compile, invocation.value(OPT_output, "kumiko-bisect"), problems))
    return 0;
  invocation.has(OPT_json) ? report->printJson(llvm::outs()) : print(*report);
  return report->culprit ? 1 : 0;
}
